import type { Transaction } from '../orm/transaction.js';
import { writeRecordBatches } from './record-batches.sql.js';
import type { NewTelemetryBatch, WrittenBatch } from './telemetry-write.types.js';

const WRITTEN = `
    -- hot: the records of every batch that devices send
    insert into telemetry (tenant_id, device, received_at, kept_days, kind, ts, data)
    select a.tenant_id, a.device, a.received_at, a.kept_days, r.kind, coalesce(r.ts, a.received_at), r.data
    from unnest($6::int[], $7::text[], $8::timestamptz[], $9::jsonb[]) as r (n, kind, ts, data)
    join added a on a.n = r.n`;

/** @param batches no two of the same device and key @returns the answers in their order */
export const writeTelemetry = (
  tx: Transaction,
  batches: readonly NewTelemetryBatch[],
): Promise<WrittenBatch[]> =>
  writeRecordBatches(tx, batches, WRITTEN, (records) => [
    records.map(({ n }) => n),
    records.map(({ kind }) => kind),
    records.map(({ ts }) => ts),
    records.map(({ data }) => data),
  ]);
