export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @param values at least one */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('a spread needs at least one value');
  const lower = sorted.length % 2 === 0 ? (sorted[middle - 1] as number) : upper;
  return { median: (lower + upper) / 2, min: sorted[0] as number, max: sorted[sorted.length - 1] as number };
}
