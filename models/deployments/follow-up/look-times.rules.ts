import type { RollbackCondition } from '../../registry/promotion/promotion.types.js';
import { spanMs, watchMs } from '../../registry/promotion/rollback.rules.js';

/** Devices call the work when they have come to an end, or are deleted; this is for a call that got lost. */
const NET_MS = 600_000;
const DAY_MS = 86_400_000;
const LEAST_MS = 1000;

/** @param until something changes by itself then, such as a window; null: nothing does */
export function nextWaitMs(
  {
    isWatched,
    rollbackOn,
  }: { readonly isWatched: boolean; readonly rollbackOn: readonly RollbackCondition[] },
  now: Date,
  until: Date | null,
): number {
  const waits = [
    NET_MS,
    ...(isWatched ? [watchMs(rollbackOn)] : []),
    ...(until === null ? [] : [until.getTime() - now.getTime()]),
  ];
  return Math.max(LEAST_MS, Math.min(...waits));
}

/** Conditions are looked at until then: for a day after it has succeeded, or for as long as the longest of them spans. */
export function watchEnd({
  finishedAt,
  rollbackOn,
}: {
  readonly finishedAt: Date | null;
  readonly rollbackOn: readonly RollbackCondition[];
}): Date {
  const span = Math.max(DAY_MS, ...rollbackOn.map(spanMs));
  return new Date((finishedAt?.getTime() ?? 0) + span);
}
