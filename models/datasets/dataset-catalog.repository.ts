import { notFound } from '../../core/errors/app-error.js';
import { likePattern, type ListQuery } from '../../core/paging/page.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { type AnnotationFormat, MAX_CLASSES } from './annotations/annotation.types.js';
import type { ClassCount, CountedClasses, DatasetStatus, FileKind, FileStatus, ValidationReport, ValidationStatus } from './dataset.types.js';

export interface DatasetRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly modality: string;
  readonly source: string;
  readonly schema_version: string | null;
  readonly declared_records: number;
  readonly declared_bytes: number;
  readonly format: string;
  readonly key_fields: Array<Record<string, unknown>>;
  readonly variables: Array<Record<string, unknown>>;
  /** Columns of its first table and rows of all, as the last validation that passed found them; null where they were not counted. */
  readonly table_columns: Array<Record<string, unknown>>;
  readonly table_rows: number | null;
  readonly storage_uri: string | null;
  readonly external_source: string | null;
  readonly active_sync_id: string | null;
  readonly status: DatasetStatus;
  readonly validation_status: ValidationStatus;
  readonly validation: ValidationReport | null;
  readonly validation_checked: number;
  /** Counts the changes of files. */
  readonly revision: number;
  readonly file_count: number;
  readonly file_bytes: number;
  /** Of the frozen version; null unless FROZEN. */
  readonly digest: string | null;
  readonly classes: CountedClasses | null;
  readonly frozen_at: Date | null;
  readonly annotation_format: AnnotationFormat | null;
  /** Tasks of training that the frozen version's annotations serve. */
  readonly task_names: string[] | null;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const select = (
  validation: string,
  classes: string,
) => `select d.id, d.key, d.name, d.modality, d.source, d.schema_version, d.declared_records, d.declared_bytes, d.format, d.key_fields, d.variables, d.table_columns, d.table_rows,
  d.storage_uri, d.external_source, d.active_sync_id, d.status, d.validation_status, ${validation} as validation, d.validation_checked, d.revision, d.file_count, d.file_bytes,
  v.digest, ${classes} as classes, v.created_at as frozen_at, v.annotation_format, (select array_agg(t.name order by t.name) from jsonb_object_keys(v.tasks) as t (name)) as task_names, d.created_by, d.created_at, d.updated_at
  from dataset d left join dataset_version v on v.tenant_id = d.tenant_id and v.id = d.version_id`;
/** Classes that an answer lists. */
const MAX_CLASSES_SHOWN = 1000;
const counted = (classes: string) => `jsonb_build_object('shown', jsonb_path_query_array(${classes}, '$[0 to ${MAX_CLASSES_SHOWN - 1}]'), 'total', jsonb_array_length(${classes}))`;
const SELECT_ONE = select('d.validation', `case when v.id is not null then ${counted('v.classes')} end`);
/** Statistics and classes may be large, and a page has many datasets: of them, lists have the number of images. */
const SELECT_LISTED = select(`d.validation || jsonb_build_object('stats', jsonb_strip_nulls(jsonb_build_object('images', d.validation #> '{stats,images}')))`, 'null::jsonb');

export const DATASET_SORT_KEYS = ['name', 'id', 'created_at', 'updated_at', 'status', 'size_bytes', 'file_count'] as const;
export type DatasetSort = (typeof DATASET_SORT_KEYS)[number];

const SORT_COLUMN: Readonly<Record<DatasetSort, string>> = {
  name: 'd.name',
  id: 'd.key',
  created_at: 'd.created_at',
  updated_at: 'd.updated_at',
  status: 'd.status',
  size_bytes: 'd.file_bytes',
  file_count: 'd.file_count',
};

export interface DatasetFilters {
  readonly source?: string;
  readonly status?: DatasetStatus;
  readonly external_source?: string;
}

