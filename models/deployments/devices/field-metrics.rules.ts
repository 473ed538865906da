import { LEAST_SAMPLES } from '../../registry/promotion/rollback.rules.js';

/** What the version showed on these devices. */
export interface FieldMetrics {
  readonly requests: number;
  /** Records that say how long they took, and those that say how sure the model was. */
  readonly latencies: number;
  readonly confidences: number;
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly confidenceMean: number | null;
  /** From 0 to 1: results with an `error`. */
  readonly errorRate: number | null;
}

/** Each with the records that it is taken over. */
const METRICS = {
  latency_p50_ms: ['latencyP50Ms', 'latencies'],
  latency_p95_ms: ['latencyP95Ms', 'latencies'],
  confidence_mean: ['confidenceMean', 'confidences'],
  error_rate: ['errorRate', 'requests'],
} as const satisfies Readonly<Record<string, readonly [keyof FieldMetrics, keyof FieldMetrics]>>;

export const FIELD_METRICS: readonly string[] = ['requests', ...Object.keys(METRICS)];

/** @returns null for a metric that is not known, and while there are too few records to say */
export function fieldValue(metric: string, measured: FieldMetrics): number | null {
  if (metric === 'requests') return measured.requests;
  const known = METRICS[metric as keyof typeof METRICS];
  return known === undefined || tooFewText(metric, measured) !== null ? null : measured[known[0]];
}

/** How many records there are of those that the metric takes, in words; null where they are enough. */
export function tooFewText(metric: string, measured: FieldMetrics): string | null {
  const known = METRICS[metric as keyof typeof METRICS];
  const count = known === undefined ? LEAST_SAMPLES : measured[known[1]];
  return count < LEAST_SAMPLES ? `${count} of ${LEAST_SAMPLES} records for ${metric}` : null;
}
