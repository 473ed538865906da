import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../../../core/errors/app-error.js';
import { likePattern, type ListQuery } from '../../../core/paging/page.js';
import { MAX_CLASSES } from '../../../formats/annotations/annotation.types.js';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { TASK_NAMES } from './dataset-tasks.sql.js';
import type {
  ClassCount,
  CountedClasses,
  DatasetStatus,
  FileKind,
  FileStatus,
  ValidationReport,
} from './dataset.types.js';

/** Classes that an answer lists. */
const MAX_CLASSES_SHOWN = 1000;
const SHOWN = sql.lit(`$[0 to ${MAX_CLASSES_SHOWN - 1}]`);
const counted = (classes: RawBuilder<unknown>) =>
  sql<CountedClasses>`jsonb_build_object(
    'shown', jsonb_path_query_array(${classes}, ${SHOWN}), 'total', jsonb_array_length(${classes}))`;

const SHOWN_CLASSES = sql<CountedClasses | null>`case when v.id is not null
  then ${counted(sql.ref('v.classes'))} end`;

/** Statistics may be large, and a page has many datasets: of them, lists have the number of images. */
const LISTED_REPORT = sql<ValidationReport | null>`d.validation || jsonb_build_object(
  'stats', jsonb_strip_nulls(jsonb_build_object('images', d.validation #> '{stats,images}')))`;

const datasets = (
  tx: TenantTransaction,
  report: RawBuilder<ValidationReport | null>,
  classes: RawBuilder<CountedClasses | null>,
) =>
  tx.kysely
    .selectFrom('dataset as d')
    .leftJoin('dataset_version as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.versionId'),
    )
    .select(['d.id', 'd.key', 'd.name', 'd.modality', 'd.source', 'd.schemaVersion', 'd.declaredRecords'])
    .select(['d.declaredBytes', 'd.format', 'd.keyFields', 'd.variables', 'd.tableColumns', 'd.tableRows'])
    .select(['d.storageUri', 'd.externalSource', 'd.activeSyncId', 'd.status', 'd.validationStatus'])
    .select(['d.validationChecked', 'd.revision', 'd.fileCount', 'd.fileBytes', 'd.createdBy'])
    .select(['d.createdAt', 'd.updatedAt', 'v.digest', 'v.createdAt as frozenAt', 'v.annotationFormat'])
    .select([report.as('validation'), classes.as('classes'), TASK_NAMES.as('taskNames')])
    .where('d.tenantId', '=', tx.tenantId);

/**
 * A dataset with its frozen version, whose `digest`, `classes`, `frozenAt`, `annotationFormat` and `taskNames` (tasks of
 * training that its annotations serve) are null unless FROZEN. `tableColumns` are those of its first table and `tableRows`
 * the rows of all, as the last validation that passed found them; null where they were not counted.
 */
export type DatasetRow = Awaited<ReturnType<ReturnType<typeof datasets>['executeTakeFirstOrThrow']>>;

export const DATASET_SORT_KEYS = [
  'name',
  'id',
  'created_at',
  'updated_at',
  'status',
  'size_bytes',
  'file_count',
] as const;
export type DatasetSort = (typeof DATASET_SORT_KEYS)[number];

const SORT_COLUMN = {
  name: 'd.name',
  id: 'd.key',
  created_at: 'd.createdAt',
  updated_at: 'd.updatedAt',
  status: 'd.status',
  size_bytes: 'd.fileBytes',
  file_count: 'd.fileCount',
} as const satisfies Record<DatasetSort, string>;

export interface DatasetFilters {
  readonly source?: string;
  readonly status?: DatasetStatus;
  readonly externalSource?: string;
  /** The digest of a kept version: the current one, or one that something was made from. */
  readonly digest?: string;
}

export async function listDatasets(
  tx: TenantTransaction,
  { source, status, externalSource, digest }: DatasetFilters,
  { q, sort, order, pageSize, offset }: ListQuery<DatasetSort>,
): Promise<{ items: DatasetRow[]; total: number }> {
  let matching = tx.kysely.selectFrom('dataset as d').where('d.tenantId', '=', tx.tenantId);
  if (source !== undefined) matching = matching.where('d.source', '=', source);
  if (status !== undefined) matching = matching.where('d.status', '=', status);
  if (externalSource !== undefined) matching = matching.where('d.externalSource', '=', externalSource);
  if (digest !== undefined) matching = matching.where('d.id', 'in', datasetsOfDigest(tx, digest));
  // Searched once for both statements.
  if (q !== null) matching = matching.where('d.id', '=', anyOf(await searchDatasets(tx, q)));
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const ids = matching
    .select('d.id')
    .orderBy(SORT_COLUMN[sort], order)
    .orderBy('d.id')
    .limit(pageSize)
    .offset(offset);
  const items = await datasets(tx, LISTED_REPORT, sql<null>`null::jsonb`)
    .where('d.id', 'in', ids)
    .orderBy(SORT_COLUMN[sort], order)
    .orderBy('d.id')
    .execute();
  return { items, total };
}