export async function listDatasets(tx: TenantTransaction, filters: DatasetFilters, list: ListQuery<DatasetSort>): Promise<{ items: DatasetRow[]; total: number }> {
  const params: unknown[] = [tx.tenantId];
  const conditions = ['d.tenant_id = $1'];
  for (const name of ['source', 'status', 'external_source'] as const) if (filters[name] !== undefined) conditions.push(`d.${name} = $${params.push(filters[name])}`);
  // Searched once for both statements.
  if (list.q !== null) conditions.push(`d.id = any($${params.push(await searchDatasets(tx, list.q))}::uuid[])`);
  const where = conditions.join(' and ');
  const total = (await tx.query<{ n: number }>(`select count(*) as n from dataset d where ${where}`, params))[0]?.n ?? 0;
  const page = [...params, list.pageSize, list.offset];
  const items = await tx.query<DatasetRow>(
    `${SELECT_LISTED} where ${where} order by ${SORT_COLUMN[list.sort]} ${list.order}, d.id limit $${page.length - 1} offset $${page.length}`,
    page,
  );
  return { items, total };
}

async function searchDatasets(tx: TenantTransaction, text: string): Promise<string[]> {
  return (await tx.query<{ id: string }>('select search_dataset($1) as id', [likePattern(text)])).map(({ id }) => id);
}

export async function findDataset(tx: TenantTransaction, key: string): Promise<DatasetRow | null> {
  return (await tx.query<DatasetRow>(`${SELECT_ONE} where d.tenant_id = $1 and d.key = $2`, [tx.tenantId, key]))[0] ?? null;
}

/** @throws AppError not_found */
export async function requireDataset(tx: TenantTransaction, key: string): Promise<DatasetRow> {
  const dataset = await findDataset(tx, key);
  if (!dataset) throw notFound('Dataset');
  return dataset;
}

/** Classes of the frozen version by task; empty unless FROZEN. */
export async function findTaskClasses(tx: TenantTransaction, datasetId: string): Promise<Record<string, CountedClasses>> {
  const rows = await tx.query<{ task: string; classes: CountedClasses }>(
    `select t.task, ${counted('t.classes')} as classes from dataset d join dataset_version v on v.tenant_id = d.tenant_id and v.id = d.version_id
     cross join jsonb_each(v.tasks) as t (task, classes) where d.tenant_id = $1 and d.id = $2 order by t.task`,
    [tx.tenantId, datasetId],
  );
  return Object.fromEntries(rows.map(({ task, classes }) => [task, classes]));
}

export interface FileSummary {
  readonly kind: FileKind;
  readonly status: FileStatus;
  readonly files: number;
  readonly bytes: number;
}

/** Files by kind and status. */
export async function summarizeFiles(tx: TenantTransaction, datasetId: string): Promise<FileSummary[]> {
  return tx.query<{ kind: FileKind; status: FileStatus; files: number; bytes: number }>(
    'select kind, status, count(*) as files, sum(size_bytes)::bigint as bytes from dataset_file where tenant_id = $1 and dataset_id = $2 group by kind, status order by kind, status',
    [tx.tenantId, datasetId],
  );
}

const CLASSES = `select label as name, count(*) as count from dataset_file where tenant_id = $1 and dataset_id = $2 and kind = 'image' and label is not null`;

/** Valid images by class; by name. Any folder is a class: of too many the largest. */
export async function countClasses(tx: TenantTransaction, datasetId: string): Promise<CountedClasses> {
  const rows = await tx.query<{ name: string; count: number; total: number }>(
    `select * from (select c.*, count(*) over () as total from (${CLASSES} and status = 'valid' group by label) c order by c.count desc, c.name collate "C" limit ${MAX_CLASSES}) largest
     order by name collate "C"`,
    [tx.tenantId, datasetId],
  );
  return countedOf(rows);
}

/** The first classes of the images, whatever their status. */
export async function headOfClasses(tx: TenantTransaction, datasetId: string): Promise<CountedClasses> {
  const rows = await tx.query<{ name: string; count: number; total: number }>(
    `select c.*, count(*) over () as total from (${CLASSES} group by label) c order by c.name collate "C" limit ${MAX_CLASSES_SHOWN}`,
    [tx.tenantId, datasetId],
  );
  return countedOf(rows);
}

const countedOf = (rows: ReadonlyArray<ClassCount & { readonly total: number }>): CountedClasses => ({
  shown: rows.map(({ name, count }) => ({ name, count })),
  total: rows[0]?.total ?? 0,
});
