import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ManifestScanner, ScanError } from '../../../adapters/http/manifest-scanner.js';

function scan(bytes: Buffer, cuts: readonly number[] = []): unknown[] {
  const scanner = new ManifestScanner();
  const found: unknown[] = [];
  const bounds = [
    0,
    ...[...cuts].map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
    bytes.length,
  ];
  for (let at = 1; at < bounds.length; at += 1)
    found.push(...scanner.push(Buffer.from(bytes.subarray(bounds[at - 1], bounds[at]))));
  scanner.end();
  return found;
}

const members = fc.dictionary(
  fc.string({ unit: 'grapheme' }).filter((key) => key !== 'files' && key !== '__proto__'),
  fc.jsonValue({ maxDepth: 4 }),
  { maxKeys: 4 },
);
const entries = fc.array(
  fc.dictionary(
    fc.string({ unit: 'grapheme' }).filter((key) => key !== '__proto__'),
    fc.jsonValue({ maxDepth: 3 }),
    { maxKeys: 4 },
  ),
  { maxLength: 8 },
);
const blanks = fc.constantFrom(undefined, 1, '\t', '  ');
const cuts = fc.array(fc.nat(400), { maxLength: 12 });

describe('the reader of manifests', () => {
  it('finds what JSON.parse finds, wherever the text is cut and whatever stands beside the list', () => {
    fc.assert(
      fc.property(members, entries, members, blanks, cuts, (before, files, after, space, at) => {
        const text = JSON.stringify({ ...before, files, ...after }, null, space as never);
        expect(scan(Buffer.from(text), at)).toEqual(JSON.parse(text).files);
      }),
      { numRuns: 400 },
    );
  });

  it('takes one byte at a time', () => {
    const text =
      '\n{ "a" : [ {"files":[1]}, "}]\\"" ] , "n":-1.5e3,"t":true , "files" : [ {"path":"\\u00fc\\"}ü\\\\"} , {} ] ,"z":null}\r\n ';
    const bytes = Buffer.from(text);
    expect(
      scan(
        bytes,
        Array.from({ length: bytes.length }, (_, at) => at),
      ),
    ).toEqual([{ path: 'ü"}ü\\' }, {}]);
  });

  it('refuses every beginning of a manifest as cut off', () => {
    const bytes = Buffer.from('{"files":[{"path":"a"},{"path":"b"}],"n":12}');
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => scan(bytes.subarray(0, length))).toThrow(ScanError);
    expect(scan(bytes)).toHaveLength(2);
  });

  it('never takes for whole what has a broken entry', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const bytes = Buffer.from('{"files":[{"path":"aa","size_bytes":12},{"path":"bb"}]}');
        if (at >= bytes.length) return;
        bytes[at] = byte;
        let expected: unknown = null;
        try {
          expected = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).files;
        } catch {}
        if (!Array.isArray(expected)) expect(() => scan(bytes)).toThrow(ScanError);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['{"files":[[]]}', /entry 0/],
    ['{"files":[{},7]}', /entry 1/],
    ['{"files":[{},]}', /entry 1/],
    ['{"files":[{}{}]}', /entry 1/],
    ['{"files":{"0":{}}}', /not a list/],
    ['{"files":null}', /not a list/],
    ['{"files":[],"files":[]}', /twice/],
    ['{"files":[],"f\\u0069les":[]}', /twice/],
    ['{"a":}', /not valid JSON/],
    ['{,"files":[]}', /not valid JSON/],
    ['["files"]', /not a JSON object/],
    ['\ufeff{"files":[]}', /not a JSON object/],
    ['{"files":[]}x', /follows its end/],
  ])('says what is wrong with %s', (text, message) => {
    expect(() => scan(Buffer.from(text))).toThrow(message);
  });

  it('refuses bytes that are no text', () => {
    expect(() =>
      scan(Buffer.from([...Buffer.from('{"files":[{"path":"'), 0xff, 0xfe, ...Buffer.from('"}]}')])),
    ).toThrow(/entry 0 .*not valid JSON/);
  });

  it('holds no entry that does not end', () => {
    const scanner = new ManifestScanner();
    scanner.push(Buffer.from('{"files":[{"path":"'));
    expect(() => {
      for (let left = 100; left > 0; left -= 1) scanner.push(Buffer.alloc(1024, 'x'));
    }).toThrow(/longer than/);
  });
});
