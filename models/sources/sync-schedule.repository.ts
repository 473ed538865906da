import type { PlatformTransaction, TenantTransaction } from '../orm/transaction.js';
import type { SyncRow } from './dataset-sync.repository.js';
import type { SyncStatus } from './dataset-sync.types.js';

/** A dataset whose scheduled sync is due. */
export interface DueSync {
  readonly tenantId: string;
  readonly datasetKey: string;
}

const DAY_S = 86_400;
/** Twice as long for each scheduled sync in a row that failed, up to a day or the link's own interval. */
const WAIT_S = `least(l.interval_s * 2.0 ^ least(l.failures_in_row, 12), greatest(l.interval_s, ${DAY_S}))`;
const DUE = `coalesce(l.last_sync_at, l.linked_at) + make_interval(secs => ${WAIT_S}) <= now()`;

/** Links whose interval is over, of active tenants and enabled sources, those that wait longest first. Those
 * that an assembling upload hinders are left out, so that they keep no other from its turn. Platform-wide. */
export async function listDueSyncs(tx: PlatformTransaction, limit: number): Promise<DueSync[]> {
  const rows = await tx.query<{ tenant_id: string; key: string }>(
    `select l.tenant_id, d.key from dataset_source l
       join dataset d on d.tenant_id = l.tenant_id and d.id = l.dataset_id and d.active_sync_id is null
       join external_source s on s.tenant_id = l.tenant_id and s.id = l.source_id and s.enabled
       join tenant t on t.id = l.tenant_id and t.is_active
     where l.interval_s is not null and ${DUE}
       and not exists (select 1 from dataset_upload u where u.tenant_id = l.tenant_id and u.dataset_id = l.dataset_id and u.state = 'assembling')
     order by coalesce(l.last_sync_at, l.linked_at) limit $1`,
    [limit],
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, datasetKey: row.key }));
}

/** Asked again with the dataset locked: another worker may have been faster, or the tenant switched off meanwhile. @param datasetId row id */
export async function isSyncDue(tx: TenantTransaction, datasetId: string): Promise<boolean> {
  const [row] = await tx.query(
    `select 1 from dataset_source l join tenant t on t.id = l.tenant_id and t.is_active where l.tenant_id = $1 and l.dataset_id = $2 and l.interval_s is not null and ${DUE}`,
    [tx.tenantId, datasetId],
  );
  return row !== undefined;
}

/** Keeps how often the schedule of a dataset failed in a row; a sync that anybody started and that is done ends the row. */
export async function noteScheduleOutcome(tx: TenantTransaction, sync: Pick<SyncRow, 'dataset_id' | 'trigger'>, status: SyncStatus): Promise<void> {
  const isFailure = status === 'failed' && sync.trigger === 'schedule';
  if (!isFailure && status !== 'done') return;
  await tx.execute('update dataset_source set failures_in_row = case when $3 then failures_in_row + 1 else 0 end where tenant_id = $1 and dataset_id = $2', [
    tx.tenantId,
    sync.dataset_id,
    isFailure,
  ]);
}
