import { describe, expect, it } from '@jest/globals';
import { idInEpoch, isOfEarlierEpoch } from '../../models/outbox/workflow-epoch.js';

const ID = 'training:0b0f3b7e-6f1c-4b7e-9d0a-2f6f3a1c5d11:7c9e6679-7425-40de-944b-e07fc1f90ae7:2';

describe('ids of work after a restore', () => {
  it('are the plain ones in the first life', () => {
    expect(idInEpoch(ID, 1)).toBe(ID);
  });

  it('are others in every life, for the same attempt', () => {
    expect(new Set([1, 2, 3].map((epoch) => idInEpoch(ID, epoch))).size).toBe(3);
  });

  it.each([
    [1, 1, false],
    [1, 2, true],
    [2, 2, false],
    [2, 10, true],
    [10, 2, false],
  ])('one of epoch %i is of an epoch before %i: %s', (its, epoch, isEarlier) => {
    expect(isOfEarlierEpoch(idInEpoch(ID, its), epoch)).toBe(isEarlier);
  });
});
