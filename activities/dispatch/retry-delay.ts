const FIRST_S = 1;
/** Short, because an entry that waits may be somebody's training that should have begun when Temporal came back. */
const MAX_S = 15;

/** Seconds until the next try of an entry that failed `attempts` times: 1, 2, 4, 8, 15, each shortened by up to a fifth at random. */
export function retryDelayS(attempts: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_S * 2 ** Math.max(0, attempts - 1), MAX_S);
  return full * (0.8 + 0.2 * random());
}
