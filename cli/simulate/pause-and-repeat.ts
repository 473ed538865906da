import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.js';

/** Ends early, and without an error, when the signal is aborted. */
export const pause = (seconds: number, signal: AbortSignal): Promise<void> =>
  sleep(seconds * 1000, undefined, { signal }).catch(() => undefined);

/**
 * Work again and again, first after a part of the interval by chance, so that devices do not work in step. What takes longer than
 * its interval is not caught up with.
 * @param interval seconds, asked for anew each time
 */
export async function repeatEvery(
  interval: () => number,
  random: Random,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  await pause(random.between(0, interval()), signal);
  while (!signal.aborted) {
    await work();
    await pause(interval() * random.between(0.8, 1.2), signal);
  }
}
