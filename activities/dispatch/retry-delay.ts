const FIRST_S = 1;

/**
 * Seconds until the next try of an entry that failed `attempts` times: 1, 2, 4, 8 and so on, each shortened
 * by up to a fifth at random.
 * @param maxS short where the entry may be somebody's training that should have begun when Temporal came back
 */
export function retryDelayS(attempts: number, maxS: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_S * 2 ** Math.max(0, attempts - 1), maxS);
  return full * (0.8 + 0.2 * random());
}
