import { unavailable } from '../../core/errors/app-error.js';
import type { Transaction } from '../orm/transaction.js';
import type { RecordBatch, WrittenBatch } from './telemetry-write.types.js';

/**
 * Batches of many devices and tenants at once. Those whose key is new are written with their records; `n` of
 * each is answered. In the order of the keys, so that two writers never wait for each other in a circle.
 * $1 to $5 batches, $6 and on their records, of which `written` inserts those of the batches in `added`.
 */
const write = (written: string): string => `
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
  written as (${written})
  select n::int, received_at, records from added`;

const FIRST_ANSWERS = `select w.n::int as n, b.received_at, b.records
  from unnest($1::bigint[], $2::text[]) with ordinality as w (device, key, n)
  join telemetry_batch b using (device, key)`;

interface Answer {
  readonly n: number;
  readonly receivedAt: Date;
  readonly records: number;
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
  const added = await tx.rows<Answer>(write(written), [
    batches.map(({ tenantId }) => tenantId),
    ...keys,
    batches.map(({ keptDays }) => keptDays),
    batches.map(({ records }) => records.length),
    ...columns(numbered),
  ]);
  const answers = new Map<number, WrittenBatch>();
  if (added.length < batches.length)
    for (const { n, ...first } of await tx.rows<Answer>(FIRST_ANSWERS, keys))
      answers.set(n, { ...first, isRepeat: true });
  for (const { n, ...own } of added) answers.set(n, { ...own, isRepeat: false });
  return batches.map((_, at) => {
    const answer = answers.get(at + 1);
    // It was removed after the insert had met it, with its device or by its age: nothing of the batch is stored.
    if (!answer) throw unavailable('The batch was removed meanwhile; send it again.', null, 1);
    return answer;
  });
}
