import { describe, expect, it } from '@jest/globals';
import { duration, roughDuration } from '../../../web/src/shared/spans';

describe('spans of time', () => {
  it('are rounded before they are cut into minutes and hours', () => {
    expect([4.23, 9.97, 59.4, 59.6, 119.6, 3599.7, 3660].map(duration)).toEqual([
      '4.2 s',
      '10 s',
      '59 s',
      '1 min 00 s',
      '2 min 00 s',
      '1 h 00 min',
      '1 h 01 min',
    ]);
  });

  it('are no more exact than an estimate is', () => {
    expect([0.3, 7.4, 23, 57, 250, 1180, 3500, 5500, 40_000].map(roughDuration)).toEqual([
      '1 s',
      '7 s',
      '25 s',
      '1 min',
      '4 min',
      '20 min',
      '1 h',
      '1.5 h',
      '11 h',
    ]);
  });
});
