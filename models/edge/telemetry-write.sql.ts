import type { Transaction } from '../orm/transaction.js';
import type { NewTelemetryBatch, WrittenBatch } from './telemetry-write.types.js';

/**
 * Batches of many devices and tenants at once. Those whose key is new are written with their records; `n` of
 * each is answered. In the order of the keys, so that two writers never wait for each other in a circle.
 * $1 to $5 batches, $6 to $9 their records.
 */
const WRITE = `
  -- hot: every batch that devices send
  with batch as (
    select n, tenant_id, device, key, kept_days, records, clock_timestamp() as received_at
    from unnest($1::uuid[], $2::bigint[], $3::text[], $4::smallint[], $5::int[])
      with ordinality as b (tenant_id, device, key, kept_days, records, n)),
  first as (
    insert into telemetry_batch as old (tenant_id, device, key, received_at, records)
    select tenant_id, device, key, received_at, records from batch order by device, key
    on conflict (device, key) do update set received_at = excluded.received_at, records = excluded.records
      where old.received_at < excluded.received_at - interval '48 hours'
    returning device, key),
  added as (select batch.* from batch join first using (device, key)),
  -- hot: the records of every batch that devices send
  written as (
    insert into telemetry (tenant_id, device, received_at, kept_days, kind, ts, data)
    select a.tenant_id, a.device, a.received_at, a.kept_days, r.kind, coalesce(r.ts, a.received_at), r.data
    from unnest($6::int[], $7::text[], $8::timestamptz[], $9::jsonb[]) as r (n, kind, ts, data)
    join added a on a.n = r.n)
  select n::int, received_at, records from added`;

const FIRST_ANSWERS = `select w.n::int as n, b.received_at, b.records
  from unnest($1::bigint[], $2::text[]) with ordinality as w (device, key, n)
  join telemetry_batch b using (device, key)`;

interface Answer {
  readonly n: number;
  readonly receivedAt: Date;
  readonly records: number;
}

/** @param batches no two of the same device and key @returns the answers in their order */
export async function writeTelemetry(
  tx: Transaction,
  batches: readonly NewTelemetryBatch[],
): Promise<WrittenBatch[]> {
  const numbered = batches.flatMap(({ records }, at) => records.map((record) => ({ ...record, n: at + 1 })));
  const keys = [batches.map(({ device }) => device), batches.map(({ key }) => key)];
  const added = await tx.rows<Answer>(WRITE, [
    batches.map(({ tenantId }) => tenantId),
    ...keys,
    batches.map(({ keptDays }) => keptDays),
    batches.map(({ records }) => records.length),
    numbered.map(({ n }) => n),
    numbered.map(({ kind }) => kind),
    numbered.map(({ ts }) => ts),
    numbered.map(({ data }) => data),
  ]);
  const answers = new Map<number, WrittenBatch>();
  if (added.length < batches.length)
    for (const { n, ...first } of await tx.rows<Answer>(FIRST_ANSWERS, keys))
      answers.set(n, { ...first, isRepeat: true });
  for (const { n, ...own } of added) answers.set(n, { ...own, isRepeat: false });
  return batches.map((_, at) => answers.get(at + 1) as WrittenBatch);
}
