import type { TenantTransaction } from '../orm/transaction.js';

/** Something that keeps a frozen version of a dataset: today training experiments. */
export interface DatasetUser {
  readonly kind: string;
  readonly id: string;
}

const MAX_NAMED = 20;

export interface UsageRow {
  readonly holder_kind: string;
  readonly holder_id: string;
  readonly digest: string;
  readonly created_at: Date;
}

/** Holders of any version of the dataset, newest first, at most 1,000. */
export async function listUsage(tx: TenantTransaction, datasetId: string): Promise<{ items: UsageRow[]; total: number }> {
  const rows = await tx.query<UsageRow & { total: number }>(
    `select h.holder_kind, h.holder_id, v.digest, h.created_at, count(*) over () as total
     from dataset_hold h join dataset_version v on v.tenant_id = h.tenant_id and v.id = h.version_id
     where h.tenant_id = $1 and v.dataset_id = $2 order by h.created_at desc, h.id limit 1000`,
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
  return tx.query<{ kind: string; id: string }>(
    `select distinct h.holder_kind as kind, h.holder_id as id from dataset_hold h join dataset_version v on v.tenant_id = h.tenant_id and v.id = h.version_id
     where h.tenant_id = $1 and v.dataset_id = $2 and v.revision >= $3 limit ${MAX_NAMED}`,
    [tx.tenantId, datasetId, fromRevision],
  );
}
