import { describe, expect, it } from '@jest/globals';
import { isAtLeast } from '../../cli/engines/fetch-engine.js';

describe('the least version of an engine', () => {
  it.each([
    ['1.30.3', '1.30.3', true],
    ['1.32.0', '1.30.3', true],
    ['1.29.9', '1.30.3', false],
    ['4.48', '4.40', true],
    ['4.9', '4.40', false],
    ['2', '1.9.9', true],
  ])('compares %s with %s by number', (version, minimum, expected) => {
    expect(isAtLeast(version, minimum)).toBe(expected);
  });
});
