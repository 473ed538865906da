import { likePattern, type ListQuery } from '../../../core/paging/page.js';
import { MAX_COUNTED } from '../../../core/paging/capped-page.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import {
  filterConditions,
  matchCondition,
  nameCondition,
  namesFrom,
  orderOf,
  placeCondition,
} from './file-conditions.sql.js';
import type { FileSort, FileWindow } from './file-list.types.js';
import { type FileMatch, isByName } from './file-match.rules.js';

export interface FileSearch {
  readonly tx: TenantTransaction;
  readonly datasetId: string;
  readonly match: FileMatch;
  readonly list: Pick<ListQuery<FileSort>, 'sort' | 'order'>;
  readonly window: FileWindow;
}

/** The paths of the files that match within the window, in the order of the list, and how many match: one more than are counted at most. */
export async function findMatches(
  search: FileSearch,
): Promise<{ paths: readonly string[]; counted: number }> {
  const { paths, matched, counted } = await findFew(search);
  if (matched <= MAX_COUNTED) return { paths, counted };
  const isTextOnly = search.match.text === null || isByName(search.match);
  return { paths: await walk(search), counted: isTextOnly ? matched : await count(search) };
}

/**
 * Everything that matches in one go, by trigrams where a text is looked for.
 * @returns no paths where more than MAX_COUNTED have the text or the properties
 */
async function findFew({ tx, datasetId, match, list, window }: FileSearch): Promise<{
  /** How many have the text; filters leave `counted` of them. */
  matched: number;
  counted: number;
  paths: string[];
}> {
  const { limit, offset } = window;
  const params: unknown[] = [tx.tenantId, datasetId, MAX_COUNTED + 1, limit, offset];
  const where = filterConditions(match, 'm', params);
  const source =
    match.text === null
      ? `select m.id, m.path, m.size_bytes, m.created_at, true as is_found from dataset_file m where m.tenant_id = $1 and m.dataset_id = $2 and ${where.join(' and ')} limit $3`
      : `select m.id, m.path, m.size_bytes, m.created_at, ${['$1::uuid is not null', ...where].join(' and ')} as is_found from ${searchedFiles(`$${params.push(likePattern(match.text))}`, where.length > 0)}`;
  const [row] = await tx.rows<{ matched: number; counted: number; paths: string[] }>(
    `with matched as materialized (${source}), n as materialized (select count(*) as matched, count(*) filter (where is_found) as counted from matched)
     select n.matched, n.counted, array(select k.path from matched k where k.is_found and n.matched < $3 and ${placeCondition(list, window, 'k', params)} order by ${orderOf(list, 'k')} limit $4 offset $5) as paths from n`,
    params,
  );
  return row as NonNullable<typeof row>;
}

/** What the search knows of a file is not all that filters ask for. */
const searchedFiles = (pattern: string, isFiltered: boolean): string =>
  isFiltered
    ? `search_dataset_file($2, ${pattern}, $3) s join dataset_file m on m.tenant_id = $1 and m.id = s.id`
    : `search_dataset_file($2, ${pattern}, $3) m`;

/** Filters the matching files by properties. */
async function count({ tx, datasetId, match }: FileSearch): Promise<number> {
  const params: unknown[] = [tx.tenantId, datasetId, MAX_COUNTED + 1];
  const [row] = await tx.rows<{ counted: number }>(
    `select count(*) as counted from (select 1 from dataset_file k where ${matchCondition(match, 'k', params)} limit $3) found`,
    params,
  );
  return row?.counted ?? 0;
}

async function walk(search: FileSearch): Promise<string[]> {
  const { text, params } = walkStatement(search);
  return (await search.tx.rows<{ path: string }>(text, params)).map(({ path }) => path);
}

/** The paths within the window by the index of its order: those before them are skipped as entries of the index, not as rows. */
export function walkStatement({ tx, datasetId, match, list, window }: FileSearch): {
  text: string;
  params: readonly unknown[];
} {
  const params: unknown[] = [tx.tenantId, datasetId, window.limit, window.offset];
  const isPlain = list.sort !== 'path' || !isByName(match);
  const place = placeCondition(list, window, isPlain ? 'k' : 'n', params);
  const text = isPlain
    ? `select k.path from dataset_file k where ${matchCondition(match, 'k', params)} and ${place} order by ${orderOf(list, 'k')} limit $3 offset $4`
    : `select k.path from ${namesFrom(place, list.order)} k where ${nameCondition(match, 'k', params)} limit $3 offset $4`;
  return { text, params };
}
