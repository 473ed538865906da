import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { deltaBinaryPack, deltaByteArray } from 'hyparquet-writer/src/delta.js';
import { plainTexts } from '../../../adapters/library-patches/parquet-delta.js';
import { readParquetTable } from '../../../adapters/hyparquet/parquet-table.js';
import { memorySource } from '../../fakes/memory-source.js';

const MIB = 2 ** 20;
const make = <T>(length: number, value: (n: number) => T) => Array.from({ length }, (_, n) => value(n));
const md5 = (n: number) => createHash('md5').update(String(n)).digest('hex');
type Texts = ReadonlyArray<string | null>;

function file(
  texts: Texts,
  encoding: 'DELTA_BYTE_ARRAY' | 'DELTA_LENGTH_BYTE_ARRAY' = 'DELTA_BYTE_ARRAY',
): Buffer {
  const columnData = [{ name: 's', data: [...texts], type: 'STRING' as const, encoding }];
  return Buffer.from(
    parquetWriteBuffer({
      columnData,
      rowGroupSize: texts.length,
      pageSize: 64 * MIB,
      statistics: false,
      codec: 'SNAPPY',
    }),
  );
}

const head = (bytes: Buffer, limit: number) => readParquetTable(memorySource(bytes).source, limit);

describe('Parquet columns of delta-encoded texts', () => {
  const columns: ReadonlyArray<[string, Texts]> = [
    ['10,000 checksums', make(10_000, md5)],
    ['3,000 texts of 128 characters', make(3_000, (n) => md5(n).repeat(4))],
    ['20,000 numbered rows', make(20_000, (n) => `row${n}`)],
    ['10,000 words, some missing', make(10_000, (n) => (n % 7 === 3 ? null : `wort ${(n * 7919) % 300}`))],
    ['none but missing ones', make(5_000, () => null)],
    ['the same long text 20,000 times', make(20_000, () => 'x'.repeat(1000))],
  ];

  it.each(columns)('are shown: %s', async (_what, texts) => {
    for (const encoding of ['DELTA_BYTE_ARRAY', 'DELTA_LENGTH_BYTE_ARRAY'] as const) {
      for (const limit of [1, 4, 200]) {
        const table = await head(file(texts, encoding), limit);
        expect(table.notes).toEqual([]);
        expect(table.rows.map(([text]) => text)).toEqual(texts.slice(0, limit));
      }
    }
  });

  it('are shown in lists', async () => {
    const list = [
      { name: 's', repetition_type: 'OPTIONAL' as const, converted_type: 'LIST' as const, num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED' as const, num_children: 1 },
      {
        name: 'element',
        type: 'BYTE_ARRAY' as const,
        converted_type: 'UTF8' as const,
        repetition_type: 'OPTIONAL' as const,
      },
    ];
    const data = make(9_000, (n) => [md5(n), null, `row${n}`].slice(n % 4));
    const columnData = [{ name: 's', data, encoding: 'DELTA_BYTE_ARRAY' as const }];
    const table = await head(
      Buffer.from(
        parquetWriteBuffer({
          columnData,
          schema: [{ name: 'root', num_children: 1 }, ...list],
          rowGroupSize: 9_000,
        }),
      ),
      200,
    );
    expect(table.rows).toEqual(data.slice(0, 200).map((texts) => [texts]));
  });

  it('that stand for more text than is made are not shown, and say nothing against the file', async () => {
    const text = Buffer.alloc(MIB, 'x');
    const columnData = [
      {
        name: 's',
        data: make(300, () => text),
        type: 'BYTE_ARRAY' as const,
        encoding: 'DELTA_BYTE_ARRAY' as const,
      },
    ];
    const bytes = Buffer.from(
      parquetWriteBuffer({ columnData, rowGroupSize: 300, pageSize: 1024 * MIB, statistics: false }),
    );
    expect(bytes.length).toBeLessThan(2 * MIB);
    expect((await head(bytes, 20)).rows).toEqual(make(20, () => [`${'x'.repeat(1000)}…`]));
    expect(await head(bytes, 200)).toMatchObject({
      totalRows: 300,
      notes: ['Column "s" is not shown: the texts of a page take more than 33554432 bytes.'],
    });
  });
});

describe('delta-encoded texts', () => {
  const written = (write: (writer: ByteWriter) => void): Uint8Array => {
    const writer = new ByteWriter();
    write(writer);
    return new Uint8Array(writer.getBytes());
  };
  const lengths = (prefixes: number[], suffixes: number[], texts: string) =>
    written((writer) => {
      deltaBinaryPack(writer, Int32Array.from(prefixes), 'INT32');
      deltaBinaryPack(writer, Int32Array.from(suffixes), 'INT32');
      writer.appendBytes(Buffer.from(texts));
    });
  const plain = (texts: readonly Uint8Array[]) =>
    Buffer.concat(texts.flatMap((text) => [Buffer.from(Uint32Array.of(text.length).buffer), text]));

  it('unfold to what was written, as many as are wanted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 20 }), { minLength: 1, maxLength: 300 }),
        fc.nat(300),
        (texts, most) => {
          const wanted = Math.min(most, texts.length);
          const values = written((writer) => deltaByteArray(writer, texts));
          let taken = 0;
          const unfolded = plainTexts(
            values,
            { total: texts.length, wanted, fixedBytes: null, maxBytes: MIB },
            (bytes) => {
              taken += bytes;
            },
          );
          expect(Buffer.from(unfolded).equals(plain(texts.slice(0, wanted)))).toBe(true);
          expect(taken).toBe(unfolded.length);
        },
      ),
    );
  });

  it('of a fixed width are written without their lengths', () => {
    const take = () => undefined;
    expect(
      Buffer.from(
        plainTexts(
          lengths([0, 2], [3, 1], 'abcd'),
          { total: 2, wanted: 2, fixedBytes: 3, maxBytes: 9 },
          take,
        ),
      ).toString(),
    ).toBe('abcabd');
    expect(() =>
      plainTexts(lengths([0, 2], [3, 2], 'abcde'), { total: 2, wanted: 2, fixedBytes: 3, maxBytes: 9 }, take),
    ).toThrow('are damaged');
  });

  it.each<[string, number[], number[]]>([
    ['begin with more of the text before than it has', [0, 4], [3, 0]],
    ['begin with a text before the first', [1], [2]],
    ['have less than no bytes of the text before', [0, -1], [3, 1]],
    ['have less than no bytes of their own', [0, 3], [3, -1]],
    ['have more bytes than the page', [0, 0], [3, 2 ** 31 - 1]],
  ])('that %s are refused before any is made', (_what, prefixes, suffixes) => {
    const made: unknown[] = [];
    expect(() =>
      plainTexts(
        lengths(prefixes, suffixes, 'abc'),
        { total: prefixes.length, wanted: prefixes.length, fixedBytes: null, maxBytes: MIB },
        (text) => made.push(text),
      ),
    ).toThrow('are damaged');
    expect(made).toEqual([]);
  });
});
