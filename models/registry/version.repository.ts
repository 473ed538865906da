import type { Page } from '../../core/paging/page.js';
import type { Transaction } from '../orm/transaction.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { ModelFile, ModelVersionRow, Stage } from './model.types.js';

interface Row {
  id: string;
  model_id: string;
  name: string;
  version: number;
  stage: Stage;
  run_id: string;
  experiment_id: string | null;
  training_experiment_id: string | null;
  dataset_key: string | null;
  dataset_digest: string | null;
  task: string | null;
  framework: string | null;
  metrics: Record<string, number>;
  size_bytes: number;
  description: string | null;
  created_by: string | null;
  created_at: Date;
  updated_at: Date;
}

const SELECT = `select v.id, v.model_id, m.name, v.version, v.stage, v.run_id, v.experiment_id, v.training_experiment_id, v.dataset_key, v.dataset_digest,
  v.task, v.framework, v.metrics, v.size_bytes, v.description, v.created_by, v.created_at, v.updated_at
  from model_version v join model m on m.tenant_id = v.tenant_id and m.id = v.model_id
  where v.tenant_id = $1`;

export async function findVersion(tx: TenantTransaction, name: string, version: number): Promise<ModelVersionRow | null> {
  const rows = await tx.query<Row>(`${SELECT} and m.name = $2 and v.version = $3`, [tx.tenantId, name, version]);
  return rows[0] ? toVersion(rows[0]) : null;
}

/** The same with the row locked, so that stage, image and endpoints are decided upon one after the other. */
export async function lockVersion(tx: TenantTransaction, name: string, version: number): Promise<ModelVersionRow | null> {
  const rows = await tx.query<Row>(`${SELECT} and m.name = $2 and v.version = $3 for update of v`, [tx.tenantId, name, version]);
  return rows[0] ? toVersion(rows[0]) : null;
}

export async function findVersionById(tx: TenantTransaction, id: string): Promise<ModelVersionRow | null> {
  const rows = await tx.query<Row>(`${SELECT} and v.id = $2`, [tx.tenantId, id]);
  return rows[0] ? toVersion(rows[0]) : null;
}

export async function findVersionByRegistrationKey(tx: TenantTransaction, key: string): Promise<ModelVersionRow | null> {
  const rows = await tx.query<Row>(`${SELECT} and v.registration_key = $2`, [tx.tenantId, key]);
  return rows[0] ? toVersion(rows[0]) : null;
}

/** Newest first. */
export async function listVersions(tx: TenantTransaction, modelId: string, query: { page: number; pageSize: number; offset: number }): Promise<Page<ModelVersionRow>> {
  const [count] = await tx.query<{ total: number }>('select count(*) as total from model_version where tenant_id = $1 and model_id = $2', [tx.tenantId, modelId]);
  const rows = await tx.query<Row>(`${SELECT} and v.model_id = $2 order by v.version desc limit $3 offset $4`, [tx.tenantId, modelId, query.pageSize, query.offset]);
  return { items: rows.map(toVersion), total: count?.total ?? 0, page: query.page, page_size: query.pageSize };
}

/** Versions that were registered from these runs, for the detail of a run and before its deletion. */
export async function listVersionsOfRuns(tx: TenantTransaction, runIds: readonly string[]): Promise<Array<{ runId: string; name: string; version: number; stage: Stage }>> {
  const rows = await tx.query<{ run_id: string; name: string; version: number; stage: Stage }>(
    `select v.run_id, m.name, v.version, v.stage from model_version v join model m on m.tenant_id = v.tenant_id and m.id = v.model_id
     where v.tenant_id = $1 and v.run_id = any($2) order by m.name, v.version`,
    [tx.tenantId, runIds],
  );
  return rows.map((row) => ({ runId: row.run_id, name: row.name, version: row.version, stage: row.stage }));
}

/** Sorted by path in code-unit order. */
export async function listVersionFiles(tx: TenantTransaction, versionId: string): Promise<ModelFile[]> {
  const rows = await tx.query<{ path: string; size_bytes: number; sha256: string; object_key: string }>(
    'select path, size_bytes, sha256, object_key from model_version_file where tenant_id = $1 and version_id = $2 order by path',
    [tx.tenantId, versionId],
  );
  return rows.map((row) => ({ path: row.path, sizeBytes: row.size_bytes, sha256: row.sha256, objectKey: row.object_key }));
}

/** Which of these objects belong to a registered version: whoever deletes a run must keep them. */
export async function listHeldObjectKeys(tx: Transaction, tenantId: string, keys: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ object_key: string }>('select distinct object_key from model_version_file where tenant_id = $1 and object_key = any($2)', [tenantId, keys]);
  return new Set(rows.map((row) => row.object_key));
}

const toVersion = (row: Row): ModelVersionRow => ({
  id: row.id,
  modelId: row.model_id,
  name: row.name,
  version: row.version,
  stage: row.stage,
  runId: row.run_id,
  experimentId: row.experiment_id,
  trainingExperimentId: row.training_experiment_id,
  datasetKey: row.dataset_key,
  datasetDigest: row.dataset_digest,
  task: row.task,
  framework: row.framework,
  metrics: row.metrics,
  sizeBytes: row.size_bytes,
  description: row.description,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
