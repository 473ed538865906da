import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconPointFilled } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import type { Column } from '../../shared/list/column';
import { wordOf } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { pageOfLink } from './page-of-link';

export type Entry = Schemas['NotificationOut'];
const words = text.people.feed;

/** @param shown tenant of the feed @param onRead marks entries as read */
export const feedColumns = (
  shown: string,
  onRead: (entries: readonly Entry[]) => void,
): ReadonlyArray<Column<Entry>> => [
  { id: 'what', label: words.what, cell: (entry) => <What entry={entry} shown={shown} onRead={onRead} /> },
  {
    id: 'state',
    label: words.state,
    cell: (entry) =>
      entry.read ? (
        <Text c="dimmed">{words.isRead}</Text>
      ) : (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onRead([entry])}
          aria-label={`${words.read}: ${entry.title}`}
        >
          {words.read}
        </Button>
      ),
  },
  { id: 'group', label: words.group, cell: ({ group }) => wordOf(group) },
  {
    id: 'tenant',
    label: text.people.account.tenant,
    isExtra: true,
    cell: ({ tenant_code }) => tenant_code ?? words.platform,
  },
  { id: 'when', label: words.when, cell: ({ updated_at }) => <Time iso={updated_at} /> },
];

function What({
  entry,
  shown,
  onRead,
}: {
  entry: Entry;
  shown: string;
  onRead: (entries: readonly Entry[]) => void;
}) {
  const page = pageOfLink(entry.link, shown);
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start" miw={220}>
      <IconPointFilled
        size={14}
        aria-label={entry.read ? undefined : words.unread}
        aria-hidden={entry.read}
        style={{
          color: 'var(--mantine-primary-color-filled)',
          visibility: entry.read ? 'hidden' : undefined,
          flexShrink: 0,
          marginTop: 4,
        }}
      />
      <Stack gap={0}>
        {page === null ? (
          <Text fw={entry.read ? 400 : 600}>{entry.title}</Text>
        ) : (
          <Anchor
            fw={entry.read ? 400 : 600}
            onClick={() => {
              if (!entry.read) onRead([entry]);
            }}
            renderRoot={(props: object) => (
              <Link
                to={page.to as never}
                params={page.params as never}
                search={page.search as never}
                {...props}
              />
            )}
          >
            {entry.title}
          </Anchor>
        )}
        {entry.body !== '' && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {entry.body}
          </Text>
        )}
      </Stack>
    </Group>
  );
}
