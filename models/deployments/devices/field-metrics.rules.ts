import { LEAST_SAMPLES } from '../../registry/promotion/rollback.rules.js';

/** What the version showed on these devices. */
export interface FieldMetrics {
  readonly requests: number;
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly confidenceMean: number | null;
  /** From 0 to 1: results with an `error`. */
  readonly errorRate: number | null;
}

const METRICS = {
  latency_p50_ms: 'latencyP50Ms',
  latency_p95_ms: 'latencyP95Ms',
  confidence_mean: 'confidenceMean',
  error_rate: 'errorRate',
} as const satisfies Readonly<Record<string, keyof FieldMetrics>>;

export const FIELD_METRICS: readonly string[] = ['requests', ...Object.keys(METRICS)];

/** @returns null for a metric that is not known, and while there are too few records to say */
export function fieldValue(metric: string, measured: FieldMetrics): number | null {
  if (metric === 'requests') return measured.requests;
  const known = METRICS[metric as keyof typeof METRICS];
  return known === undefined || measured.requests < LEAST_SAMPLES ? null : measured[known];
}