const datasetsOfDigest = (tx: TenantTransaction, digest: string) =>
  tx.kysely
    .selectFrom('dataset_version')
    .where('tenantId', '=', tx.tenantId)
    .where('digest', '=', digest)
    .select('datasetId');

async function searchDatasets(tx: TenantTransaction, text: string): Promise<string[]> {
  const found = await tx.kysely
    .selectNoFrom(sql<string>`search_dataset(${likePattern(text)})`.as('id'))
    .execute();
  return found.map(({ id }) => id);
}

export async function findDataset(tx: TenantTransaction, key: string): Promise<DatasetRow | null> {
  const found = datasets(tx, sql<ValidationReport | null>`d.validation`, SHOWN_CLASSES);
  return (await found.where('d.key', '=', key).executeTakeFirst()) ?? null;
}

/** @throws AppError not_found */
export async function requireDataset(tx: TenantTransaction, key: string): Promise<DatasetRow> {
  const dataset = await findDataset(tx, key);
  if (!dataset) throw notFound('Dataset');
  return dataset;
}

/**
 * What a list of its files needs to know: the most frequent question, without reports and classes, which may be large.
 * @throws AppError not_found
 */
export async function requireListedDataset(
  tx: TenantTransaction,
  key: string,
): Promise<Pick<DatasetRow, 'id' | 'revision' | 'status' | 'fileCount'>> {
  const dataset = await tx.kysely
    .selectFrom('dataset')
    .select(['id', 'revision', 'status', 'fileCount'])
    .where('tenantId', '=', tx.tenantId)
    .where('key', '=', key)
    .executeTakeFirst();
  if (!dataset) throw notFound('Dataset');
  return dataset;
}

/** Classes of the frozen version by task; empty unless FROZEN. */
export async function findTaskClasses(
  tx: TenantTransaction,
  datasetId: string,
): Promise<Record<string, CountedClasses>> {
  const tasks = sql<{ task: string; classes: unknown }>`jsonb_each(v.tasks)`;
  const rows = await tx.kysely
    .selectFrom('dataset as d')
    .innerJoin('dataset_version as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.versionId'),
    )
    .crossJoinLateral(tasks.as<'t'>(sql`t(task, classes)`))
    .select(['t.task', counted(sql.ref('t.classes')).as('classes')])
    .where('d.tenantId', '=', tx.tenantId)
    .where('d.id', '=', datasetId)
    .orderBy('t.task')
    .execute();
  return Object.fromEntries(rows.map(({ task, classes }) => [task, classes]));
}

export interface FileSummary {
  readonly kind: FileKind;
  readonly status: FileStatus;
  readonly files: number;
  readonly bytes: number;
}

/** Files by kind and status. */
export const summarizeFiles = (tx: TenantTransaction, datasetId: string): Promise<FileSummary[]> =>
  tx.kysely
    .selectFrom('dataset_file')
    .select(['kind', 'status', sql<number>`sum(size_bytes)::bigint`.as('bytes')])
    .select(({ fn }) => fn.countAll<number>().as('files'))
    .where('tenantId', '=', tx.tenantId)
    .where('datasetId', '=', datasetId)
    .groupBy(['kind', 'status'])
    .orderBy('kind')
    .orderBy('status')
    .execute();

/** Images of a dataset by class, with the number of classes. */
const classes = (tx: TenantTransaction, datasetId: string, which: 'valid' | 'not invalid') =>
  tx.kysely
    .selectFrom((from) =>
      from
        .selectFrom('dataset_file')
        .select(['label as name', from.fn.countAll<number>().as('count')])
        .where('tenantId', '=', tx.tenantId)
        .where('datasetId', '=', datasetId)
        .where('kind', '=', 'image')
        .where('label', 'is not', null)
        .where('status', which === 'valid' ? '=' : '<>', which === 'valid' ? 'valid' : 'invalid')
        .groupBy('label')
        .as('c'),
    )
    .select(['c.name', 'c.count'])
    .select(({ fn }) => fn.countAll<number>().over().as('total'));

const BY_NAME = sql`name collate "C"`;

/** Valid images by class; by name. Any folder is a class: of too many the largest. */
export async function countClasses(tx: TenantTransaction, datasetId: string): Promise<CountedClasses> {
  const largest = classes(tx, datasetId, 'valid')
    .orderBy('c.count', 'desc')
    .orderBy(sql`c.name collate "C"`)
    .limit(MAX_CLASSES);
  return countedOf(await tx.kysely.selectFrom(largest.as('largest')).selectAll().orderBy(BY_NAME).execute());
}

/** The first classes of the images that are not invalid: those whose check is still to come count too. */
export async function headOfClasses(tx: TenantTransaction, datasetId: string): Promise<CountedClasses> {
  const head = classes(tx, datasetId, 'not invalid').orderBy(BY_NAME).limit(MAX_CLASSES_SHOWN);
  return countedOf(await head.execute());
}

const countedOf = (
  rows: ReadonlyArray<{ readonly name: string | null; readonly count: number; readonly total: number }>,
): CountedClasses => ({
  shown: rows.map(({ name, count }) => ({ name, count }) as ClassCount),
  total: rows[0]?.total ?? 0,
});
