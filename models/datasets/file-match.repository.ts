import { likePattern, type ListQuery } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { ANCHORED_FROM, locateAnchor } from './file-anchors.js';
import { filterConditions, isByName, matchCondition, nameCondition, namesFrom, orderOf } from './file-conditions.js';
import type { FileSort, ListedDataset } from './file-list.types.js';
import { type FileListMemory, HEAD } from './file-list-memory.js';
import { type FileMatch, matchKey } from './file-match.rules.js';

/** Beyond so many matches a list is walked in its order instead of sorting what was found. */
const MOST_MATCHES = 10_000;

interface Search {
  readonly tx: TenantTransaction;
  readonly dataset: ListedDataset;
  readonly match: FileMatch;
  /** Null: what is found holds for now. */
  readonly key: string | null;
  readonly list: ListQuery<FileSort>;
  readonly memory: FileListMemory;
}

/** Part of a list. */
interface Window {
  readonly limit: number;
  readonly offset: number;
}

/** The ids of a page of the files that match, in the order of the list, and how many match in all. */
export async function findMatches(
  tx: TenantTransaction,
  dataset: ListedDataset,
  match: FileMatch,
  list: ListQuery<FileSort>,
  memory: FileListMemory,
): Promise<{ ids: readonly string[]; total: number }> {
  const key = matchKey(dataset, match);
  const order = `${list.sort} ${list.order}`;
  const end = list.offset + list.pageSize;
  const head = memory.headOf(key, order);
  if (head && (end <= head.ids.length || head.ids.length === head.total)) return { ids: head.ids.slice(list.offset, end), total: head.total };
  const startsHead = key !== null && end <= HEAD;
  const window = startsHead ? { limit: HEAD, offset: 0 } : { limit: list.pageSize, offset: list.offset };
  const search = { tx, dataset, match, key, list, memory };
  const { ids, total } = await find(search, window);
  memory.keepTotal(key, total);
  if (!startsHead) return { ids, total };
  memory.keepHead(key, order, ids);
  return { ids: ids.slice(list.offset, end), total };
}

/** A page of the whole list, far from its start: entries of the index are skipped, never rows. */
export const findDeepPage = (tx: TenantTransaction, dataset: ListedDataset, list: ListQuery<FileSort>, memory: FileListMemory): Promise<string[]> => {
  const match = { text: null, filters: {} };
  return walk(
    { tx, dataset, match, key: matchKey(dataset, match), list, memory },
    { limit: list.pageSize, offset: list.offset },
    { total: dataset.file_count, first: '', last: null },
  );
};

async function find(search: Search, window: Window): Promise<{ ids: string[]; total: number }> {
  const known = search.memory.totalOf(search.key);
  if (known === null || known <= MOST_MATCHES) {
    const few = await findFew(search, window);
    if (few !== null) return few;
  }
  const extent = known === null ? await measure(search) : { total: known, first: '', last: null };
  return { ids: await walk(search, window, extent), total: extent.total };
}

/** Everything that matches in one go, by trigrams where a text is looked for; null when it is too much. */
async function findFew({ tx, dataset, match, list }: Search, { limit, offset }: Window): Promise<{ ids: string[]; total: number } | null> {
  const params: unknown[] = [tx.tenantId, dataset.id, MOST_MATCHES + 1, limit, offset];
  const where = filterConditions(match, 'm', params);
  const source =
    match.text === null
      ? `select m.id, m.path, m.size_bytes, m.created_at, true as is_found from dataset_file m where m.tenant_id = $1 and m.dataset_id = $2 and ${where.join(' and ')} limit $3`
      : `select m.id, m.path, m.size_bytes, m.created_at, ${['$1::uuid is not null', ...where].join(' and ')} as is_found from search_dataset_file($2, $${params.push(likePattern(match.text))}, $3) m`;
  const [row] = await tx.query<{ matched: number; total: number; ids: string[] }>(
    `with matched as materialized (${source}), n as materialized (select count(*) as matched, count(*) filter (where is_found) as total from matched)
     select n.matched, n.total, array(select k.id from matched k where k.is_found and n.matched < $3 order by ${orderOf(list, 'k')} limit $4 offset $5) as ids from n`,
    params,
  );
  return row === undefined || row.matched > MOST_MATCHES ? null : { ids: row.ids, total: row.total };
}

/** How much of a list there is, and between which paths. */
interface Extent {
  readonly total: number;
  readonly first: string;
  /** Null: to the end. */
  readonly last: string | null;
}

/** Reads the index of names or, for other properties, all rows. */
async function measure({ tx, dataset, match }: Search): Promise<Extent> {
  const params: unknown[] = [tx.tenantId, dataset.id];
  const ends = match.text === null ? '' : ', min(k.path) as first, max(k.path) as last';
  const [row] = await tx.query<{ total: number; first?: string | null; last?: string | null }>(
    `select count(*) as total${ends} from dataset_file k where ${matchCondition(match, 'k', params)}`,
    params,
  );
  return { total: row?.total ?? 0, first: row?.first ?? '', last: row?.last ?? null };
}

async function walk(search: Search, { limit, offset }: Window, extent: Extent): Promise<string[]> {
  const { tx, dataset, match, key, list, memory } = search;
  if (offset >= extent.total) return [];
  const params: unknown[] = [tx.tenantId, dataset.id, limit, offset];
  if (list.sort !== 'path')
    return idsOf(tx, `select k.id from dataset_file k where ${matchCondition(match, 'k', params)} order by ${orderOf(list, 'k')} limit $3 offset $4`, params);
  if (offset < ANCHORED_FROM || key === null) return byPath(search, { limit, offset }, extent, list.order);
  // The last pages of the list upside down are the first ones of the list.
  const end = list.order === 'asc' ? offset + limit : extent.total - offset;
  const start = list.order === 'asc' ? offset : Math.max(0, end - limit);
  const { from, skip } = await locateAnchor(tx, { datasetId: dataset.id, match, key }, start, memory);
  const ids = await byPath(search, { limit: end - start, offset: skip }, { ...extent, first: from === '' ? extent.first : from }, 'asc');
  return list.order === 'asc' ? ids : ids.reverse();
}

/** Of names the index alone is read, until the page is full. */
function byPath({ tx, dataset, match }: Search, { limit, offset }: Window, { first, last }: Extent, order: 'asc' | 'desc'): Promise<string[]> {
  const params: unknown[] = [tx.tenantId, dataset.id, limit, offset, first];
  const end = last === null ? null : `$${params.push(last)}`;
  const page = isByName(match)
    ? `select k.path from ${namesFrom('$5', order, end)} k where ${nameCondition(match, 'k', params)} limit $3 offset $4`
    : `select k.path from dataset_file k where ${matchCondition(match, 'k', params)} and k.path >= $5${end === null ? '' : ` and k.path <= ${end}`} order by k.path ${order} limit $3 offset $4`;
  return idsOf(tx, `select f.id from (${page}) page join dataset_file f on f.tenant_id = $1 and f.dataset_id = $2 and f.path = page.path order by f.path ${order}`, params);
}

const idsOf = async (tx: TenantTransaction, sql: string, params: readonly unknown[]): Promise<string[]> => (await tx.query<{ id: string }>(sql, params)).map(({ id }) => id);
