import {
  chiSquareTest,
  hasDrifted,
  kolmogorovSmirnovTest,
  LEAST_SAMPLES,
  populationStability,
  type TestResult,
} from './drift.rules.js';
import { type Bin, labelBins, rangeBins } from './histogram.rules.js';

/** Two samples of one feature, compared. */
export interface Distribution {
  readonly bins: readonly Bin[];
  readonly referenceSize: number;
  readonly currentSize: number;
  readonly psi: number | null;
  readonly test: 'chi_square' | 'kolmogorov_smirnov';
  readonly result: TestResult | null;
  /** Null while there are too few values to say. */
  readonly drifted: boolean | null;
}

function toDistribution(
  bins: readonly Bin[],
  test: Distribution['test'],
  result: TestResult | null,
): Distribution {
  const [reference, current] = [bins.map((bin) => bin.reference), bins.map((bin) => bin.current)];
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const sizes = { reference: sum(reference), current: sum(current) };
  const psi = populationStability(reference, current);
  return {
    ...{ bins, psi, test, result },
    referenceSize: sizes.reference,
    currentSize: sizes.current,
    drifted: hasDrifted(psi, result, sizes),
  };
}

export function compareLabels(
  reference: ReadonlyMap<string, number>,
  current: ReadonlyMap<string, number>,
): Distribution {
  const bins = labelBins(reference, current);
  const result = chiSquareTest(
    bins.map((bin) => bin.reference),
    bins.map((bin) => bin.current),
  );
  return toDistribution(bins, 'chi_square', result);
}

export const compareValues = (reference: readonly number[], current: readonly number[]): Distribution =>
  toDistribution(
    rangeBins(reference, current),
    'kolmogorov_smirnov',
    kolmogorovSmirnovTest(reference, current),
  );

/** Why nothing can be said, in words; null where it can. */
export function silenceOf(
  { referenceSize, currentSize }: Distribution,
  hasReference: boolean,
): string | null {
  if (currentSize === 0) return 'There are no inference records of this version within the range yet.';
  if (!hasReference)
    return 'The training data say nothing of this feature; name a version of the model as baseline.';
  if (referenceSize === 0) return 'There is nothing to compare with: the baseline has no values.';
  if (Math.min(referenceSize, currentSize) < LEAST_SAMPLES)
    return `There are fewer than ${LEAST_SAMPLES} values on one side: too few to distinguish drift from chance.`;
  return null;
}
