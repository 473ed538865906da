import { describe, expect, it } from '@jest/globals';
import { compareLabels, compareValues, silenceOf } from '../../../models/monitoring/distribution.rules.js';
import {
  chiSquareTest,
  hasDrifted,
  kolmogorovSmirnovTest,
  populationStability,
} from '../../../models/monitoring/drift.rules.js';
import { labelBins, rangeBins } from '../../../models/monitoring/histogram.rules.js';
import { wilsonInterval } from '../../../models/monitoring/proportion.rules.js';
import {
  chiSquareTail,
  kolmogorovTail,
  upperGamma,
} from '../../../models/monitoring/special-functions.rules.js';

/** Even steps from `from` on. */
const steps = (count: number, from = 0, by = 1): number[] =>
  Array.from({ length: count }, (_, index) => from + index * by);

describe('tails of distributions', () => {
  it('have the values of printed tables', () => {
    // 95 %, 99 % and 5 % quantiles of chi-square.
    for (const [x, degrees, tail] of [
      [3.841459, 1, 0.05],
      [5.991465, 2, 0.05],
      [11.0705, 5, 0.05],
      [6.634897, 1, 0.01],
      [23.20925, 10, 0.01],
      [3.940299, 10, 0.95],
      [124.3421, 100, 0.05],
    ] as const)
      expect(chiSquareTail(x, degrees)).toBeCloseTo(tail, 5);
    // Kolmogorov's distribution: 10 %, 5 % and 1 %.
    for (const [x, tail] of [
      [1.2238, 0.1],
      [1.3581, 0.05],
      [1.6276, 0.01],
    ] as const)
      expect(kolmogorovTail(x)).toBeCloseTo(tail, 4);
    expect(kolmogorovTail(0)).toBe(1);
    expect(upperGamma(1, 2)).toBeCloseTo(Math.exp(-2), 12);
    expect(upperGamma(0.5, 0)).toBe(1);
    expect(chiSquareTail(7, 0)).toBe(1);
  });
});

describe('two samples', () => {
  it('are as stable as their shares', () => {
    expect(populationStability([50, 50], [5, 5])).toBeCloseTo(0, 12);
    // (0.8 - 0.5) ln(1.6) + (0.2 - 0.5) ln(0.4)
    expect(populationStability([50, 50], [80, 20])).toBeCloseTo(
      0.3 * Math.log(1.6) - 0.3 * Math.log(0.4),
      12,
    );
    expect(populationStability([0, 0], [1, 2])).toBeNull();
    expect(populationStability([10, 0], [0, 10])).toBeGreaterThan(10);
  });

  it('are compared by chi-square as in a table of two rows', () => {
    // Row sums 100 and 100, column sums 75, 85, 40: 2 * 7.5^2 / 37.5 + 2 * 7.5^2 / 42.5.
    const found = chiSquareTest([30, 50, 20], [45, 35, 20]);
    expect(found?.statistic).toBeCloseTo((2 * 56.25) / 37.5 + (2 * 56.25) / 42.5, 10);
    // Two degrees of freedom: the tail is exp(-x / 2).
    expect(found?.pValue).toBeCloseTo(Math.exp(-(found?.statistic ?? 0) / 2), 10);
    expect(chiSquareTest([1, 2], [])).toBeNull();
    expect(chiSquareTest([10, 0, 5], [20, 0, 10])).toEqual({ statistic: 0, pValue: 1 });
  });

  it('are compared by the largest distance of their distributions', () => {
    expect(kolmogorovSmirnovTest([1, 2, 3, 4], [1, 2, 3, 4])).toEqual({ statistic: 0, pValue: 1 });
    expect(kolmogorovSmirnovTest([1, 2, 3, 4], [3, 4, 5, 6])?.statistic).toBe(0.5);
    expect(kolmogorovSmirnovTest([1, 1, 1], [2, 2])?.statistic).toBe(1);
    expect(kolmogorovSmirnovTest([], [1])).toBeNull();
    const far = kolmogorovSmirnovTest(steps(200), steps(200, 100));
    expect(far?.statistic).toBeCloseTo(0.5, 12);
    expect(far?.pValue).toBeLessThan(1e-6);
    // lambda = (sqrt(100) + 0.12 + 0.011) * 0.05, far into the middle of the distribution.
    expect(kolmogorovSmirnovTest(steps(200), steps(200, 10))?.pValue).toBeCloseTo(
      kolmogorovTail((10 + 0.12 + 0.011) * 0.05),
      12,
    );
  });

  it('have drifted only by more than chance and by more than is negligible', () => {
    const many = { reference: 1000, current: 1000 };
    expect(hasDrifted(0.3, { statistic: 1, pValue: 0.001 }, many)).toBe(true);
    expect(hasDrifted(0.01, { statistic: 1, pValue: 0.001 }, many)).toBe(false);
    expect(hasDrifted(0.3, { statistic: 1, pValue: 0.2 }, many)).toBe(false);
    expect(hasDrifted(0.3, { statistic: 1, pValue: 0.001 }, { reference: 29, current: 900 })).toBeNull();
    expect(hasDrifted(null, null, many)).toBeNull();
  });
});

