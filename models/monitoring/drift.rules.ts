import { chiSquareTail, kolmogorovTail } from './special-functions.rules.js';

/** A share of nothing would make the index infinite. */
const LEAST_SHARE = 1e-4;

/** From here on a population has shifted markedly, by convention; below 0.1 it has not. */
export const PSI_THRESHOLD = 0.2;
/** A difference that chance would show less often than this. */
export const P_THRESHOLD = 0.05;
/** Fewer values than this, in either sample, decide nothing. */
export const LEAST_SAMPLES = 30;

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/**
 * Population stability index: the sum over all bins of (c - r) ln(c / r), with the shares r and c of the bin in the
 * reference and in the current sample. 0 for equal shares.
 * @param reference counts by bin @param current counts of the same bins
 * @returns null while one of the samples is empty
 */
export function populationStability(reference: readonly number[], current: readonly number[]): number | null {
  const [ofReference, ofCurrent] = [sumOf(reference), sumOf(current)];
  if (ofReference === 0 || ofCurrent === 0) return null;
  return reference.reduce((sum, count, bin) => {
    const r = Math.max(count / ofReference, LEAST_SHARE);
    const c = Math.max((current[bin] ?? 0) / ofCurrent, LEAST_SHARE);
    return sum + (c - r) * Math.log(c / r);
  }, 0);
}

export interface TestResult {
  readonly statistic: number;
  /** How often chance alone would make samples of one population differ so much. */
  readonly pValue: number;
}

/**
 * Chi-square test of homogeneity of two samples of categories (a table of 2 rows). Categories that neither sample has
 * are left out.
 * @returns null while one of the samples is empty
 */
export function chiSquareTest(reference: readonly number[], current: readonly number[]): TestResult | null {
  const [ofReference, ofCurrent] = [sumOf(reference), sumOf(current)];
  if (ofReference === 0 || ofCurrent === 0) return null;
  const total = ofReference + ofCurrent;
  const cells = reference.map((r, bin) => ({ r, c: current[bin] ?? 0 })).filter(({ r, c }) => r + c > 0);
  const statistic = cells.reduce((sum, { r, c }) => {
    const expected = ((r + c) * ofReference) / total;
    const expectedNow = r + c - expected;
    return sum + (r - expected) ** 2 / expected + (c - expectedNow) ** 2 / expectedNow;
  }, 0);
  return { statistic, pValue: chiSquareTail(statistic, cells.length - 1) };
}

/**
 * Two-sample Kolmogorov-Smirnov test: the largest distance of the two empirical distributions, with its asymptotic p
 * value (Stephens' correction for finite samples).
 * @returns null while one of the samples is empty
 */
export function kolmogorovSmirnovTest(
  reference: readonly number[],
  current: readonly number[],
): TestResult | null {
  if (reference.length === 0 || current.length === 0) return null;
  const [a, b] = [reference, current].map((values) => [...values].sort((x, y) => x - y)) as [
    number[],
    number[],
  ];
  let [i, j, distance] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const value = Math.min(a[i] as number, b[j] as number);
    while (a[i] === value) i += 1;
    while (b[j] === value) j += 1;
    distance = Math.max(distance, Math.abs(i / a.length - j / b.length));
  }
  const root = Math.sqrt((a.length * b.length) / (a.length + b.length));
  return { statistic: distance, pValue: kolmogorovTail((root + 0.12 + 0.11 / root) * distance) };
}

/**
 * Whether a population has drifted: more than chance explains, and by more than is negligible, which in large samples
 * almost every difference is not by chance.
 * @returns null while there are too few values to say
 */
export function hasDrifted(
  psi: number | null,
  test: TestResult | null,
  samples: { readonly reference: number; readonly current: number },
): boolean | null {
  if (psi === null || test === null) return null;
  if (Math.min(samples.reference, samples.current) < LEAST_SAMPLES) return null;
  return psi >= PSI_THRESHOLD && test.pValue < P_THRESHOLD;
}
