import { describe, expect, it } from '@jest/globals';
import { readYoloConfig } from '../../../formats/annotations/yolo/yolo-config.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

describe('data.yaml', () => {
  it('names classes as a list or a map, and the shape of key points', () => {
    expect(readYoloConfig('names: [cat, 7, on]\nnc: 3\nkpt_shape: [17, 3]').facts).toMatchObject({
      classes: [
        { id: 0, name: 'cat' },
        { id: 1, name: '7' },
        { id: 2, name: 'on' },
      ],
      keypointShape: [17, 3],
    });
    expect(readYoloConfig('names:\n  0: a\n  5: b').facts?.classes).toEqual([
      { id: 0, name: 'a' },
      { id: 5, name: 'b' },
    ]);
  });

  it('counts classes without naming them', () => {
    expect(readYoloConfig('nc: 2').facts?.classes).toEqual([
      { id: 0, name: 'class_0' },
      { id: 1, name: 'class_1' },
    ]);
    for (const nc of ['0', '-1', '1.5', 'two', '[2]', '10001', '1e9', 'null'])
      expect([nc, readYoloConfig(`nc: ${nc}`).problem]).toEqual([
        nc,
        'its nc is not a whole number from 1 to 10000',
      ]);
    expect(readYoloConfig('kpt_shape: [17, 3]').facts).toMatchObject({ classes: [], keypointShape: [17, 3] });
  });

  const bombs: Array<[string, string, RegExp]> = [
    ['aliases', `a: &a [x]\nb: &b [${'*a,'.repeat(99)}*a]\nnames: [${'*b,'.repeat(99)}*b]`, /aliases/],
    ['a merge', 'a: &a {x: 1}\nnames: {<<: *a}', /aliases/],
    ['size', `names: [${'a,'.repeat(40_000)}a]`, /larger/],
    ['depth', `names: ${'['.repeat(30)}${']'.repeat(30)}`, /nested deeper/],
    ['depth beyond the stack', `names: ${'['.repeat(30_000)}`, /nested deeper than 20/],
    ['maps beyond the stack', `names: ${'{a: '.repeat(11_000)}`, /nested deeper than 20/],
    ['a tag', 'names: !!js/function "x"', /cannot be read/],
    ['a custom tag', 'names: !evil [a]', /cannot be read/],
    ['two documents', 'names: [a]\n---\nnames: [b]', /cannot be read/],
    ['no map', '- a', /no class|not a map|neither/],
    ['other keys', 'names: {cat: 0}', /class number/],
    ['a prototype', 'names: {__proto__: x}', /class number/],
    ['a wrong count', 'names: [a, b]\nnc: 3', /nc: 3/],
    ['a wrong shape', 'names: [a]\nkpt_shape: [17]', /kpt_shape/],
    ['nothing that is YAML', 'names: [a\n b: {', /cannot be read/],
  ];
  it.each(bombs)('is refused with a reason for %s', (_, text, reason) => {
    let problem: string | null = null;
    const spent = cpuMs(() => {
      ({ problem } = readYoloConfig(text));
    });
    if (problem === null) expect(readYoloConfig(text).facts?.classes).toEqual([]);
    else expect(problem).toMatch(reason);
    expect(spent).toBeLessThan(NO_SQUARE_MS);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('with many keys of two letters takes no quadratic time', () => {
    const keys = Array.from({ length: 10_000 }, (_, at) => `${at.toString(36)}:`).join('\n');
    expect(cpuMs(() => readYoloConfig(keys))).toBeLessThan(NO_SQUARE_MS);
  });
});
