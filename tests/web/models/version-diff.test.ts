import { describe, expect, it } from '@jest/globals';
import { isLessBetter } from '../../../models/registry/promotion/kpi.rules.js';
import {
  offeredVersions,
  baselineFor,
  diffRows,
  isBetter,
  signatureText,
} from '../../../web/src/models/compare/version-diff.ts';

describe('difference of two versions', () => {
  const pairs = [
    { name: 'alpha', from: 1, to: 1 },
    { name: 'zeta', from: null, to: 2 },
    { name: 'beta', from: 1, to: 2 },
  ];

  it('puts what differs first', () => {
    expect(diffRows(pairs, false).map((row) => row.name)).toEqual(['beta', 'zeta', 'alpha']);
    expect(diffRows(pairs, true).map((row) => row.name)).toEqual(['beta', 'zeta']);
  });

  it('knows of which metrics less is better', () => {
    expect(isBetter('test/accuracy', 0.8, 0.9)).toBe(true);
    expect(isBetter('val/loss', 0.8, 0.9)).toBe(false);
    expect(isBetter('latency_p95_ms', 20, 10)).toBe(true);
    expect(isBetter('test/accuracy', null, 0.9)).toBeNull();
    expect(isBetter('test/accuracy', 0.9, 0.9)).toBeNull();
  });

  it('judges metrics as the checks of a promotion do', () => {
    const names = [
      'accuracy',
      'val/loss',
      'latency_p95_ms',
      'map50',
      'rmse',
      'train/mae',
      'f1',
      'took_s',
      'lossless',
    ];
    for (const name of names) expect(isBetter(name, 2, 1)).toBe(isLessBetter(name));
  });

  it('writes signatures of columns and of tensors', () => {
    expect(
      signatureText([
        { name: 'label', type: 'string' },
        { name: 'score', type: 'double' },
      ]),
    ).toBe('label: string, score: double');
    expect(signatureText([{ type: 'tensor', 'tensor-spec': {} }])).toBe('tensor');
    expect(signatureText(null)).toBe('–');
  });

  it('compares with Production, else with the version before, else with any', () => {
    expect(baselineFor(3, 1, [1, 2, 3])).toBe(1);
    expect(baselineFor(3, 3, [1, 2, 3])).toBe(2);
    expect(baselineFor(1, null, [1, 4])).toBe(4);
    expect(baselineFor(1, null, [1])).toBeNull();
  });
});

describe('versions that are offered', () => {
  const read = [250, 249, 51];

  it('are those that were read and those that are compared, the newest first', () => {
    expect(offeredVersions([250, 7], read, 250, '')).toEqual([250, 249, 51, 7]);
  });

  it('have an older one once its number is typed', () => {
    expect(offeredVersions([250, 249], read, 250, ' 12 ')).toEqual([250, 249, 51, 12]);
  });

  it.each([
    ['is among those that are there', '251', 250],
    ['was deleted', '60', 250],
    ['is another word', 'Version 12', 250],
    ['is older than all that there are', '12', 3],
  ])('have none that %s', (_, typed, total) => {
    expect(offeredVersions([], read, total, typed)).toEqual(read);
  });
});
