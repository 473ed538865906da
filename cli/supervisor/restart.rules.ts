const FIRST_MS = 500;
const LIMIT_MS = 30_000;
/** Whoever has run this long is well again: its next death counts as the first. */
const WELL_AFTER_MS = 60_000;

export interface Restarts {
  readonly inARow: number;
  readonly lastStartAt: number;
}

/** Pure: how often it has died in a row, this death included. */
export const countDeath = (restarts: Restarts, now: number): number =>
  now - restarts.lastStartAt >= WELL_AFTER_MS ? 1 : restarts.inARow + 1;

/** Pure: 0.5 s, 1 s, 2 s ... at most 30 s. @param inARow deaths in a row, from 1 */
export const backOffMs = (inARow: number): number => Math.min(LIMIT_MS, FIRST_MS * 2 ** (inARow - 1));
