import { likePattern, type ListQuery } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { FILE_COLUMNS, type FileRow, type FileSort } from './dataset-file.repository.js';
import type { FileFilters, ListedDataset } from './file-list.types.js';
import type { FileMatchTotals } from './file-match-totals.js';

/** Beyond so many matches a search walks the list in its order instead of sorting what it found. */
const MOST_MATCHES = 10_000;

/** Files whose path has the text in it, without regard to case. */
export async function searchFiles(
  tx: TenantTransaction,
  dataset: ListedDataset,
  text: string,
  filters: FileFilters,
  list: ListQuery<FileSort>,
  totals: FileMatchTotals,
): Promise<{ items: FileRow[]; total: number }> {
  const search: Search = { tx, dataset, pattern: likePattern(text), filters, list };
  // What is remembered was too much to be sorted, with these filters or without.
  const known = totals.get(dataset, search);
  if ((known ?? totals.get(dataset, { ...search, filters: {} })) === null) {
    const rare = await searchRare(search);
    if (rare !== null) return rare;
  }
  const items = await walkMatches(search);
  const total = known ?? (await countMatches(search));
  totals.remember(dataset, search, total);
  return { items, total };
}

interface Search {
  readonly tx: TenantTransaction;
  readonly dataset: ListedDataset;
  readonly pattern: string;
  readonly filters: FileFilters;
  readonly list: ListQuery<FileSort>;
}

/** Page and total from one search by trigrams; null when it finds too many. */
async function searchRare({ tx, dataset, pattern, filters, list }: Search): Promise<{ items: FileRow[]; total: number } | null> {
  const params: unknown[] = [tx.tenantId, dataset.id, pattern, MOST_MATCHES + 1];
  const where = conditionsOf(filters, 'm', params);
  const rows = await tx.query<FileRow & { matched: number; total: number }>(
    `with matched as materialized (select * from search_dataset_file($2, $3, $4)),
       found as materialized (select m.id, m.path, m.size_bytes, m.created_at from matched m where ${['true', ...where].join(' and ')})
     select n.matched, n.total, f.* from (select (select count(*) from matched) as matched, (select count(*) from found) as total) n
     left join lateral (
       select ${FILE_COLUMNS} from (select k.id from found k where n.matched < $4 order by ${orderOf(list, 'k')} limit $${params.push(list.pageSize)} offset $${params.push(list.offset)}) page
       join dataset_file f on f.tenant_id = $1 and f.id = page.id) f on true
     order by ${orderOf(list, 'f')}`,
    params,
  );
  const [first] = rows;
  if (first === undefined || first.matched > MOST_MATCHES) return null;
  return { items: first.id === null ? [] : rows.map(({ matched, total, ...row }) => row), total: first.total };
}

/** By path the index alone is read until the page is full. */
async function walkMatches({ tx, dataset, pattern, filters, list }: Search): Promise<FileRow[]> {
  const params: unknown[] = [tx.tenantId, dataset.id, pattern, list.pageSize, list.offset];
  const where = ['k.tenant_id = $1', 'k.dataset_id = $2', 'k.path ilike $3', ...conditionsOf(filters, 'k', params)].join(' and ');
  const key = list.sort === 'path' ? 'path' : 'id';
  return tx.query<FileRow>(
    `select ${FILE_COLUMNS} from (select k.${key} from dataset_file k where ${where} order by ${orderOf(list, 'k')} limit $4 offset $5) page
     join dataset_file f on f.tenant_id = $1 and f.dataset_id = $2 and f.${key} = page.${key} order by ${orderOf(list, 'f')}`,
    params,
  );
}

async function countMatches({ tx, dataset, pattern, filters }: Search): Promise<number> {
  const params: unknown[] = [tx.tenantId, dataset.id, pattern];
  const where = ['f.tenant_id = $1', 'f.dataset_id = $2', 'f.path ilike $3', ...conditionsOf(filters, 'f', params)].join(' and ');
  return (await tx.query<{ n: number }>(`select count(*) as n from dataset_file f where ${where}`, params))[0]?.n ?? 0;
}

/** Adds the values to `params`. */
const conditionsOf = (filters: FileFilters, alias: string, params: unknown[]): string[] =>
  (['status', 'kind', 'origin'] as const).flatMap((name) => (filters[name] === undefined ? [] : [`${alias}.${name} = $${params.push(filters[name])}`]));

const orderOf = ({ sort, order }: ListQuery<FileSort>, alias: string): string =>
  sort === 'path' ? `${alias}.path collate "C" ${order}` : `${alias}.${sort} ${order}, ${alias}.id ${order}`;
