import { pause } from './pause-and-repeat.js';
import type { Random } from './random.js';

const FIRST_S = 1;
/** Doubled no further. */
const MOST_DOUBLINGS = 10;

/**
 * Pure: the pause in seconds before the next try, in part by chance, so that a fleet does not come back at once. What the
 * platform asked for is the least.
 * @param chance from 0 to 1
 */
export function pauseS(
  failures: number,
  retryAfterS: number | null,
  longestS: number,
  chance: number,
): number {
  const longest = Math.min(longestS, FIRST_S * 2 ** Math.min(failures, MOST_DOUBLINGS));
  return Math.max((retryAfterS ?? 0) * (1 + chance / 4), longest * (0.5 + chance / 2));
}

/** Growing pauses of one activity of a device. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly random: Random,
    private readonly longestS: number,
  ) {}

  success(): void {
    this.failures = 0;
  }

  async wait(retryAfterS: number | null, signal: AbortSignal): Promise<void> {
    const seconds = pauseS(this.failures, retryAfterS, this.longestS, this.random.next());
    this.failures += 1;
    await pause(seconds, signal);
  }
}
