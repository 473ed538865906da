import type { Transaction } from '../orm/transaction.js';
import type { NewInferenceBatch } from './inference-write.types.js';
import { writeRecordBatches } from './record-batches.sql.js';
import type { WrittenBatch } from './telemetry-write.types.js';

const WRITTEN = `
    -- hot: the records of every batch that devices send
    insert into inference (tenant_id, device, received_at, kept_days, ts, model_name, version, prediction_id,
      label, confidence, latency_ms, result, upload_id)
    select a.tenant_id, a.device, a.received_at, a.kept_days, coalesce(r.ts, a.received_at), r.model_name,
      r.version, r.prediction_id, r.label, r.confidence, r.latency_ms, r.result, r.upload_id
    from unnest($6::int[], $7::timestamptz[], $8::text[], $9::int[], $10::text[], $11::text[], $12::float8[],
      $13::float8[], $14::jsonb[], $15::text[])
      as r (n, ts, model_name, version, prediction_id, label, confidence, latency_ms, result, upload_id)
    join added a on a.n = r.n`;

/** @param batches no two of the same device and key @returns the answers in their order */
export const writeInference = (
  tx: Transaction,
  batches: readonly NewInferenceBatch[],
): Promise<WrittenBatch[]> =>
  writeRecordBatches(tx, batches, WRITTEN, (records) => [
    records.map(({ n }) => n),
    records.map(({ ts }) => ts),
    records.map(({ modelName }) => modelName),
    records.map(({ version }) => version),
    records.map(({ predictionId }) => predictionId),
    records.map(({ label }) => label),
    records.map(({ confidence }) => confidence),
    records.map(({ latencyMs }) => latencyMs),
    records.map(({ result }) => result),
    records.map(({ uploadId }) => uploadId),
  ]);
