const FIRST_S = 1;
const MAX_S = 60;

/** Seconds until the next try of an entry that failed `attempts` times: 1, 2, 4 ... 60, each shortened by up to a fifth at random. */
export function retryDelayS(attempts: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_S * 2 ** Math.max(0, attempts - 1), MAX_S);
  return full * (0.8 + 0.2 * random());
}
