import { Badge, Group, Stack, Text } from '@mantine/core';
import { useMe } from '../../app/session';
import { StateChip } from '../../shared/state-chip';
import { text } from '../../text';
import type { User } from '../queries';

const words = text.admin.people;

/** Who somebody is: the address, which is unique, and the name. */
export function Who({ user }: { user: User }) {
  const me = useMe();
  return (
    <Stack gap={0}>
      <Group gap="sm" wrap="nowrap">
        <Text fw={500}>{user.email}</Text>
        {user.id === me.id && (
          <Badge size="sm" variant="light" tt="none" style={{ flexShrink: 0 }}>
            {words.you}
          </Badge>
        )}
      </Group>
      {user.full_name !== null && (
        <Text size="sm" c="dimmed">
          {user.full_name}
        </Text>
      )}
    </Stack>
  );
}

export function UserState({ user }: { user: User }) {
  if (!user.is_active) return <StateChip state={words.disabled} look="stopped" />;
  if (!user.is_verified) return <StateChip state={words.unconfirmed} look="waiting" />;
  return <StateChip state={words.active} look="succeeded" />;
}
