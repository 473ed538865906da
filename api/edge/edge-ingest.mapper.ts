import { type FieldError, fieldError, MAX_FIELD_ERRORS, unprocessable } from '../../core/errors/app-error.js';
import { parseInstant } from '../../core/time/parse-instant.js';
import type { InferenceRow, TelemetryRow } from '../../models/edge/feeds/record-feed.queries.js';
import type { Feed } from '../../models/edge/feeds/record-feed.rules.js';
import type { NewInference } from '../../models/edge/inference-write.types.js';
import type { NewTelemetry, WrittenBatch } from '../../models/edge/telemetry-write.types.js';
import type {
  BatchReceipt,
  InferenceFeed,
  InferenceRecord,
  TelemetryFeed,
  TelemetryRecord,
} from './edge-ingest.schemas.js';

/** Times by the clocks of devices. @throws AppError unprocessable_entity naming each record with none */
function timesOf(records: ReadonlyArray<{ readonly ts?: string | null }>): Array<Date | null> {
  const bad: FieldError[] = [];
  const times = records.map(({ ts }, at) => {
    if (ts === undefined || ts === null) return null;
    const time = parseInstant(ts);
    if (time === null && bad.length < MAX_FIELD_ERRORS)
      bad.push(
        fieldError(['body', 'records', at, 'ts'], 'must be an ISO 8601 date-time', 'datetime_parsing'),
      );
    return time;
  });
  if (bad.length > 0) throw unprocessable(bad);
  return times;
}

export function toTelemetry(records: readonly TelemetryRecord[]): NewTelemetry[] {
  const times = timesOf(records);
  return records.map(({ kind, data }, at) => ({
    ...{ kind, ts: times[at] ?? null, data: JSON.stringify(data ?? {}) },
  }));
}

/** A longer one is no class. */
const MAX_LABEL = 200;

function labelOf(result: Readonly<Record<string, unknown>>): string | null {
  const { label } = result;
  if (typeof label === 'number') return String(label);
  return typeof label === 'string' && label.length <= MAX_LABEL ? label : null;
}

export function toInference(records: readonly InferenceRecord[]): NewInference[] {
  const times = timesOf(records);
  return records.map((record, at) => ({
    ts: times[at] ?? null,
    modelName: record.model_name,
    version: record.version,
    predictionId: record.prediction_id ?? null,
    label: labelOf(record.result ?? {}),
    confidence: record.confidence ?? null,
    latencyMs: record.latency_ms ?? null,
    result: JSON.stringify(record.result ?? {}),
    uploadId: record.upload_id ?? null,
  }));
}

export const toReceipt = ({ records, receivedAt }: WrittenBatch): BatchReceipt => ({
  accepted: records,
  received_at: receivedAt.toISOString(),
});

export const toTelemetryFeed = ({
  items,
  total,
  isCapped,
  nextCursor,
}: Feed<TelemetryRow>): TelemetryFeed => ({
  items: items.map(({ id, kind, ts, receivedAt, data }) => ({
    ...{ id: String(id), kind, ts: ts.toISOString(), received_at: receivedAt.toISOString(), data },
  })),
  total,
  total_capped: isCapped,
  next_cursor: nextCursor,
});

export const toInferenceFeed = ({
  items,
  total,
  isCapped,
  nextCursor,
}: Feed<InferenceRow>): InferenceFeed => ({
  items: items.map((row) => ({
    id: String(row.id),
    model_name: row.modelName,
    version: row.version,
    prediction_id: row.predictionId,
    ts: row.ts.toISOString(),
    received_at: row.receivedAt.toISOString(),
    latency_ms: row.latencyMs,
    confidence: row.confidence,
    result: row.result,
    upload_id: row.uploadId,
  })),
  total,
  total_capped: isCapped,
  next_cursor: nextCursor,
});
