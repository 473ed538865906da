import { type QueryClient, useQueries, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Tenant, useTenant } from '../../app/session';
import { groupOf } from '../annotations/groups';
import {
  type DatasetDetail,
  type DatasetFile,
  filesQuery,
  type FilesQuery,
  listFiles,
  versionOf,
} from '../queries';

const PAGE = 200;

/** Pictures by their place in the list, of which only those near the window are known. */
export interface Images {
  readonly count: number;
  /** False while nobody knows how many there are. */
  readonly isExact: boolean;
  readonly at: (index: number) => DatasetFile | undefined;
  /** Ids of the files whose annotations are asked for together with those of this one. */
  readonly group: (index: number) => readonly string[];
  /** Says which are in sight. */
  readonly need: (first: number, last: number) => void;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

/** With a filter the server counts pages up to here; further ones are reached one after the other. */
const MOST_BY_PAGE = 10_000;

/** A page of pictures; one beyond the server's reach asks for the page before it first, which the cache keeps. */
function pageQuery(
  client: QueryClient,
  tenant: Tenant,
  dataset: DatasetDetail,
  query: FilesQuery,
  page: number,
): FilesOptions {
  const isReached = !isFiltered(query) || (page + 1) * PAGE <= MOST_BY_PAGE;
  const options = filesQuery(
    tenant,
    dataset.id,
    { ...query, page: page + 1, page_size: PAGE },
    versionOf(dataset),
  );
  if (isReached) return options;
  return {
    ...options,
    queryFn: async ({ signal }) => {
      const before = await client.fetchQuery(pageQuery(client, tenant, dataset, query, page - 1));
      if (before.next === null) return { ...before, items: [] };
      return listFiles(tenant, dataset.id, { ...query, page_size: PAGE, after: before.next }, signal);
    },
  };
}

type FilesOptions = ReturnType<typeof filesQuery>;

const isFiltered = ({ sort: _sort, order: _order, ...filters }: FilesQuery): boolean =>
  Object.values(filters).some((value) => value !== undefined);

/**
 * Pictures by pages of the server, which may be asked for in any order: the scroll bar may jump.
 * @param focus the picture that is open large, whose neighbours are wanted too
 */
export function usePagedImages(
  dataset: DatasetDetail,
  query: FilesQuery,
  total: number | null,
  focus: number | null,
): Images {
  const tenant = useTenant();
  const client = useQueryClient();
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  // The first page stays: it has the total while others are on their way.
  const wanted = new Set([0]);
  for (let page = range[0]; page <= range[1]; page++) wanted.add(page);
  if (focus !== null)
    for (const index of [focus - 1, focus, focus + 1]) wanted.add(Math.max(0, Math.floor(index / PAGE)));
  const pages = [...wanted].sort((a, b) => a - b);
  const results = useQueries({
    queries: pages.map((page) => pageQuery(client, tenant, dataset, query, page)),
  });
  const known = new Map(pages.map((page, at) => [page, results[at]?.data]));
  const some = known.get(0);
  // With filters the server counts up to 10,000; beyond, the list grows as it is scrolled.
  const last = [...known].findLast(([, page]) => page !== undefined);
  const reached = last ? last[0] * PAGE + (last[1]?.items.length ?? 0) + (last[1]?.next ? PAGE : 0) : 0;
  const isCapped = total === null && some?.total_capped === true;
  const failed = results.find(({ error }) => error !== null);
  return {
    count: total ?? (isCapped ? Math.max(reached, some?.total ?? 0) : (some?.total ?? 0)),
    isExact: !isCapped,
    at: (index) => known.get(Math.floor(index / PAGE))?.items[index % PAGE],
    group: (index) => groupOf(known.get(Math.floor(index / PAGE))?.items ?? [], index % PAGE),
    need: (first, end) => {
      const [from, until] = [Math.floor(first / PAGE), Math.floor(Math.max(first, end) / PAGE)];
      if (from !== range[0] || until !== range[1]) setRange([from, until]);
    },
    isLoading: some === undefined && failed === undefined && results.some((result) => result.isPending),
    error: failed?.error ?? null,
    retry: () => {
      for (const result of results) if (result.error !== null) void result.refetch();
    },
  };
}
