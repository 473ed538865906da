import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonElements, JsonRefusal } from '../../../formats/json/json-elements.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The elements of `images`, or why there are none. */
function read(whole: Uint8Array, step = 1 << 20): unknown[] | string {
  const found: unknown[] = [];
  const reader = new JsonElements(new Set(['images']), (_, element) => found.push(element));
  try {
    for (let at = 0; at < whole.length; at += step) reader.push(whole.slice(at, at + step));
    reader.end();
    return found;
  } catch (error) {
    if (error instanceof JsonRefusal) return error.message;
    throw error;
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('a JSON object that is taken apart', () => {
  it('gives the elements of the arrays that are wanted, however it is made and cut', () => {
    const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
    fc.assert(
      fc.property(
        value,
        fc.array(value, { maxLength: 5 }),
        value,
        fc.integer({ min: 1, max: 9 }),
        fc.nat(2),
        (before, images, after, step, indent) => {
          const text = JSON.stringify({ before, images, after }, null, indent);
          expect(read(bytes(text), step)).toEqual(JSON.parse(text).images);
        },
      ),
    );
  });

  it.each([
    'garbage',
    '1 2 3',
    '"a" "b"',
    '{"a":1,}',
    '{,"a":1}',
    '{"a" 1}',
    '{"a"::1}',
    '{"a":}',
    '{a:1}',
    '{1:1}',
    '{"a":1 "b":2}',
    '[,]',
    '[,,]',
    '[1,]',
    '[1 2]',
    '[1}',
    '{"a":1]',
    '["a":1]',
    '[[],,[]]',
    '',
    'tru',
    'truee',
    'True',
    'nan',
    'NaN',
    'Infinity',
    '-',
    '+1',
    '01',
    '1.',
    '.5',
    '1e',
    '1e+',
    '0x1',
    '1.5.2',
    '--1',
    '"\\x"',
    '"\\u12g4"',
    '"a\nb"',
    "'a'",
    '// c\n1',
    '/* c */1',
    'undefined',
  ])('is refused where what is not wanted is no JSON: %j', (text) => {
    for (const whole of [
      `{"info":${text},"images":[{"a":1}]}`,
      `{"images":[{"a":1}],"info":${text}}`,
      `{"images":[],"info":{"deep":[${text}]}}`,
      `{"images":${text}}`,
    ]) {
      if (isJson(whole)) continue;
      expect([whole, read(bytes(whole))]).toEqual([whole, expect.stringContaining('not valid JSON')]);
      expect(read(bytes(whole), 1)).toContain('not valid JSON');
    }
  });

  it('is refused exactly where JSON.parse refuses it', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"images"',
      '1',
      '-0.5e+3',
      'true',
      'null',
      ' ',
      '"\\u00e9"',
      '0',
      'e',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = `{"images":[${pieces.join('')}`;
        for (const end of ['', ']}', '}', '"}'])
          expect([text + end, typeof read(bytes(text + end))]).toEqual([
            text + end,
            isJson(text + end) ? 'object' : 'string',
          ]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused where an element would be far larger in memory than as text, and counts anew for each', () => {
    const parts = (count: number) =>
      `{"a":[${Array.from({ length: count }, (_, n) => (n % 2 === 0 ? '{}' : '[]')).join(',')}]}`;
    expect(read(bytes(`{"info":${parts(150_000)},"images":[${parts(150_000)}]}`))).toContain(
      'more than 100000 lists and objects',
    );
    expect(read(bytes(`{"images":[${parts(90_000)},${parts(90_000)}]}`))).toHaveLength(2);
    expect(read(bytes(`{"images":[{"counts":[${'1,'.repeat(1_000_000)}1]}]}`))).toHaveLength(1);
  });

  it('may be a list where that is allowed, and is refused exactly where JSON.parse refuses it', () => {
    const walk = (text: string): boolean => {
      const reader = new JsonElements(new Set(), () => undefined, true);
      try {
        reader.push(bytes(text));
        reader.end();
        return true;
      } catch (error) {
        if (error instanceof JsonRefusal) return false;
        throw error;
      }
    };
    const piece = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', 'null', ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        for (const text of [`[${pieces.join('')}`, `[${pieces.join('')}]`])
          expect([text, walk(text)]).toEqual([text, isJson(text)]);
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused where its texts are not UTF-8', () => {
    for (const code of [
      [0xff],
      [0xc3],
      [0xc0, 0x80],
      [0xe0, 0x9f, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x8f, 0x80, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0x80],
    ]) {
      const whole = Uint8Array.from([...bytes('{"info":"'), ...code, ...bytes('","images":[]}')]);
      expect([code, read(whole)]).toEqual([code, 'it is not valid JSON']);
    }
    for (const char of ['\u0080', '\u07ff', '\u0800', '\ud7ff', '\uffff', '\u{10000}', '\u{10ffff}'])
      expect(read(bytes(`{"info":"${char}","images":[]}`), 1)).toEqual([]);
  });

  it('holds nothing of what is not wanted, however long', () => {
    const reader = new JsonElements(new Set(['images']), () => undefined);
    reader.push(bytes('{"info":{"'));
    for (let n = 0; n < 20; n += 1) reader.push(new Uint8Array(1 << 20).fill(0x61));
    reader.push(bytes('":1'));
    for (let n = 0; n < 20; n += 1) reader.push(new Uint8Array(1 << 20).fill(0x31));
    reader.push(bytes('}}'));
    expect(() => reader.end()).not.toThrow();
  });
});
