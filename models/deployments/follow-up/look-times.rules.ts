import type { RollbackCondition } from '../../registry/promotion/promotion.types.js';
import { spanMs, watchMs } from '../../registry/promotion/rollback.rules.js';

/** Devices call the work when they have come to an end, or are deleted; this is for a call that got lost. */
const NET_MS = 600_000;
const DAY_MS = 86_400_000;
const LEAST_MS = 1000;

/** Whose rollback conditions are measured now and then. */
export interface Measured {
  readonly isWatched: boolean;
  readonly rollbackOn: readonly RollbackCondition[];
  /** When they were measured last; null or absent: never. */
  readonly measuredAt?: Date | null;
  /** When that was tried last, in time or not. */
  readonly measureTriedAt?: Date | null;
}

/** @param until something changes by itself then, such as a window; null: nothing does */
export function nextWaitMs(deployment: Measured, now: Date, until: Date | null): number {
  const measure = deployment.isWatched ? [nextMeasureAt(deployment, triedAt(deployment) ?? now)] : [];
  const waits = [...measure, ...(until === null ? [] : [until])].map((at) => at.getTime() - now.getTime());
  return Math.max(LEAST_MS, Math.min(NET_MS, ...waits));
}

const nextMeasureAt = ({ rollbackOn }: Pick<Measured, 'rollbackOn'>, last: Date): Date =>
  new Date(last.getTime() + watchMs(rollbackOn));

/** Devices that end call the work every second: their records are not read each time. */
export function isMeasureDue(deployment: Measured, now: Date): boolean {
  const last = triedAt(deployment);
  return deployment.isWatched && (last === null || now >= nextMeasureAt(deployment, last));
}

/** Null: never. */
const triedAt = ({ measuredAt, measureTriedAt }: Measured): Date | null =>
  measureTriedAt ?? measuredAt ?? null;

/**
 * Until when a group is watched before the next one begins: its conditions hold nothing before the first of its devices has
 * had the version for the longest span.
 * @param first when the first of them got it; null: none has
 * @returns null once they were measured after that, and where there is nothing to wait for
 */
export function heldUntil(deployment: Measured, first: Date | null): Date | null {
  const { isWatched, rollbackOn, measuredAt } = deployment;
  if (!isWatched || rollbackOn.length === 0 || first === null) return null;
  const until = new Date(first.getTime() + Math.max(...rollbackOn.map(spanMs)));
  return measuredAt && measuredAt >= until ? null : until;
}

/**
 * Conditions are looked at until then: for a day after the devices have had the version for the span of the longest of them.
 * Before that it is not due.
 */
export function watchEnd({
  finishedAt,
  rollbackOn,
}: {
  readonly finishedAt: Date | null;
  readonly rollbackOn: readonly RollbackCondition[];
}): Date {
  const span = Math.max(0, ...rollbackOn.map(spanMs));
  return new Date((finishedAt?.getTime() ?? 0) + span + DAY_MS);
}
