import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { Time, useNow } from '../../shared/time';
import { text } from '../../text';
import type { Device } from '../queries';
import { ScopeForm } from './scope-form';
import { TokenActions } from './token-actions';
import { type TokenEnd, tokenEnd } from './token-end';

const words = text.edge.token;
const NOTES: Readonly<Record<TokenEnd, string | null>> = {
  fine: null,
  soon: words.soon,
  ended: words.expired,
  revoked: words.revoked,
};

/** What a device shows when it calls: until when, what it may do, and how it is taken away. */
export function TokenTab({ device }: { device: Device }) {
  const now = useNow(60_000);
  const end = tokenEnd(device.token_expires_at, now);
  const note = NOTES[end];
  return (
    <Stack gap="lg" maw={720}>
      {note !== null && (
        <Alert color={end === 'soon' ? 'yellow' : 'red'} variant="light">
          {note}
        </Alert>
      )}
      <Group justify="space-between" gap="sm">
        <Stack gap={0}>
          <Title order={2} size="h5">
            {words.title}
          </Title>
          {device.token_expires_at !== null && (
            <Text c="dimmed">
              {words.ends} <Time iso={device.token_expires_at} />
            </Text>
          )}
        </Stack>
        <TokenActions device={device} />
      </Group>
      <ScopeForm device={device} />
    </Stack>
  );
}
