import { describe, expect, it } from '@jest/globals';
import {
  assertCancelable,
  assertDeletable,
  canFollow,
  isTerminal,
  workloadId,
} from '../../../models/training/experiment-state.rules.js';
import { EXPERIMENT_STATUSES, type ExperimentStatus } from '../../../models/training/experiment.types.js';

describe('experiment states', () => {
  it('lead in order from QUEUED to SUCCEEDED', () => {
    const path = ['QUEUED', 'PREPARING', 'RUNNING', 'FINALIZING', 'SUCCEEDED'] as const;
    for (const [at, from] of path.entries())
      expect(
        EXPERIMENT_STATUSES.filter((to) => canFollow(from, to) && to !== 'FAILED' && to !== 'CANCELED'),
      ).toEqual(path[at + 1] ? [path[at + 1]] : []);
  });

  it('lead from any of the first four to FAILED and CANCELED, and from no terminal one', () => {
    const statesBefore = (to: ExperimentStatus) => EXPERIMENT_STATUSES.filter((from) => canFollow(from, to));
    expect(statesBefore('FAILED')).toEqual(['QUEUED', 'PREPARING', 'RUNNING', 'FINALIZING']);
    expect(statesBefore('CANCELED')).toEqual(['QUEUED', 'PREPARING', 'RUNNING', 'FINALIZING']);
    expect(EXPERIMENT_STATUSES.filter(isTerminal)).toEqual(['SUCCEEDED', 'FAILED', 'CANCELED']);
  });

  it('allow a delete exactly where they refuse a cancel', () => {
    for (const status of EXPERIMENT_STATUSES) {
      const [refused, allowed] = isTerminal(status)
        ? [assertCancelable, assertDeletable]
        : [assertDeletable, assertCancelable];
      expect(() => refused(status)).toThrow(expect.objectContaining({ code: 'conflict' }));
      expect(() => allowed(status)).not.toThrow();
    }
  });

  it('name workloads shortly enough', () => {
    expect(workloadId('00000000-0000-4000-8000-000000000000', 999).length).toBeLessThanOrEqual(63);
  });
});
