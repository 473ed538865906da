import type { ExitRecord, InstanceRecord } from './workload-records.js';

/** When a service instance that died starts again. */
export const MAX_TRIES = 5;
export const HEALTHY_AFTER_MS = 60_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;

export type RestartDecision =
  | { readonly kind: 'restart'; readonly afterMs: number; readonly tries: number }
  | { readonly kind: 'give-up' };

/**
 * @param tries starts that ended badly since it was last healthy for HEALTHY_AFTER_MS, this one not counted
 * @param wasHealthyMs how long it had been answering when it died; null = it never answered
 */
export function decideRestart(tries: number, wasHealthyMs: number | null): RestartDecision {
  const counted = wasHealthyMs !== null && wasHealthyMs >= HEALTHY_AFTER_MS ? 1 : tries + 1;
  if (counted >= MAX_TRIES) return { kind: 'give-up' };
  return {
    kind: 'restart',
    afterMs: Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (counted - 1)),
    tries: counted,
  };
}

const SIGKILL = 9;

/** It ended neither by itself nor on request: its shim is gone, or something killed it. */
export function wasCutOff({ reason, signal }: ExitRecord): boolean {
  return reason === 'lost' || (reason === null && signal === SIGKILL);
}

/**
 * Whether a job that is wanted goes on from its checkpoint by itself: always after a shutdown of the platform, and
 * once after it was cut off, since what cut it off twice may be the job itself.
 */
export function goesOn(exit: ExitRecord, { cutOffAttempt }: InstanceRecord): boolean {
  if (exit.reason === 'suspended') return true;
  return wasCutOff(exit) && (cutOffAttempt === null || cutOffAttempt === exit.attempt);
}
