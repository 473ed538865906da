import type { TenantTransaction } from '../orm/transaction.js';

/** What keeps a frozen version of a dataset (`experiment`), or names the dataset as the one to be validated by (`serving_endpoint`). */
export interface DatasetUser {
  readonly kind: string;
  readonly id: string;
  readonly name: string | null;
  readonly status: string | null;
}

const MAX_NAMED = 20;

/** Who uses a dataset: all are counted, the first 20 named. */
export interface DatasetUsers {
  readonly users: readonly DatasetUser[];
  readonly users_total: number;
}

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

/** Who uses the dataset in any version, or as such. */
export async function findUsersOfDataset(tx: TenantTransaction, dataset: { readonly id: string; readonly key: string }): Promise<DatasetUsers> {
  return findUsers(
    tx,
    `${HOLDERS} union all
     select 'serving_endpoint', s.id, s.name, s.status from serving_endpoint s where s.tenant_id = $1 and s.validation_dataset_id = $3 and s.wish <> 'delete'`,
    [tx.tenantId, dataset.id, dataset.key],
  );
}

/** Who uses a version that contains a file added by this revision. */
export const findUsersOfFile = (tx: TenantTransaction, datasetId: string, addedRevision: number): Promise<DatasetUsers> =>
  findUsers(tx, `${HOLDERS} and v.revision >= $3`, [tx.tenantId, datasetId, addedRevision]);

const HOLDERS = `select distinct h.holder_kind as kind, h.holder_id as id, e.name, e.status ${FROM_HOLDS}`;

async function findUsers(tx: TenantTransaction, users: string, params: readonly unknown[]): Promise<DatasetUsers> {
  const rows = await tx.query<DatasetUser & { users_total: number }>(
    `select u.*, count(*) over () as users_total from (${users}) u order by u.kind, u.name, u.id limit ${MAX_NAMED}`,
    params,
  );
  return { users: rows.map(({ users_total, ...user }) => user), users_total: rows[0]?.users_total ?? 0 };
}

/** Endpoints forget a dataset that goes. @param datasetKey the id people use */
export async function forgetValidationDataset(tx: TenantTransaction, datasetKey: string): Promise<void> {
  await tx.execute('update serving_endpoint set validation_dataset_id = null, updated_at = now() where tenant_id = $1 and validation_dataset_id = $2', [tx.tenantId, datasetKey]);
}
