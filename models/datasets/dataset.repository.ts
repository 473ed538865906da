import { conflict } from '../../core/errors/app-error.js';
import { brokenConstraint } from '../orm/database-errors.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { AnnotationFormat } from './annotations/annotation.types.js';
import type { ClassCount, DatasetStatus, FrozenDataset, SplitCounts, TaskClasses, TrainableDataset } from './dataset.types.js';
import { removeUnusedVersions } from './unused-versions.repository.js';

interface Row {
  id: string;
  key: string;
  name: string;
  version_id: string;
  digest: string;
  manifest_key: string;
  classes: ClassCount[];
  annotation_format: AnnotationFormat | null;
  tasks: TaskClasses;
  splits: SplitCounts;
  file_count: number;
  size_bytes: number;
}

const FROZEN_SQL = `select d.id, d.key, d.name, v.id as version_id, v.digest, v.manifest_key, v.classes, v.annotation_format, v.tasks, v.splits, v.file_count, v.size_bytes
  from dataset d join dataset_version v on v.tenant_id = d.tenant_id and v.id = d.version_id
  where d.tenant_id = $1 and d.status = 'FROZEN'`;

/** Null when there is no such dataset or it is not FROZEN. @param datasetKey the id people use */
export async function findFrozenDataset(tx: TenantTransaction, datasetKey: string): Promise<FrozenDataset | null> {
  const rows = await tx.query<Row>(`${FROZEN_SQL} and d.key = $2`, [tx.tenantId, datasetKey]);
  return rows[0] ? toFrozen(rows[0]) : null;
}

/** Null when there is no such dataset. @param datasetKey the id people use */
export async function findDatasetStatus(tx: TenantTransaction, datasetKey: string): Promise<DatasetStatus | null> {
  const [row] = await tx.query<{ status: DatasetStatus }>('select status from dataset where tenant_id = $1 and key = $2', [tx.tenantId, datasetKey]);
  return row?.status ?? null;
}

/** Keeps a dataset from being deleted until the transaction ends; its files may change meanwhile. @returns false when there is none */
export async function keepDataset(tx: TenantTransaction, datasetKey: string): Promise<boolean> {
  return (await tx.query('select 1 from dataset where tenant_id = $1 and key = $2 for key share', [tx.tenantId, datasetKey])).length > 0;
}

/** Frozen datasets that training can use: those with at least one class, of folders or of annotations, by name. */
export async function listTrainable(tx: TenantTransaction, limit = 1000): Promise<{ items: TrainableDataset[]; total: number }> {
  // Counted in the database: the classes of a thousand datasets are not for an answer that only says how many.
  const rows = await tx.query<TrainableDataset & { total: number }>(
    `select f.key, f.name, f.digest, f.file_count as "fileCount", f.size_bytes as "sizeBytes",
       greatest(jsonb_array_length(f.classes), (select max(jsonb_array_length(t.value)) from jsonb_each(f.tasks) t)) as "classCount", count(*) over () as total
     from (${FROZEN_SQL} and (jsonb_array_length(v.classes) > 0 or v.tasks <> '{}')) f order by f.name, f.id limit $2`,
    [tx.tenantId, limit],
  );
  return { items: rows, total: rows[0]?.total ?? 0 };
}

/** Who keeps a frozen version alive. */
export interface Holder {
  readonly kind: 'experiment';
  readonly id: string;
}

/**
 * Keeps a frozen version and all its objects for as long as the holder exists, whatever becomes of the dataset.
 * Write it in the holder's own transaction. Idempotent.
 * @throws AppError conflict when the version has gone meanwhile
 */
export async function holdDatasetVersion(tx: TenantTransaction, versionId: string, holder: Holder): Promise<void> {
  try {
    await tx.execute(`insert into dataset_hold (tenant_id, version_id, holder_kind, holder_id) values ($1, $2, $3, $4) on conflict do nothing`, [
      tx.tenantId,
      versionId,
      holder.kind,
      holder.id,
    ]);
  } catch (error) {
    if (brokenConstraint(error) !== null) throw conflict('The dataset was changed just now and is no longer FROZEN; wait for its validation and try again.');
    throw error;
  }
}

/**
 * Lets go of everything the holder kept; write it in the transaction that removes the holder. Versions nobody holds and
 * that are not current go, and objects waiting for them become free.
 */
export async function releaseDatasetHolds(tx: TenantTransaction, holder: Holder): Promise<void> {
  const freed = await tx.query<{ version_id: string }>('delete from dataset_hold where tenant_id = $1 and holder_kind = $2 and holder_id = $3 returning version_id', [
    tx.tenantId,
    holder.kind,
    holder.id,
  ]);
  if (freed.length > 0)
    await removeUnusedVersions(
      tx,
      freed.map((row) => row.version_id),
    );
}

const toFrozen = (row: Row): FrozenDataset => ({
  id: row.id,
  key: row.key,
  name: row.name,
  versionId: row.version_id,
  digest: row.digest,
  manifestKey: row.manifest_key,
  classes: row.classes,
  format: row.annotation_format,
  tasks: row.tasks,
  splits: row.splits,
  fileCount: row.file_count,
  sizeBytes: row.size_bytes,
});
