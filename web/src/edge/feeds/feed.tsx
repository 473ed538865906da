import { Button, Group, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { EmptyState } from '../../shared/empty-state';
import type { Column } from '../../shared/list/column';
import { DataTable } from '../../shared/list/data-table';
import { useSearchChange } from '../../shared/search-change';
import { ListStatus } from '../../shared/list/list-status';
import type { TabSearch } from '../../shared/tabs';
import { UpdatedAgo } from '../../shared/updated-ago';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { agentLines } from '../token/device-snippets';
import { type FeedPage, useHeldPage } from './use-held-page';

const words = text.edge.feeds;

/** Where in a feed the reader is; undefined: at its newest record. */
export function useCursor(): string | undefined {
  const { cursor }: TabSearch = useSearch({ strict: false });
  return cursor === undefined ? undefined : String(cursor);
}

interface FeedProps<T> {
  readonly label: string;
  readonly query: UseQueryResult<FeedPage<T>>;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly empty: string;
  /** What else makes it another feed than the one before, such as a filter. */
  readonly view?: string;
}

/** Records of a device, newest first, page by page into the past. */
export function Feed<T>({ label, query, columns, keyOf, empty, view = '' }: FeedProps<T>) {
  const cursor = useCursor();
  const held = useHeldPage(query.data, keyOf, `${view} ${cursor ?? ''}`, !query.isPlaceholderData);
  if (held.page === undefined) return <Reading query={query} />;
  const { items, total, total_capped: isCapped, next_cursor: next } = held.page;
  if (items.length === 0 && cursor === undefined)
    return (
      <EmptyState sentence={empty} code={view === '' ? agentLines(window.location.origin) : undefined} />
    );
  return (
    <Stack gap="sm">
      <ListStatus
        total={total}
        isCapped={isCapped}
        when={
          cursor === undefined ? (
            <UpdatedAgo at={query.dataUpdatedAt} />
          ) : (
            <Text size="xs" c="dimmed">
              {words.paused}
            </Text>
          )
        }
        error={query.error}
        onRetry={() => void query.refetch()}
        news={{ fresh: cursor === undefined ? held.waiting : 0, gone: 0 }}
        onShow={held.show}
      />
      <DataTable label={label} columns={columns} rows={items} keyOf={keyOf} />
      <Turns isNewest={cursor === undefined} next={next} />
    </Stack>
  );
}

function Turns({ isNewest, next }: { isNewest: boolean; next: string | null }) {
  const change = useSearchChange();
  return (
    <Group gap="sm" justify="flex-end">
      {!isNewest && (
        <Button size="compact-md" variant="default" onClick={() => change({ cursor: undefined })}>
          {words.newest}
        </Button>
      )}
      {next !== null && (
        <Button size="compact-md" variant="default" onClick={() => change({ cursor: next })}>
          {words.older}
        </Button>
      )}
    </Group>
  );
}
