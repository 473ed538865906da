import type { InstantText } from '../http/routing/parameters.js';
import type { FeedPageQuery } from './devices.schemas.js';

/**
 * What kind of record it is; feeds are filtered by it.
 * @minLength 1
 * @maxLength 128
 * @pattern ^[^\u0000-\u001f\u007f]+$ must be text without control characters
 */
export type RecordKindText = string;

export interface TelemetryRecord {
  kind: RecordKindText;
  /** When it was measured, by the clock of the device; the time of receipt when left out. */
  ts?: InstantText | null;
  data?: { [key: string]: unknown };
}

/** At most 5 MiB. One bad record refuses all of them, and is named by its place. */
export interface TelemetryBatch {
  /** @maxItems 10000 */
  records: TelemetryRecord[];
}

/**
 * @minLength 1
 * @maxLength 128
 * @pattern ^[^\u0000-\u001f\u007f/:%]+$ must be the name of a model
 */
export type RecordedModel = string;

/**
 * @isInt
 * @minimum 1
 * @maximum 2147483647
 */
export type RecordedVersion = number;

/** @maxLength 200 */
export type RecordedId = string;

export interface InferenceRecord {
  model_name: RecordedModel;
  version: RecordedVersion;
  /** What feedback refers to; made by the inference server. */
  prediction_id?: RecordedId | null;
  ts?: InstantText | null;
  /**
   * @minimum 0
   * @maximum 1000000000
   */
  latency_ms?: number | null;
  /**
   * @minimum 0
   * @maximum 1
   */
  confidence?: number | null;
  /** Its `label` is the class that statistics count. */
  result?: { [key: string]: unknown };
  /** Upload of the image that it was made from. */
  upload_id?: RecordedId | null;
}

/** At most 5 MiB. One bad record refuses all of them, and is named by its place. */
export interface InferenceBatch {
  /** @maxItems 10000 */
  records: InferenceRecord[];
}

/** What the first batch of a key got, and every repeat of it within 48 hours gets. */
export interface BatchReceipt {
  accepted: number;
  received_at: string;
}

export interface TelemetryOut {
  id: string;
  kind: string;
  ts: string;
  received_at: string;
  data: { [key: string]: unknown };
}

export interface TelemetryFeed {
  items: TelemetryOut[];
  /** Exact up to 10,000. */
  total: number;
  total_capped: boolean;
  next_cursor: string | null;
}

export interface TelemetryFeedQuery extends FeedPageQuery {
  kind?: RecordKindText;
}

export interface InferenceOut {
  id: string;
  model_name: string;
  version: number;
  prediction_id: string | null;
  ts: string;
  received_at: string;
  latency_ms: number | null;
  confidence: number | null;
  result: { [key: string]: unknown };
  upload_id: string | null;
}

export interface InferenceFeed {
  items: InferenceOut[];
  /** Exact up to 10,000. */
  total: number;
  total_capped: boolean;
  next_cursor: string | null;
}

/**
 * Unique by device for 48 hours; without it the sha256 of the body.
 * @minLength 1
 * @maxLength 64
 * @pattern ^[!-~]+$ must be printable ASCII without spaces
 */
export type IdempotencyKey = string;
