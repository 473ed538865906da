import type { RecordBatch } from './telemetry-write.types.js';

export interface NewInference {
  /** Null: the time of receipt. */
  readonly ts: Date | null;
  readonly modelName: string;
  readonly version: number;
  readonly predictionId: string | null;
  /** Class of the result; null where it has no single one. */
  readonly label: string | null;
  readonly confidence: number | null;
  readonly latencyMs: number | null;
  /** JSON text of an object. */
  readonly result: string;
  readonly uploadId: string | null;
}

export type NewInferenceBatch = RecordBatch<NewInference>;
