import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkHyperparameters } from '../../../models/training/check-hyperparameters.js';

const rules = {
  epochs: { type: 'integer', least: 1, most: 100 },
  alpha: { type: 'number', least: 0, most: 1 },
  weights: { type: 'text', values: ['a', 'b'] },
  gray: { type: 'boolean' },
} as const;
const problems = (text: string) => checkHyperparameters(text, rules).problems.join(' ');

describe('hyperparameters', () => {
  it('takes a mapping within the limits, comments included', () => {
    expect(checkHyperparameters('# how long\nepochs: 3\nalpha: 0.5\nweights: a\ngray: true\n', rules)).toEqual({
      problems: [],
      values: { epochs: 3, alpha: 0.5, weights: 'a', gray: true },
    });
    expect(problems('')).toBe('');
    expect(problems('# nothing\n')).toBe('');
  });

  it.each([
    ['64 KiB', `epochs: 3\n${'#'.repeat(65_536)}`, /64 KiB/],
    ['an alias', 'epochs: &x 3\nalpha: *x', /alias/],
    ['a billion laughs', 'a: &a [1,1]\nb: &b [*a,*a]\nc: [*b,*b]', /alias/],
    ['deep nesting', 'epochs: [[[[[[1]]]]]]', /nested deeper/],
    ['nesting beyond the stack', `epochs: ${'['.repeat(30_000)}`, /nested deeper|not valid YAML/],
    ['two documents', 'epochs: 3\n---\nepochs: 4', /one YAML document/],
    ['broken YAML', 'epochs: [3', /not valid YAML/],
    ['a key twice', 'epochs: 3\nepochs: 4', /not valid YAML/],
    ['a list', '- 3', /mapping/],
    ['a number as name', '3: 4', /texts as names/],
    ['an unknown name', 'epoch: 3', /did you mean "epochs"/],
    ['a name of the prototype', 'toString: 3', /toString is not a known key/],
    ['a text for a number', 'epochs: "3"', /epochs must be an integer/],
    ['NaN', 'alpha: .nan', /alpha must be a number/],
    ['a number out of range', 'epochs: 101', /from 1 to 100/],
    ['another choice', 'weights: c', /one of a, b/],
    ['a number for a flag', 'gray: 1', /true or false/],
  ])('refuses %s', (_what, text, expected) => {
    expect(problems(text)).toMatch(expected);
  });

  it('answers any text and never fails', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200, unit: fc.constantFrom('a', ':', ' ', '\n', '-', '[', ']', '{', '}', '&', '*', '"', '#', '|', '?', '!') }),
        (text) => void checkHyperparameters(text, rules),
      ),
    );
  });
});
