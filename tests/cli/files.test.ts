import { describe, expect, it } from '@jest/globals';
import { isInside } from '../../cli/supervisor/files.js';

describe('a place inside the data directory', () => {
  it.each([
    ['/x/.data', true],
    ['/x/.data/postgres', true],
    ['/x/.data/..hidden', true],
    ['/x/.data2', false],
    ['/x/.data2/postgres', false],
    ['/x', false],
    ['/var/lib/x', false],
  ])('%s: %s', (place, expected) => {
    expect(isInside('/x/.data', place)).toBe(expected);
    expect(isInside('/x/.data/', place)).toBe(expected);
  });
});
