import type { Transaction } from '../orm/transaction.js';
import type { RecordBatch, WrittenBatch } from './telemetry-write.types.js';

/**
 * Batches of many devices and tenants at once. Those whose key is new are written with their records; `n` of
 * each is answered. In the order of the keys, so that two writers never wait for each other in a circle.
 * $1 to $6 batches, $7 and on their records, of which `written` inserts those of the batches in `added`.
 */
const write = (written: string): string => `
  -- hot: every batch that devices send
  with batch as (
    select n, tenant_id, device, key, kept_days, records, body_hash, clock_timestamp() as received_at
    from unnest($1::uuid[], $2::bigint[], $3::text[], $4::smallint[], $5::int[], $6::text[])
      with ordinality as b (tenant_id, device, key, kept_days, records, body_hash, n)),
  first as (
    insert into telemetry_batch as old (tenant_id, device, key, received_at, records, body_hash)
    select tenant_id, device, key, received_at, records, body_hash from batch order by device, key
    on conflict (device, key) do update set received_at = excluded.received_at, records = excluded.records,
        body_hash = excluded.body_hash
      where old.received_at < excluded.received_at - interval '48 hours'
    returning device, key),
  added as (select batch.* from batch join first using (device, key)),
  written as (${written})
  select n::int, received_at, records from added`;

const FIRST_ANSWERS = `select w.n::int as n, b.received_at, b.records,
    coalesce(b.body_hash <> w.body_hash, false) as is_other
  from unnest($1::bigint[], $2::text[], $3::text[]) with ordinality as w (device, key, body_hash, n)
  join telemetry_batch b using (device, key)`;

interface Answer {
  readonly n: number;
  readonly receivedAt: Date;
  readonly records: number;
}

interface FirstAnswer extends Answer {
  readonly isOther: boolean;
}

/**
 * @param batches no two of the same device and key
 * @param written the insert of the records
 * @param columns of the records, each with the number of its batch, from 1 on, as `n`
 * @returns the answers in the order of the batches
 */
export async function writeRecordBatches<R>(
  tx: Transaction,
  batches: readonly RecordBatch<R>[],
  written: string,
  columns: (records: ReadonlyArray<R & { readonly n: number }>) => readonly unknown[],
): Promise<WrittenBatch[]> {
  const numbered = batches.flatMap(({ records }, at) => records.map((record) => ({ ...record, n: at + 1 })));
  const keys = [batches.map(({ device }) => device), batches.map(({ key }) => key)];
  const hashes = batches.map(({ bodyHash }) => bodyHash);
  const added = await tx.rows<Answer>(write(written), [
    batches.map(({ tenantId }) => tenantId),
    ...keys,
    batches.map(({ keptDays }) => keptDays),
    batches.map(({ records }) => records.length),
    hashes,
    ...columns(numbered),
  ]);
  const answers = new Map<number, WrittenBatch>();
  if (added.length < batches.length)
    for (const { n, ...first } of await tx.rows<FirstAnswer>(FIRST_ANSWERS, [...keys, hashes]))
      answers.set(n, { ...first, isRepeat: true });
  for (const { n, ...own } of added) answers.set(n, { ...own, isRepeat: false, isOther: false });
  return batches.map((_, at) => answers.get(at + 1) as WrittenBatch);
}
