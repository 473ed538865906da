import { parseSpan } from '../../../core/time/parse-span.js';
import type { ConditionOperator, RollbackCondition } from './promotion.types.js';

/** Fewer records than this say nothing about a metric that is taken over them. */
export const LEAST_SAMPLES = 30;

const FASTEST_MS = 10_000;
const SLOWEST_MS = 60_000;

/** How often the conditions are looked at: four times within the shortest span, within bounds. */
export function watchMs(conditions: readonly RollbackCondition[]): number {
  const spans = conditions.map((condition) => spanMs(condition));
  return Math.min(SLOWEST_MS, Math.max(FASTEST_MS, Math.round(Math.min(...spans) / 4)));
}

export const spanMs = (condition: RollbackCondition): number => parseSpan(condition.for) ?? 0;

const HOLDS: Readonly<Record<ConditionOperator, (value: number, limit: number) => boolean>> = {
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
};

/** @param value null: not known, which holds no condition */
export const holds = ({ op, value: limit }: RollbackCondition, value: number | null): boolean =>
  value !== null && HOLDS[op](value, limit);

/** Looks come late while a worker restarts: that is no gap. */
const LATE_MS = 60_000;

/** Whether nobody has looked for so long that the platform was away. */
export const isGap = (sinceLastLookMs: number, conditions: readonly RollbackCondition[]): boolean =>
  sinceLastLookMs > 2 * watchMs(conditions) + LATE_MS;

/**
 * Since when a promotion has been watched without a gap, its look of now included: while the platform was away it received
 * nothing, which says nothing about the version. Null: it is not watched.
 */
export function watchedSince(
  promotion: {
    readonly isWatched: boolean;
    readonly rollbackConditions: readonly RollbackCondition[];
    readonly appliedAt?: Date | null;
    readonly lookedAt?: Date | null;
    readonly watchedSince?: Date | null;
  },
  now: Date,
): Date | null {
  if (!promotion.isWatched || !promotion.appliedAt) return null;
  const last = promotion.lookedAt ?? promotion.appliedAt;
  if (isGap(now.getTime() - last.getTime(), promotion.rollbackConditions)) return now;
  return promotion.watchedSince ?? promotion.appliedAt;
}

/**
 * The whole span must lie after the version came into Production, and after the last gap of its watch: what was before says
 * nothing of it.
 */
export const isDue = (condition: RollbackCondition, watchedSince: Date, now: Date): boolean =>
  now.getTime() - watchedSince.getTime() >= spanMs(condition);

/** What the version showed within the span. */
export interface Measured {
  /** Records: devices send them, and nothing else does. */
  readonly requests: number;
  /** Whether a device had the version for the whole span and could send records: where none had, no record is no sign. */
  readonly isInstalled: boolean;
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly confidenceMean: number | null;
  /** Predictions of which feedback says whether they are right. */
  readonly judged: number;
  readonly accuracy: number | null;
  /** PSI of the predicted labels against the classes of the training data; null without such data. */
  readonly driftPsi: number | null;
}

/**
 * @param smoke last smoke KPI of this name of an endpoint that serves the version; for names that records do not know
 * @returns null while there is too little to say
 */
export function measuredValue(metric: string, measured: Measured, smoke: number | null): number | null {
  const sampled = (value: number | null, samples: number) => (samples >= LEAST_SAMPLES ? value : null);
  switch (metric) {
    case 'requests':
      return measured.isInstalled ? measured.requests : null;
    case 'latency_p50_ms':
      return sampled(measured.latencyP50Ms, measured.requests) ?? smoke;
    case 'latency_p95_ms':
      return sampled(measured.latencyP95Ms, measured.requests) ?? smoke;
    case 'confidence_mean':
      return sampled(measured.confidenceMean, measured.requests);
    case 'accuracy':
      return sampled(measured.accuracy, measured.judged) ?? smoke;
    case 'drift_psi':
      return sampled(measured.driftPsi, measured.requests);
    default:
      return smoke;
  }
}

const OF_RECORDS: ReadonlySet<string> = new Set([
  ...['requests', 'latency_p50_ms', 'latency_p95_ms', 'confidence_mean', 'accuracy', 'drift_psi'],
]);

/** Whether a condition takes records to be read. */
export const isOfRecords = ({ metric }: RollbackCondition): boolean => OF_RECORDS.has(metric);

const LATE = ' Could not be measured in time at the last look: ';

/** @param late conditions in words; the message says them until a look measures them */
export function withLate(message: string, late: readonly string[]): string {
  const [known = ''] = message.split(LATE);
  return late.length === 0 ? known : `${known}${LATE}${late.join(', ')}.`;
}

/**
 * Names that neither records know nor any of the smoke KPIs: conditions on them hold nothing.
 * @param lacking names of records for which this model or version has nothing to measure by
 */
export function unmeasured(
  conditions: readonly RollbackCondition[],
  kpis: ReadonlyArray<Readonly<Record<string, number>>>,
  lacking: readonly string[] = [],
): string[] {
  const names = new Set(conditions.map(({ metric }) => metric));
  return [...names].filter(
    (name) =>
      (!OF_RECORDS.has(name) || lacking.includes(name)) && !kpis.some((each) => Object.hasOwn(each, name)),
  );
}

export const conditionText = ({ metric, op, value, for: span }: RollbackCondition): string =>
  `${metric} ${op} ${value} for ${span}`;
