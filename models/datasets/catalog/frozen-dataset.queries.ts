import { sql } from 'kysely';
import type { TenantTransaction } from '../../orm/transaction.js';
import { CLASS_COUNT } from './dataset-tasks.sql.js';
import type {
  ClassesInParts,
  DatasetStatus,
  FrozenDataset,
  NamedImages,
  TrainableDataset,
} from './dataset.types.js';

const frozen = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('dataset as d')
    .innerJoin('dataset_version as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.versionId'),
    )
    .where('d.tenantId', '=', tx.tenantId)
    .where('d.status', '=', 'FROZEN');

const repeated = (kind: 'duplicates' | 'leakage') =>
  sql<number>`coalesce((d.validation #>> ${sql.lit(`{stats,${kind},exact,images}`)})::int, 0)`;

const named = sql<NamedImages>`jsonb_build_object(
  'found', coalesce((d.validation #>> '{stats,annotations,matched,count}')::int, 0),
  'missing', coalesce((d.validation #>> '{stats,annotations,annotations_without_image,count}')::int, 0),
  'examples', coalesce(d.validation #> '{stats,annotations,annotations_without_image,examples}', '[]'))`;

const classesInParts = sql<ClassesInParts>`jsonb_build_object(
  'images', d.validation #> '{stats,splits}', 'objects', d.validation #> '{stats,annotations,objects_by_class}')`;

/** Null when there is no such dataset or it is not FROZEN. @param datasetKey the id people use */
export async function findFrozenDataset(
  tx: TenantTransaction,
  datasetKey: string,
): Promise<FrozenDataset | null> {
  const found = await frozen(tx)
    .select(['d.id', 'd.key', 'd.name', 'v.id as versionId', 'v.digest', 'v.manifestKey', 'v.classes'])
    .select(['v.annotationFormat as format', 'v.tasks', 'v.splits', 'v.fileCount', 'v.sizeBytes'])
    .select([repeated('duplicates').as('images'), repeated('leakage').as('leaked'), named.as('named')])
    .select(classesInParts.as('classesInParts'))
    .where('d.key', '=', datasetKey)
    .executeTakeFirst();
  if (!found) return null;
  const { images, leaked, ...dataset } = found;
  return { ...dataset, copies: { images, leaked } };
}

/** Null when there is no such dataset. @param datasetKey the id people use */
export async function findDatasetStatus(
  tx: TenantTransaction,
  datasetKey: string,
): Promise<DatasetStatus | null> {
  const found = tx.kysely.selectFrom('dataset').select('status').where('tenantId', '=', tx.tenantId);
  return (await found.where('key', '=', datasetKey).executeTakeFirst())?.status ?? null;
}

/** Keeps a dataset from being deleted until the transaction ends; its files may change meanwhile. @returns false when there is none */
export async function keepDataset(tx: TenantTransaction, datasetKey: string): Promise<boolean> {
  const found = tx.kysely.selectFrom('dataset').select('id').where('tenantId', '=', tx.tenantId);
  return (await found.where('key', '=', datasetKey).forKeyShare().executeTakeFirst()) !== undefined;
}

/** Frozen datasets that training can use: those with at least one class, of folders or of annotations, the last frozen first. */
export async function listTrainable(
  tx: TenantTransaction,
  limit = 1000,
): Promise<{ items: TrainableDataset[]; total: number }> {
  const rows = await frozen(tx)
    .select(['d.key', 'd.name', 'v.digest', 'v.fileCount', 'v.sizeBytes', CLASS_COUNT.as('classCount')])
    .select(({ fn }) => fn.countAll<number>().over().as('total'))
    .where(sql<boolean>`(jsonb_array_length(v.classes) > 0 or v.tasks <> '{}')`)
    .orderBy('v.createdAt', 'desc')
    .orderBy('d.id')
    .limit(limit)
    .execute();
  return { items: rows, total: rows[0]?.total ?? 0 };
}

/** What a frozen version holds, also when its dataset has changed or is gone. Null for unknown and foreign ids. */
export async function findVersionFacts(
  tx: TenantTransaction,
  versionId: string,
): Promise<Pick<FrozenDataset, 'classes' | 'tasks' | 'splits' | 'fileCount'> | null> {
  const found = tx.kysely
    .selectFrom('dataset_version')
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', versionId)
    .select(['classes', 'tasks', 'splits', 'fileCount']);
  return (await found.executeTakeFirst()) ?? null;
}