describe('histograms', () => {
  it('put labels side by side, the most frequent first, and the rest together', () => {
    const bins = labelBins(
      new Map([['cat', 3]]),
      new Map([
        ['dog', 9],
        ['cat', 1],
      ]),
    );
    expect(bins).toEqual([
      { from: 'dog', to: null, reference: 0, current: 9 },
      { from: 'cat', to: null, reference: 3, current: 1 },
    ]);
    const many = labelBins(new Map(steps(150).map((n) => [`l${n}`, n + 1])), new Map());
    expect([many.length, many[0]?.from, many.at(-1)]).toEqual([
      101,
      'l149',
      { from: '(other)', to: null, reference: 1275, current: 0 },
    ]);
  });

  it('cut numbers at the deciles of the reference, and lose none', () => {
    const bins = rangeBins(steps(100), steps(50, -20, 3));
    const sum = (part: 'reference' | 'current') => bins.reduce((total, bin) => total + bin[part], 0);
    expect([sum('reference'), sum('current')]).toEqual([100, 50]);
    expect(bins.slice(1, -1).every((bin) => bin.reference >= 9 && bin.reference <= 11)).toBe(true);
    expect(rangeBins([], [])).toEqual([]);
    expect(rangeBins([], [5, 5])).toEqual([{ from: 5, to: 5, reference: 0, current: 2 }]);
  });

  it('give a value that most of the reference has a bin of its own', () => {
    const reference = [...steps(95, 1, 0), ...steps(5, 0.5, 0.1)];
    const moved = compareValues(reference, steps(200, 0.55, 0));
    expect(moved.bins).toEqual([
      { from: 0.5, to: 1, reference: 5, current: 200 },
      { from: 1, to: 1, reference: 95, current: 0 },
    ]);
    expect(moved.drifted).toBe(true);
    expect(compareValues(reference, reference).psi).toBe(0);
    for (const [from, to] of [
      [1, 0.4],
      [40, 90],
    ] as const)
      expect(compareValues(steps(100, from, 0), steps(100, to, 0)).drifted).toBe(true);
    // A frequent value in the middle: those below, itself, those above.
    const middle = [...steps(20, 1, 0.1), ...steps(60, 5, 0), ...steps(20, 6, 0.1)];
    const bins = rangeBins(middle, middle);
    expect(bins.find(({ from, to }) => from === 5 && to === 5)?.reference).toBe(60);
    expect(bins.reduce((total, bin) => total + bin.reference, 0)).toBe(100);
  });

  it('say what they rest on, and why they say nothing', () => {
    const none = compareLabels(new Map([['a', 40]]), new Map());
    expect([none.currentSize, none.drifted, silenceOf(none, true)]).toEqual([
      0,
      null,
      expect.stringContaining('no inference records'),
    ]);
    const moved = compareLabels(
      new Map([
        ['a', 400],
        ['b', 400],
      ]),
      new Map([
        ['a', 90],
        ['b', 10],
      ]),
    );
    expect([moved.test, moved.drifted, silenceOf(moved, true)]).toEqual(['chi_square', true, null]);
    const numbers = compareValues(steps(100), steps(100, 60));
    expect([numbers.test, numbers.drifted]).toEqual(['kolmogorov_smirnov', true]);
    expect(silenceOf(compareValues([], steps(50)), false)).toMatch(/training data say nothing/);
    expect(silenceOf(compareValues(steps(3), steps(50)), true)).toMatch(/fewer than 30/);
  });
});

describe('a share', () => {
  it('has the interval of Wilson', () => {
    // Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263.
    const { low, high } = wilsonInterval(81, 263) ?? { low: 0, high: 0 };
    expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.2553', '0.3662']);
    expect(wilsonInterval(0, 0)).toBeNull();
    expect(wilsonInterval(0, 20)?.low).toBe(0);
  });
});
