import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, body, type Schemas } from '../../api/client';
import { Confirm } from '../../shared/confirm';
import type { Column } from '../../shared/list/column';
import { DataTable } from '../../shared/list/data-table';
import { Time } from '../../shared/time';
import { UpdatedAgo } from '../../shared/updated-ago';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { sessionsQuery } from '../queries';
import { browserName } from './browser-name';
import { Explained } from '../../shared/allowed';

const words = text.people.sessions;

const columns: ReadonlyArray<Column<Schemas['SessionOut']>> = [
  { id: 'device', label: words.device, cell: (session) => <Device session={session} /> },
  { id: 'kind', label: words.kind, cell: ({ kind }) => words.kinds[kind] ?? kind },
  { id: 'ip', label: words.ip, cell: ({ ip }) => <span className="mono">{ip ?? '–'}</span> },
  { id: 'since', label: words.since, cell: ({ created_at }) => <Time iso={created_at} /> },
  {
    id: 'expires',
    label: words.expires,
    cell: ({ expires_at }) => (expires_at === null ? words.never : <Time iso={expires_at} />),
  },
];

export function SessionsTab() {
  const query = useQuery({ ...sessionsQuery, refetchInterval: 30_000 });
  const [isAsking, ask] = useDisclosure(false);
  if (query.data === undefined) return <Reading query={query} />;
  const { total } = query.data;
  const items = [...query.data.items].sort((a, b) => Number(b.is_current) - Number(a.is_current));
  return (
    <Stack gap="sm">
      <Reading query={query} />
      <Group justify="space-between" gap="sm">
        <Text c="dimmed">{words.intro}</Text>
        <Explained reason={total < 2 ? words.onlyHere : null}>
          <Button variant="default" onClick={ask.open}>
            {words.endOthers}
          </Button>
        </Explained>
      </Group>
      <DataTable label={words.label} columns={columns} rows={items} keyOf={(session) => session.id} />
      <Group gap="md">
        <Text size="sm" c="dimmed">
          {text.lists.total(String(total), false)}
        </Text>
        <UpdatedAgo at={query.dataUpdatedAt} />
      </Group>
      <EndOthers opened={isAsking} onClose={ask.close} />
    </Stack>
  );
}

function Device({ session }: { session: Schemas['SessionOut'] }) {
  const name = browserName(session.user_agent);
  const shown =
    name === null ? words.unknown : name.system === null ? name.browser : words.on(name.browser, name.system);
  return (
    <Group gap="sm" wrap="nowrap" title={session.user_agent ?? undefined}>
      {shown}
      {session.is_current && (
        <Badge size="sm" variant="light" tt="none" style={{ flexShrink: 0 }}>
          {words.here}
        </Badge>
      )}
    </Group>
  );
}

function EndOthers({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const end = async () => {
    const { ended } = await body(api.POST('/users/me/sessions/end-others'));
    notifications.show({ message: words.ended(ended) });
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  return (
    <Confirm opened={opened} onClose={onClose} title={words.endTitle} action={words.endOthers} run={end}>
      {words.endHint}
    </Confirm>
  );
}
