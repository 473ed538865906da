import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ENDPOINT_STATUSES } from '../../models/serving/serving.types.js';
import {
  advance,
  initialState,
  isDone,
  isOverdue,
  nextLookMs,
  nextWaitMs,
} from '../../workflows/serving/endpoint-look-times.state.js';

const statuses = fc.constantFrom(...ENDPOINT_STATUSES);

describe('the state of an endpoint in its workflow', () => {
  it('is overdue only while it comes up, counted from when it began to', () => {
    const coming = advance(initialState(1000), 'CONNECTING', 2000);
    expect([isOverdue(coming, 600_999, 600), isOverdue(coming, 601_000, 600)]).toEqual([false, true]);
    const up = advance(coming, 'RUNNING', 3000);
    expect(isOverdue(up, Number.MAX_SAFE_INTEGER, 600)).toBe(false);
  });

  it('always knows when to look next, not before a quarter of a second', () => {
    fc.assert(
      fc.property(fc.array(statuses, { maxLength: 200 }), fc.boolean(), (path, isWatched) => {
        const state = path.reduce((before, status, index) => advance(before, status, index), initialState(0));
        const next = nextLookMs(state, isWatched);
        expect(next).toBeGreaterThanOrEqual(250);
        expect(next).toBeLessThanOrEqual(isWatched ? 3_600_000 : 15_000);
        if (state.status !== 'RUNNING') expect(next).toBeLessThanOrEqual(60_000);
        expect(isDone(state)).toBe(['STOPPED', 'FAILED'].includes(path.at(-1) ?? ''));
      }),
    );
  });

  it('asks for the end on a silent host less and less often, and as release 0.1 where nobody watches', () => {
    const waits = Array.from({ length: 30 }, (_, count) => nextWaitMs(count, true));
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect([waits[0], waits.at(-1)]).toEqual([3000, 3_600_000]);
    expect([nextWaitMs(0, false), nextWaitMs(30, false)]).toEqual([3000, 3000]);
  });
});
