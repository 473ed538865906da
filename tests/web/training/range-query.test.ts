import { expect, it } from '@jest/globals';
import { rangeQuery } from '../../../web/src/training/tracker/queries.js';

it('reads the curve again and again while the run logs and its row is in sight', () => {
  const renewal = (status: 'RUNNING' | 'FINISHED', isInSight: boolean) => {
    const { refetchInterval } = rangeQuery(
      { code: 'demo' } as never,
      { run_id: 'r1', status },
      'loss',
      isInSight,
    );
    return refetchInterval;
  };
  expect(renewal('RUNNING', true)).toBeGreaterThan(0);
  expect(renewal('RUNNING', false)).toBe(false);
  expect(renewal('FINISHED', true)).toBe(false);
});
