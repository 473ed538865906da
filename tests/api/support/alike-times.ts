export interface TimedCases {
  /** Median time of one call of each case, in ms. */
  readonly medianMs: Readonly<Record<string, number>>;
  /** The slowest case's median over the fastest one's, at least 1. */
  readonly ratio: number;
}

const WARM_UP = 3;

/**
 * Times cases that should not be distinguished. They take turns call by call, beginning with another one in each round, so
 * that whatever else the machine does meets all of them alike; medians leave out single long calls. While the ratio is
 * beyond `bound` it goes on, up to four times `rounds`: chance fades with more rounds, a difference in work stays.
 * @param cases each gets how often it was called before
 */
export async function timeAlike(
  cases: Readonly<Record<string, (call: number) => Promise<unknown>>>,
  bound: number,
  rounds: number,
): Promise<TimedCases> {
  const names = Object.keys(cases);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  let result: TimedCases = { medianMs: {}, ratio: Number.POSITIVE_INFINITY };
  for (let round = 0; round < WARM_UP + 4 * rounds; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(turn + round) % names.length] as string;
      const startedAt = performance.now();
      await cases[name]?.(round);
      if (round >= WARM_UP) times.get(name)?.push(performance.now() - startedAt);
    }
    const counted = round + 1 - WARM_UP;
    if (counted <= 0 || counted % rounds !== 0) continue;
    const medianMs = Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])]));
    const all = Object.values(medianMs);
    result = { medianMs, ratio: Math.max(...all) / Math.min(...all) };
    if (result.ratio <= bound) break;
  }
  return result;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
