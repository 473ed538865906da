import { type Spread, spreadOf } from './statistics.js';

/** One measured side. `perCpuS` hardly moves with neighbours on the machine; `perWallS` does. */
export interface Sample {
  readonly perCpuS: number;
  readonly perWallS: number;
}

export interface PairResult {
  readonly pairs: number;
  /** Subject over base, of work per CPU-second: the figure that counts. */
  readonly ratio: Spread;
  readonly wallRatio: Spread;
  readonly subject: Spread;
  readonly base: Spread;
}

/** Measures both sides in turn, the order changing with each pair, so that a drift of the machine hits both alike. */
export async function comparePairs(
  pairs: number,
  subject: () => Promise<Sample>,
  base: () => Promise<Sample>,
): Promise<PairResult> {
  const samples: Array<{ subject: Sample; base: Sample }> = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    if (pair % 2 === 0) {
      const first = await subject();
      samples.push({ subject: first, base: await base() });
    } else {
      const first = await base();
      samples.push({ base: first, subject: await subject() });
    }
  }
  return {
    pairs,
    ratio: spreadOf(samples.map((pair) => pair.subject.perCpuS / pair.base.perCpuS)),
    wallRatio: spreadOf(samples.map((pair) => pair.subject.perWallS / pair.base.perWallS)),
    subject: spreadOf(samples.map((pair) => pair.subject.perCpuS)),
    base: spreadOf(samples.map((pair) => pair.base.perCpuS)),
  };
}
