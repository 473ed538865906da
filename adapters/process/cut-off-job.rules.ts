import type { ExitRecord, InstanceRecord } from './workload-records.js';

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
