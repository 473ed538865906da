import type { TenantTransaction } from '../orm/transaction.js';
import { isByName, matchCondition, nameCondition, namesFrom } from './file-conditions.js';
import type { FileListMemory } from './file-list-memory.js';
import type { FileMatch } from './file-match.rules.js';

/** Every so many rows of a list the path is remembered. */
const STEP = 1000;
/** Pages nearer to the start need no anchor. */
export const ANCHORED_FROM = 2 * STEP;

/**
 * Where a page deep in a list by path begins: at the path of the nearest 1,000th file before it. A page then costs what
 * the first one costs and at most 1,000 entries more, instead of all entries before it. Anchors are found when they are
 * first needed and hold as long as the list's key.
 * @returns the path to begin at, and how many files of the list from there come before the page
 */
export async function locateAnchor(
  tx: TenantTransaction,
  { datasetId, match, key }: { readonly datasetId: string; readonly match: FileMatch; readonly key: string },
  offset: number,
  memory: FileListMemory,
): Promise<{ from: string; skip: number }> {
  const wanted = Math.floor(offset / STEP);
  let anchors = memory.anchorsOf(key);
  if (anchors.length < wanted) anchors = [...anchors, ...(await findAnchors(tx, datasetId, match, anchors.at(-1) ?? '', wanted - anchors.length))];
  memory.keepAnchors(key, anchors);
  const place = Math.min(wanted, anchors.length);
  return { from: anchors[place - 1] ?? '', skip: offset - place * STEP };
}

async function findAnchors(tx: TenantTransaction, datasetId: string, match: FileMatch, from: string, count: number): Promise<string[]> {
  const params: unknown[] = [tx.tenantId, datasetId, from, count];
  const rows = await tx.query<{ path: string }>(isByName(match) ? hops(match, params) : numbered(match, params), params);
  return rows.map(({ path }) => path);
}

/** From anchor to anchor by the index of names alone: half of what numbering every entry takes. */
const hops = (match: FileMatch, params: unknown[]): string =>
  `with recursive anchor (path, place) as (
     (select k.path, 1 from ${namesFrom('$3')} k where ${nameCondition(match, 'k', params)} offset ${STEP} limit 1)
     union all select next.path, a.place + 1 from anchor a cross join lateral (
       select k.path from ${namesFrom('a.path')} k where ${nameCondition(match, 'k', params)} offset ${STEP} limit 1) next where a.place < $4)
   select path from anchor order by path`;

const numbered = (match: FileMatch, params: unknown[]): string =>
  `select path from (
     select path, row_number() over (order by path) as place from (
       select k.path from dataset_file k where ${matchCondition(match, 'k', params)} and k.path >= $3 order by k.path limit $4::int * ${STEP} + 1) entries) listed
   where place > 1 and place % ${STEP} = 1 order by path`;
