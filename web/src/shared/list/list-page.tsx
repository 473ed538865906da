import { Button, Group, Pagination, Stack, Text } from '@mantine/core';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Reading } from '../reading';
import { text } from '../../text';
import { type SearchChange, useSearchChange } from '../search-change';
import { UpdatedAgo } from '../updated-ago';
import {
  type Column,
  type Filter,
  isFiltered,
  type ListSearch,
  PAGE_SIZE,
  pageInstead,
  type Sort,
  sortAfter,
  withoutFilters,
} from './column';
import { useHiddenColumns } from './column-chooser';
import { DataTable, type Selection } from './data-table';
import { ListStatus } from './list-status';
import { ListTools } from './list-tools';
import { isCurrent, useSteadyRows } from './steady-rows';

export interface PageOf<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly total_capped?: boolean;
}

interface ListProps<T> {
  /** Name of the list, for the reader and for what is remembered of its columns. */
  readonly label: string;
  readonly search: ListSearch;
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { signal: AbortSignal }) => Promise<PageOf<T>>;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** What a row is called where it is chosen; its key where that is left out. */
  readonly nameOf?: (row: T) => string;
  /** The order of the rows while nobody chooses another. */
  readonly defaultSort?: Sort;
  readonly filters?: readonly Filter[];
  /** False where the server has no search for it. */
  readonly isSearchable?: boolean;
  readonly empty: ReactNode;
  /** Buttons for the chosen rows; choosing is offered when it is given. */
  readonly bulk?: (rows: readonly T[], done: () => void) => ReactNode;
  /** Milliseconds between two looks. */
  readonly everyMs?: number;
  /** Another value, once the list is read again, shows new rows at once: for what the reader has just made. */
  readonly renewal?: number;
}

const EMPTY: readonly never[] = [];

/** A list that the server pages, sorts, searches and filters; all of it stands in the address. */
export function List<T>(props: ListProps<T>) {
  const { search, columns, keyOf, everyMs = 10_000 } = props;
  const query = useQuery({
    queryKey: props.queryKey,
    queryFn: ({ signal }) => props.queryFn({ signal }),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  });
  const view = JSON.stringify([props.queryKey, props.renewal]);
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());
  const steady = useSteadyRows({
    fresh: query.data?.items ?? (EMPTY as readonly T[]),
    keyOf,
    view,
    isOfView: isCurrent(query),
    own,
  });
  const [hidden, setHidden] = useHiddenColumns(props.label, columns);
  const [selection, setSelection] = useState<Selection>({});
  const change = useSearchChange();
  useLastPage(query, search.page ?? 1, change);
  const chosen = steady.rows.filter((row) => selection[keyOf(row)] && !steady.gone.has(keyOf(row)));
  const done = () => {
    setOwn(new Set([...own, ...Object.keys(selection)]));
    setSelection({});
  };
  if (query.data === undefined) return <Reading query={query} />;
  const { total } = query.data;
  const sort = search.sort ? { by: search.sort, order: search.order ?? 'asc' } : (props.defaultSort ?? null);
  return (
    <Stack gap="sm">
      <ListTools
        label={props.label}
        search={search}
        change={change}
        filters={props.filters ?? []}
        isSearchable={props.isSearchable !== false}
        columns={columns}
        hidden={hidden}
        onHidden={setHidden}
      />
      <ListStatus
        total={total}
        isCapped={query.data?.total_capped === true}
        when={<UpdatedAgo at={query.dataUpdatedAt} />}
        error={query.error}
        onRetry={() => void query.refetch()}
        news={{ fresh: steady.waiting, gone: steady.gone.size }}
        onShow={steady.show}
        bulk={
          props.bulk && chosen.length > 0
            ? { chosen: chosen.length, buttons: props.bulk(chosen, done) }
            : null
        }
      />
      {total === 0 && steady.rows.length === 0 ? (
        isFiltered(search) ? (
          <NothingFound onClear={() => change(withoutFilters(search))} />
        ) : (
          props.empty
        )
      ) : (
        <DataTable
          label={props.label}
          columns={columns}
          rows={steady.rows}
          gone={steady.gone}
          keyOf={keyOf}
          {...(props.nameOf && { nameOf: props.nameOf })}
          hidden={hidden}
          sort={sort}
          onSort={(column) => {
            const { by, order } = sortAfter(column, sort);
            change({ sort: by, order, page: undefined });
          }}
          selection={props.bulk && selection}
          onSelection={props.bulk && setSelection}
        />
      )}
      {total > PAGE_SIZE && (
        <Pagination
          size="sm"
          ml="auto"
          total={Math.ceil(total / PAGE_SIZE)}
          value={search.page ?? 1}
          onChange={(page) => change({ page: page === 1 ? undefined : page })}
          getControlProps={(control) => ({ 'aria-label': text.lists.page[control] })}
          getItemProps={(page) => ({ 'aria-label': text.lists.pageNumber(page) })}
        />
      )}
    </Stack>
  );
}

/** Goes to the last page when the one that is asked for is there no more: its only row was deleted, or the link is old. */
function useLastPage<T>(query: UseQueryResult<PageOf<T>>, page: number, change: SearchChange): void {
  const isRead = query.data !== undefined && !query.isPlaceholderData && !query.isFetching;
  const last = isRead ? pageInstead(page, query.data) : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` is another function at each render and does the same
  useEffect(() => {
    if (last !== null) change({ page: last === 1 ? undefined : last }, { replace: true });
  }, [last]);
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Group gap="sm" p="md">
      <Text>{text.lists.nothingFound}</Text>
      <Button size="compact-sm" variant="default" onClick={onClear}>
        {text.lists.clear}
      </Button>
    </Group>
  );
}
