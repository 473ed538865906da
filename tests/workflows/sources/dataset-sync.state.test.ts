import { describe, expect, it } from '@jest/globals';
import { turnPauseMs } from '../../../workflows/sources/dataset-sync.state.js';

describe('a sync that waits for its turn', () => {
  it('asks less often the more are before it, up to once a minute', () => {
    expect([{ ahead: 0 }, { ahead: 2 }, { ahead: 10 }, { ahead: 500 }].map(turnPauseMs)).toEqual([
      5000, 10_000, 30_000, 60_000,
    ]);
  });

  it('asks as before where a run was begun by a version that does not know how many there are', () => {
    expect(turnPauseMs(false)).toBe(5000);
  });
});
