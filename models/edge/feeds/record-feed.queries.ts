import type { TenantTransaction } from '../../orm/transaction.js';
import { requireDevice } from '../devices/device.queries.js';
import type { Feed, FeedQuery } from './record-feed.rules.js';
import { readFeed } from './record-feed.sql.js';

interface Placed {
  readonly id: number;
  readonly receivedAtUs: number;
  readonly receivedAt: Date;
}

export interface TelemetryRow extends Placed {
  readonly kind: string;
  readonly ts: Date;
  readonly data: Record<string, unknown>;
}

export interface InferenceRow extends Placed {
  readonly ts: Date;
  readonly modelName: string;
  readonly version: number;
  readonly predictionId: string | null;
  readonly confidence: number | null;
  readonly latencyMs: number | null;
  readonly result: Record<string, unknown>;
  readonly uploadId: string | null;
}

/** Telemetry of a device, newest first. @param only this kind; null: every kind @throws AppError not_found */
export async function listTelemetry(
  tx: TenantTransaction,
  key: string,
  only: string | null,
  query: FeedQuery,
): Promise<Feed<TelemetryRow>> {
  const { number: device, retention } = await requireDevice(tx, key);
  const kind = {
    table: 'telemetry',
    retained: 'telemetry',
    columns: 'r.kind, r.ts, r.data',
    isMeasured: true,
  } as const;
  return readFeed<TelemetryRow>(
    tx,
    kind,
    { device, ownDays: retention.telemetry_days ?? null, kind: only },
    query,
  );
}

/** What models predicted on a device, newest first. @throws AppError not_found */
export async function listInference(
  tx: TenantTransaction,
  key: string,
  query: FeedQuery,
): Promise<Feed<InferenceRow>> {
  const { number: device, retention } = await requireDevice(tx, key);
  const kind = {
    table: 'inference',
    retained: 'inference',
    columns: `r.ts, r.model_name, r.version, r.prediction_id, r.confidence, r.latency_ms, r.result, r.upload_id`,
    isMeasured: true,
  } as const;
  return readFeed<InferenceRow>(
    tx,
    kind,
    { device, ownDays: retention.inference_days ?? null, kind: null },
    query,
  );
}
