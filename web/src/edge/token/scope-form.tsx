import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { useDeviceChange } from '../device/use-device-change';
import { type Device, pathOf } from '../queries';
import { ScopeBoxes } from './scope-boxes';
import { isSameScopes, knownScopes, type Scope } from './scope-list';

const words = text.edge.token;

/** What the token may do, changed in place. */
export function ScopeForm({ device: { id, scopes } }: { device: Device }) {
  const { api } = useTenant();
  const missing = useMissing('SETTINGS');
  const take = useDeviceChange(id);
  const held = knownScopes(scopes);
  const [edited, setEdited] = useState<readonly Scope[] | null>(null);
  const wanted = edited ?? held;
  const save = useMutation({
    mutationFn: () =>
      take(
        body(
          api.PATCH('/api/v1/edge/devices/{device_id}/token:scopes', {
            params: pathOf(id),
            body: { scopes: [...wanted] },
          }),
        ),
      ),
    onSuccess: () => {
      setEdited(null);
      notifications.show({ message: words.scopesSaved });
    },
  });
  const reason = wanted.length === 0 ? words.noScopes : isSameScopes(wanted, held) ? words.sameScopes : null;
  return (
    <Stack gap="md">
      <ScopeBoxes
        value={wanted}
        onChange={setEdited}
        isDisabled={missing !== null}
        error={wanted.length === 0 ? words.noScopes : undefined}
      />
      {save.isError && <ErrorCard error={save.error} />}
      <Group gap="sm">
        <Allowed to="SETTINGS" reason={reason}>
          <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
            {words.saveScopes}
          </Button>
        </Allowed>
        <Text size="sm" c="dimmed">
          {words.scopesHint}
        </Text>
      </Group>
    </Stack>
  );
}
