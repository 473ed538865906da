import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkHyperparameters } from '../../../models/training/config/check-hyperparameters.js';

const rules = {
  epochs: { type: 'integer', least: 1, most: 100 },
  alpha: { type: 'number', least: 0, most: 1 },
  weights: { type: 'text', values: ['a', 'b'] },
  gray: { type: 'boolean' },
  side: { type: 'integer', least: 32, most: 2048, step: 32 },
} as const;
const found = (text: string) => checkHyperparameters(text, rules).problems;
const problems = (text: string) =>
  found(text)
    .map(({ msg }) => msg)
    .join(' ');

describe('hyperparameters', () => {
  it('takes a mapping within the limits, comments included', () => {
    expect(
      checkHyperparameters('# how long\nepochs: 3\nalpha: 0.5\nweights: a\ngray: true\n', rules),
    ).toEqual({
      problems: [],
      values: { epochs: 3, alpha: 0.5, weights: 'a', gray: true },
    });
    expect(problems('')).toBe('');
    expect(problems('side: 224')).toBe('');
    expect(problems('# nothing\n')).toBe('');
  });

  it.each([
    ['64 KiB', `epochs: 3\n${'#'.repeat(65_536)}`, /64 KiB/],
    ['an alias', 'epochs: &x 3\nalpha: *x', /alias/],
    ['a billion laughs', 'a: &a [1,1]\nb: &b [*a,*a]\nc: [*b,*b]', /alias/],
    ['deep nesting', 'epochs: [[[[[[1]]]]]]', /nested deeper/],
    ['tags without end', `a: ${'!x '.repeat(20_000)}`, /^holds more values than any model takes/],
    ['anchors without end', `a: ${'&x '.repeat(20_000)}`, /^holds more values than any model takes/],
    [
      'thousands of keys',
      `{${Array.from({ length: 5000 }, (_, n) => `${n}: `).join(',')}}`,
      /^holds more values than any model takes/,
    ],
    [
      'nesting beyond the stack',
      `epochs: ${'['.repeat(30_000)}`,
      /^must not be nested deeper than 5 levels$/,
    ],
    [
      'mappings beyond the stack',
      `epochs: ${'{a: '.repeat(15_000)}`,
      /^must not be nested deeper than 5 levels$/,
    ],
    [
      'lists beyond the stack',
      `epochs:\n  ${'- '.repeat(30_000)}x`,
      /^must not be nested deeper than 5 levels$/,
    ],
    ['keys of keys beyond the stack', `${'? '.repeat(30_000)}x`, /^must not be nested deeper than 5 levels$/],
    [
      'lines each deeper than the other',
      Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      /^must not be nested deeper than 5 levels$/,
    ],
    ['a size between two steps', 'side: 200', /^side must be a multiple of 32$/],
    ['two documents', 'epochs: 3\n---\nepochs: 4', /one YAML document/],
    ['broken YAML', 'epochs: [3', /not valid YAML/],
    ['a key twice', 'epochs: 3\nepochs: 4', /not valid YAML/],
    ['a list', '- 3', /mapping/],
    ['a number as name', '3: 4', /texts as names/],
    ['an unknown name', 'epoch: 3', /did you mean "epochs"/],
    ['a name of the prototype', 'toString: 3', /toString is not a known key/],
    ['a name like no other, without a list of all', 'zzzzzzzz: 3', /^zzzzzzzz is not a known key$/],
    ['a text for a number', 'epochs: "3"', /epochs must be an integer/],
    ['NaN', 'alpha: .nan', /alpha must be a number/],
    ['a number out of range', 'epochs: 101', /from 1 to 100/],
    ['another choice', 'weights: c', /one of a, b/],
    ['a number for a flag', 'gray: 1', /true or false/],
  ])('refuses %s', (_what, text, expected) => {
    expect(problems(text)).toMatch(expected);
  });

  it('says which key or which line it means', () => {
    expect(found('# how long\nepochs: 101\ngray: true\nalpha: 2').map(({ place }) => place)).toEqual([
      'epochs',
      'alpha',
    ]);
    expect(found('epochs: 3\nalpha: [1')).toMatchObject([
      { place: 2, msg: expect.stringContaining('at line 2') },
    ]);
    expect(found('- 3').map(({ place }) => place)).toEqual([null]);
  });

  it('takes as many levels as it says', () => {
    expect(problems('epochs: 3\nalpha: {a: {b: {c: [1]}}}')).toBe('alpha must be a number');
    expect(problems('epochs: 3\nalpha: {a: {b: {c: [[1]]}}}')).toMatch(/nested deeper/);
  });

  it('names at most 100 mistakes', () => {
    const text = Array.from({ length: 900 }, (_, at) => `unknown${at}: 1`).join('\n');
    expect(checkHyperparameters(text, rules).problems).toHaveLength(100);
  });

  it('answers any text and never fails', () => {
    fc.assert(
      fc.property(
        fc.string({
          maxLength: 200,
          unit: fc.constantFrom(
            'a',
            ':',
            ' ',
            '\n',
            '-',
            '[',
            ']',
            '{',
            '}',
            '&',
            '*',
            '"',
            '#',
            '|',
            '?',
            '!',
          ),
        }),
        (text) => void checkHyperparameters(text, rules),
      ),
    );
  });
});
