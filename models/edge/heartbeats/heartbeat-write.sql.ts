import type { Transaction } from '../../orm/transaction.js';
import type { NewHeartbeat, WrittenHeartbeat } from './heartbeat.types.js';

/**
 * Heartbeats of many devices and tenants at once. Snapshots are locked in the order of their devices, so that two writers
 * never wait for each other in a circle; a device whose snapshot is gone gets no record.
 */
const WRITE = `
  -- hot: every heartbeat
  with beat as (
    select n, tenant_id, device, kept_days, cpu, gpu, mem, disk, payload, applied, clock_timestamp() as at
    from unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::float8[], $5::float8[], $6::float8[], $7::float8[],
      $8::jsonb[], $9::int[]) with ordinality
      as b (tenant_id, device, kept_days, cpu, gpu, mem, disk, payload, applied, n)),
  there as (
    select device, applied_revision from edge_snapshot where device = any($2) order by device for no key update),
  seen as (
    update edge_snapshot s set cpu = b.cpu, gpu = b.gpu, mem = b.mem, disk = b.disk, payload = b.payload,
      last_heartbeat_at = b.at, applied_revision = coalesce(b.applied, t.applied_revision)
    from beat b join there t using (device) where s.device = b.device),
  -- hot: the records of all of them
  written as (
    insert into edge_heartbeat (tenant_id, device, received_at, kept_days, cpu, gpu, mem, disk, payload)
    select tenant_id, device, at, kept_days, cpu, gpu, mem, disk, payload from beat join there using (device))
  select n::int, at as received_at from beat join there using (device)`;

/** @param beats no two of the same device @returns the answers in their order */
export async function writeHeartbeats(
  tx: Transaction,
  beats: readonly NewHeartbeat[],
): Promise<WrittenHeartbeat[]> {
  const rows = await tx.rows<{ n: number; receivedAt: Date }>(WRITE, [
    beats.map(({ device }) => device.tenantId),
    beats.map(({ device }) => device.number),
    beats.map(({ device }) => device.keptDays.logs),
    beats.map(({ cpu }) => cpu),
    beats.map(({ gpu }) => gpu),
    beats.map(({ mem }) => mem),
    beats.map(({ disk }) => disk),
    beats.map(({ payload }) => payload),
    beats.map(({ appliedRevision }) => appliedRevision),
  ]);
  const byNumber = new Map(rows.map(({ n, receivedAt }) => [n, { receivedAt }]));
  return beats.map((_, at) => byNumber.get(at + 1) ?? null);
}
