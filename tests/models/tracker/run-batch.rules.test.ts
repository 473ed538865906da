import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBatch, progressOf } from '../../../models/tracker/run-batch.rules.js';

const runId = 'a'.repeat(32);
const metric = (over: Record<string, unknown> = {}) => ({
  key: 'train/loss',
  value: 0.5,
  timestamp: 1_700_000_000_000,
  step: 3,
  ...over,
});

describe('log-batch body', () => {
  it('reads metrics, params and tags and ignores unknown fields', () => {
    const { batch } = parseBatch({
      run_id: runId,
      metrics: [metric({ digest: 'x' })],
      params: [{ key: 'a', value: '1' }],
      tags: [{ key: 'b', value: '2' }],
      extra: true,
    });
    expect(batch).toEqual({
      metrics: [{ key: 'train/loss', value: 0.5, ts: 1_700_000_000_000, step: 3 }],
      params: [{ key: 'a', value: '1' }],
      tags: [{ key: 'b', value: '2' }],
    });
  });

  it('accepts 64-bit integers and special numbers as text', () => {
    const { batch } = parseBatch({
      run_id: runId,
      metrics: [metric({ timestamp: '17', step: '4', value: 'NaN' }), metric({ value: '-Infinity' })],
    });
    expect(batch.metrics[0]).toMatchObject({ ts: 17, step: 4, value: Number.NaN });
    expect(batch.metrics[1]?.value).toBe(Number.NEGATIVE_INFINITY);
  });

  it.each([
    ['1,001 metrics', { metrics: Array.from({ length: 1001 }, () => metric()) }, /metrics.*at most 1000/],
    [
      '101 params',
      { params: Array.from({ length: 101 }, (_, i) => ({ key: `k${i}`, value: '' })) },
      /params.*at most 100/,
    ],
    [
      'too many in all',
      {
        metrics: Array.from({ length: 950 }, () => metric()),
        tags: Array.from({ length: 51 }, (_, i) => ({ key: `k${i}`, value: '' })),
      },
      /1000/,
    ],
    ['a key of 251 characters', { params: [{ key: 'k'.repeat(251), value: '' }] }, /params\[0\]\.key/],
    ['a key that is a path upwards', { metrics: [metric({ key: '../x' })] }, /metrics\[0\]\.key/],
    ['a value that is no number', { metrics: [metric({ value: 'high' })] }, /metrics\[0\]\.value/],
    [
      'the same param twice with different values',
      {
        params: [
          { key: 'k', value: '1' },
          { key: 'k', value: '2' },
        ],
      },
      /twice/,
    ],
    ['the same param twice', { params: [1, 2].map(() => ({ key: 'k', value: '1' })) }, /twice/],
  ])('refuses %s', (_what, body, message) => {
    expect(() => parseBatch({ run_id: runId, ...body })).toThrow(message);
  });

  it('refuses anything that is not a batch with a named place, and never fails otherwise', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        try {
          parseBatch(body);
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_request' });
        }
      }),
    );
  });

  it('finds the progress between 0 and 1', () => {
    const of = (value: number) =>
      progressOf({ metrics: [{ key: 'system/progress', value, ts: 0, step: 0 }], params: [], tags: [] });
    expect([of(0.4), of(7), of(-1), of(Number.NaN)]).toEqual([0.4, 1, 0, null]);
  });
});
