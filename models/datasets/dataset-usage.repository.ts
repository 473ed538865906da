import type { TenantTransaction } from '../orm/transaction.js';

/** Something that keeps a frozen version of a dataset: today training experiments. */
export interface DatasetUser {
  readonly kind: string;
  readonly id: string;
  readonly name: string | null;
  readonly status: string | null;
}

const MAX_NAMED = 20;

export interface UsageRow {
  readonly holder_kind: string;
  readonly holder_id: string;
  readonly digest: string;
  readonly created_at: Date;
  /** Of the training experiment. */
  readonly name: string | null;
  readonly status: string | null;
  readonly task: string | null;
  readonly framework: string | null;
  readonly model: string | null;
  readonly tracker_run_id: string | null;
}

const FROM_HOLDS = `from dataset_hold h join dataset_version v on v.tenant_id = h.tenant_id and v.id = h.version_id
  left join training_experiment e on e.tenant_id = h.tenant_id and e.id = h.holder_id and h.holder_kind = 'experiment'
  where h.tenant_id = $1 and v.dataset_id = $2`;

/** Holders of any version of the dataset, newest first, at most 1,000. */
export async function listUsage(tx: TenantTransaction, datasetId: string): Promise<{ items: UsageRow[]; total: number }> {
  const rows = await tx.query<UsageRow & { total: number }>(
    `select h.holder_kind, h.holder_id, v.digest, h.created_at, e.name, e.status, e.task, e.framework, e.model, e.tracker_run_id, count(*) over () as total
     ${FROM_HOLDS} order by h.created_at desc, h.id limit 1000`,
    [tx.tenantId, datasetId],
  );
  return { items: rows, total: rows[0]?.total ?? 0 };
}

/** Who uses the dataset; the first 20. */
export async function findUsersOfDataset(tx: TenantTransaction, datasetId: string): Promise<DatasetUser[]> {
  return findUsers(tx, datasetId, 0);
}

/** Who uses a version that contains a file added by this revision; the first 20. */
export async function findUsersOfFile(tx: TenantTransaction, datasetId: string, addedRevision: number): Promise<DatasetUser[]> {
  return findUsers(tx, datasetId, addedRevision);
}

async function findUsers(tx: TenantTransaction, datasetId: string, fromRevision: number): Promise<DatasetUser[]> {
  return tx.query<DatasetUser & Record<string, unknown>>(
    `select distinct h.holder_kind as kind, h.holder_id as id, e.name, e.status ${FROM_HOLDS} and v.revision >= $3 limit ${MAX_NAMED}`,
    [tx.tenantId, datasetId, fromRevision],
  );
}
