import { describe, expect, it } from '@jest/globals';
import { schemaProblem } from '../../../models/system/schema-state.rules.js';

describe('serving a schema', () => {
  const known = ['1-first', '2-second'];

  it.each([
    ['the very schema of the program', { applied: known, required: '1-first' }],
    ['one that has more and takes nothing away', { applied: [...known, '3-third'], required: '2-second' }],
  ])('is well with %s', (_, state) => expect(schemaProblem(known, state)).toBeNull());

  it.each([
    ['an older one', { applied: ['1-first'], required: '1-first' }, /older .*2-second is missing.*migrate/],
    ['one with a gap', { applied: ['2-second', '3-third'], required: '2-second' }, /older .*1-first/],
    ['one that cannot say', null, /older .*2-second/],
    [
      'one that a newer program asks for',
      { applied: [...known, '3-third'], required: '3-third' },
      /newer .*does not know the migration 3-third: start the newer program/,
    ],
  ])('is refused with %s', (_, state, reason) => expect(schemaProblem(known, state)).toMatch(reason));
});
