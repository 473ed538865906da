import { randomUUID } from 'node:crypto';
import { asTenantId } from '../../../../core/security/ids.js';
import type { TenantTransaction } from '../../../../models/orm/transaction.js';
import { findSyncById, type SyncRow } from '../../../../models/sources/sync/dataset-sync.queries.js';
import { startTestApi, type TestApi, type TestTenant } from '../../../api/support/test-api.js';

/** A tenant, and work on rows of its syncs. */
export interface SyncLab {
  readonly api: TestApi;
  readonly tenant: TestTenant;
  readonly inTenant: <T>(work: (tx: TenantTransaction) => Promise<T>, signal?: AbortSignal) => Promise<T>;
  readonly requireSync: (sync: string) => Promise<SyncRow>;
  close(): Promise<void>;
}

export async function openSyncLab(): Promise<SyncLab> {
  const api = await startTestApi();
  const tenant = await api.addTenant();
  const inTenant: SyncLab['inTenant'] = (work, signal) =>
    api.container.db.inTenant(asTenantId(tenant.id), work, signal);
  const requireSync = async (sync: string): Promise<SyncRow> =>
    (await inTenant((tx) => findSyncById(tx, sync))) as SyncRow;
  return { api, tenant, inTenant, requireSync, close: () => api.close() };
}

/** A dataset `c-<dataset>` and its sync. */
export async function addSync(
  tx: TenantTransaction,
  sync: string,
  dataset: string = randomUUID(),
  { status = 'running', source = randomUUID() as string } = {},
): Promise<void> {
  await tx.execute("insert into dataset (id, tenant_id, key, name) values ($2, $1, $3, 'Compared')", [
    tx.tenantId,
    dataset,
    `c-${dataset}`,
  ]);
  await tx.execute(
    "insert into dataset_sync (id, tenant_id, dataset_id, source_id, source_key, source_name, remote_dataset_id, trigger, status) values ($2, $1, $3, $4, 's', 's', 'r', 'manual', $5)",
    [tx.tenantId, sync, dataset, source, status],
  );
}
