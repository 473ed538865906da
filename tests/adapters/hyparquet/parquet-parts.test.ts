import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import { readPageHead, writePage } from '../../../adapters/hyparquet/parquet-pages.js';
import { readRuns, writeRuns } from '../../../adapters/hyparquet/parquet-runs.js';
import { unpackSnappyHead } from '../../../adapters/hyparquet/snappy-head.js';

const bytesLike = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 60 })))
  .map((parts) => Buffer.concat(parts.flatMap(([part, times]) => Array.from({ length: times }, () => part))));

describe('the beginning of a Snappy block', () => {
  it('unpacks to the beginning of what was packed, wherever it is cut', () => {
    fc.assert(
      fc.property(bytesLike, fc.double({ min: 0, max: 1, noNaN: true }), (plain, part) => {
        const packed = snappyCompress(plain);
        expect(Buffer.from(unpackSnappyHead(packed, plain.length)).equals(plain)).toBe(true);
        const head = unpackSnappyHead(packed.subarray(0, Math.floor(packed.length * part)), plain.length);
        expect(Buffer.from(head).equals(plain.subarray(0, head.length))).toBe(true);
        const most = Math.floor(plain.length * part);
        expect(Buffer.from(unpackSnappyHead(packed, most)).equals(plain.subarray(0, most))).toBe(true);
      }),
    );
  });

  it('never gives more than is wanted, whatever the bytes say', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(5000), (bytes, most) => {
        try {
          expect(unpackSnappyHead(bytes, most).length).toBeLessThanOrEqual(most);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

describe('numbers in runs', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 32 }), fc.array(fc.nat()), (width, list) => {
        const numbers = Uint32Array.from(list, (number) => number % 2 ** width);
        const bytes = writeRuns(numbers, Math.ceil(width / 8));
        expect(readRuns(bytes, width, numbers.length)).toEqual(numbers);
        expect(readRuns(bytes, width, numbers.length + 1)).toBeNull();
      }),
    );
  });

  it('are read from groups packed bit by bit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 32 }),
        fc.array(fc.nat(), { minLength: 8, maxLength: 64 }),
        fc.nat(63),
        (width, list, wanted) => {
          const numbers = list.slice(0, list.length - (list.length % 8)).map((number) => number % 2 ** width);
          const bits = numbers
            .map((number) => [...number.toString(2).padStart(width, '0')].reverse().join(''))
            .join('');
          const packed = (bits.match(/.{8}/g) ?? []).map((byte) =>
            Number.parseInt([...byte].reverse().join(''), 2),
          );
          const bytes = Uint8Array.from([((numbers.length / 8) << 1) | 1, ...packed]);
          const count = Math.min(wanted, numbers.length);
          expect(readRuns(bytes, width, count)).toEqual(Uint32Array.from(numbers.slice(0, count)));
        },
      ),
    );
  });

  it('end where a run of a few bytes claims billions', () => {
    expect(readRuns(Uint8Array.from([0xfe, 0xff, 0xff, 0xff, 0x0f, 1]), 1, 20)).toEqual(
      new Uint32Array(20).fill(1),
    );
    expect(readRuns(Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0x0f, 1]), 1, 20)).toBeNull();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.integer({ min: 0, max: 32 }), (bytes, width) =>
        [null, 50].includes(readRuns(bytes, width, 50)?.length ?? null),
      ),
    );
  });
});

describe('pages that are written for the decoder', () => {
  it.each(['data', 'dictionary'] as const)('say what they hold: %s', (type) => {
    const body = Buffer.alloc(100_000, 7);
    const bytes = Buffer.concat(
      writePage({ type, values: 70_000, encoding: 8, body: [body.subarray(0, 10), body.subarray(10)] }),
    );
    const head = readPageHead(bytes);
    expect(head).toEqual({
      type,
      headBytes: bytes.length - body.length,
      compressedBytes: 100_000,
      uncompressedBytes: 100_000,
      values: 70_000,
      encoding: 8,
      v2: null,
    });
  });
});
