import type { TenantTransaction } from '../orm/transaction.js';

const RECORD_ORIGIN = `insert into workload_log (tenant_id, workload_id, instance, tail, origin) -- hot: whenever an instance begins a new log
  select w.tenant_id, w.id, $3, '', $4 from workload w where w.tenant_id = $1 and w.id = $2
  on conflict (workload_id, instance) do update
  set origin = excluded.origin, written_at = now()`;

/** Remembers what the log of an instance is copied from. */
export async function recordLogOrigin(
  tx: TenantTransaction,
  workloadId: string,
  instance: number,
  origin: string,
): Promise<void> {
  await tx.execute(RECORD_ORIGIN, [tx.tenantId, workloadId, instance, origin]);
}
