import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ENDPOINT_STATUSES } from '../../models/serving/serving.types.js';
import {
  advance,
  initialState,
  isDone,
  isOverdue,
  nextLookMs,
} from '../../workflows/serving/endpoint-look-times.state.js';

const statuses = fc.constantFrom(...ENDPOINT_STATUSES);

describe('the state of an endpoint in its workflow', () => {
  it('is overdue only while it comes up, counted from when it began to', () => {
    const coming = advance(initialState(1000), 'CONNECTING', 2000);
    expect([isOverdue(coming, 600_999, 600), isOverdue(coming, 601_000, 600)]).toEqual([false, true]);
    const up = advance(coming, 'RUNNING', 3000);
    expect(isOverdue(up, Number.MAX_SAFE_INTEGER, 600)).toBe(false);
  });

  it('always knows when to look next, between a quarter of a second and fifteen', () => {
    fc.assert(
      fc.property(fc.array(statuses, { maxLength: 200 }), (path) => {
        const state = path.reduce((before, status, index) => advance(before, status, index), initialState(0));
        expect(nextLookMs(state)).toBeGreaterThanOrEqual(250);
        expect(nextLookMs(state)).toBeLessThanOrEqual(15_000);
        expect(isDone(state)).toBe(['STOPPED', 'FAILED'].includes(path.at(-1) ?? ''));
      }),
    );
  });
});
