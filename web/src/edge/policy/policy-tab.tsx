import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { body, type Schemas } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { text } from '../../text';
import { useDeviceRenewal } from '../device/use-device-change';
import { PolicyChip } from '../fleet/policy-chip';
import { policyState } from '../fleet/policy-state';
import { type Device, pathOf, type Policy } from '../queries';
import { changesOf, formOf, type PolicyForm, wrongIn } from './policy-form';
import { PolicyTable } from './policy-table';

const words = text.edge.policy;
const GROUPS = ['rhythm', 'retention', 'sync'] as const;

/** What a device does without a command for each time, and which state of it the device follows. */
export function PolicyTab({ device: { id, policy } }: { device: Device }) {
  const missing = useMissing('SETTINGS');
  // Only what was touched: the rest stays what the platform says, also when somebody else changes it meanwhile.
  const [edits, setEdits] = useState<PolicyForm>({});
  const save = useSaved(id, () => setEdits({}));
  const form = { ...formOf(policy), ...edits };
  const wrong = wrongIn(form);
  const changes = changesOf(form, policy);
  const isChanged = Object.keys(changes).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && wrong.size === 0) save.mutate(changes as Schemas['PolicyUpdate']);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg" maw={860}>
        <Followed policy={policy} />
        {GROUPS.map((group) => (
          <Stack key={group} gap="xs">
            <Title order={2} size="h5">
              {words.groups[group]}
            </Title>
            <PolicyTable
              policy={policy}
              group={group}
              form={form}
              wrong={wrong}
              isReadOnly={missing !== null}
              onChange={(key, value) => setEdits({ ...edits, [key]: value })}
            />
          </Stack>
        ))}
        <Text size="sm" c="dimmed">
          {words.inheritedHint}
        </Text>
        {save.isError && <ErrorCard error={save.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={!isChanged} onClick={() => setEdits({})}>
            {words.reset}
          </Button>
          <Allowed
            to="SETTINGS"
            reason={wrong.size > 0 ? words.someWrong : isChanged ? null : words.unchanged}
          >
            <Button type="submit" loading={save.isPending}>
              {words.save}
            </Button>
          </Allowed>
        </Group>
      </Stack>
    </form>
  );
}

function Followed({ policy }: { policy: Policy }) {
  const state = policyState(policy);
  return (
    <Group gap="sm">
      <Text fw={600}>{words.revision(policy.revision)}</Text>
      {state === 'behind' && <PolicyChip policy={policy} />}
      <Text c="dimmed">
        {state === 'behind' ? words.follows.behind(policy.applied_revision ?? 0) : words.follows[state]}
      </Text>
    </Group>
  );
}

function useSaved(id: string, onSaved: () => void) {
  const tenant = useTenant();
  const renew = useDeviceRenewal(id);
  return useMutation({
    mutationFn: (changes: Schemas['PolicyUpdate']) =>
      body(tenant.api.PUT('/api/v1/edge/devices/{device_id}/policy', { params: pathOf(id), body: changes })),
    onSuccess: async (saved) => {
      notifications.show({ message: words.saved(saved.revision) });
      await renew();
      onSaved();
    },
  });
}
