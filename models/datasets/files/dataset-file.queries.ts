import { sql } from 'kysely';
import type { ListQuery } from '../../../core/paging/page.js';
import { anyOf } from '../../orm/any-of.js';
import { boundSql } from '../../orm/bound-sql.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { orderOf } from './file-conditions.sql.js';
import type { FileSort, FileWindow, ListedDataset } from './file-list.types.js';
import { type FileMatch, isWhole } from './file-match.rules.js';
import { type FileSearch, findMatches, walkStatement } from './file-match.sql.js';
import { sampleFileIds } from './file-sample.sql.js';
import { microsecondsOf } from '../../orm/capped-list.js';

const files = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('dataset_file as f')
    .select(['f.id', 'f.datasetId', 'f.path', 'f.sha256', 'f.sizeBytes', 'f.objectKey', 'f.mediaType'])
    .select(['f.kind', 'f.status', 'f.reason', 'f.origin', 'f.label', 'f.width', 'f.height'])
    .select(['f.previewKey', 'f.createdBy', 'f.createdAt', 'f.updatedAt'])
    .select(microsecondsOf('f.createdAt').as('createdAtUs'))
    .where('f.tenantId', '=', tx.tenantId);

export type FileRow = Awaited<ReturnType<ReturnType<typeof files>['executeTakeFirstOrThrow']>>;

/**
 * Files of a dataset: those whose path has the text in it and that have these properties.
 * @returns `counted`: how many there are, for the whole list exactly, otherwise one more than MAX_COUNTED at most
 */
export async function listFiles(
  tx: TenantTransaction,
  dataset: ListedDataset,
  match: FileMatch,
  list: Pick<ListQuery<FileSort>, 'sort' | 'order'>,
  window: FileWindow,
): Promise<{ rows: FileRow[]; counted: number }> {
  const search = { tx, datasetId: dataset.id, match, list, window };
  if (isWhole(match)) return { rows: await listAllFiles(search), counted: dataset.fileCount };
  const { paths, counted } = await findMatches(search);
  const rows = await files(tx)
    .where('f.datasetId', '=', dataset.id)
    .where('f.path', '=', anyOf(paths))
    .orderBy(sql.raw(orderOf(list, 'f')))
    .execute();
  return { rows, counted };
}

/** One statement, because every list begins with this one. */
function listAllFiles(search: FileSearch): Promise<FileRow[]> {
  const { text, params } = walkStatement(search);
  return files(search.tx)
    .innerJoin(boundSql<{ path: string }>(`(${text})`, params).as('page'), 'page.path', 'f.path')
    .where('f.datasetId', '=', search.datasetId)
    .orderBy(sql.raw(orderOf(search.list, 'f')))
    .execute();
}

async function findInOrder(tx: TenantTransaction, ids: readonly string[]): Promise<FileRow[]> {
  const found = await findFiles(tx, ids);
  return ids.flatMap((id) => found.get(id) ?? []);
}

export async function findFile(
  tx: TenantTransaction,
  datasetKey: string,
  fileId: string,
): Promise<FileRow | null> {
  const found = await files(tx)
    .innerJoin('dataset as d', (join) =>
      join.onRef('d.tenantId', '=', 'f.tenantId').onRef('d.id', '=', 'f.datasetId'),
    )
    .where('d.key', '=', datasetKey)
    .where('f.id', '=', fileId)
    .executeTakeFirst();
  return found ?? null;
}

/** By id; those that are there. */
export async function findFiles(
  tx: TenantTransaction,
  ids: readonly string[],
): Promise<Map<string, FileRow>> {
  if (ids.length === 0) return new Map();
  const rows = await files(tx).where('f.id', '=', anyOf(ids)).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Images, spread over the classes: the first of every class before the second of any. */
export const sampleFiles = async (
  tx: TenantTransaction,
  datasetId: string,
  limit: number,
): Promise<FileRow[]> => findInOrder(tx, await sampleFileIds(tx, datasetId, limit));

/** Files with rows, by path. */
export const findTables = (tx: TenantTransaction, datasetId: string, limit: number): Promise<FileRow[]> =>
  files(tx)
    .where('f.datasetId', '=', datasetId)
    .where('f.kind', '=', 'tabular')
    .orderBy('f.path')
    .limit(limit)
    .execute();

export async function hasImages(tx: TenantTransaction, datasetId: string): Promise<boolean> {
  const found = await tx.kysely
    .selectFrom('dataset_file')
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('datasetId', '=', datasetId)
    .where('kind', '=', 'image')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
