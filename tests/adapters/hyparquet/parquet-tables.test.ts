import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { SchemaElement } from 'hyparquet';
import {
  type ColumnSource,
  ByteWriter,
  ParquetWriter,
  parquetWriteBuffer,
  schemaFromColumnData,
} from 'hyparquet-writer';
import { readParquetTable } from '../../../adapters/hyparquet/parquet-table.js';
import { memorySource } from '../../fakes/memory-source.js';

const MIB = 2 ** 20;
const write = (options: Parameters<typeof parquetWriteBuffer>[0]) => Buffer.from(parquetWriteBuffer(options));
const head = (bytes: Buffer, limit = 20) => readParquetTable(memorySource(bytes).source, limit);
const numbers = (length: number) => Array.from({ length }, (_, n) => n);

describe('the head of a Parquet file', () => {
  it('shows values of every common type', async () => {
    const table = await head(
      write({
        columnData: [
          { name: 'id', data: [1, 2], type: 'INT32', nullable: false },
          { name: 'big', data: [9_007_199_254_740_993n, 4n], type: 'INT64' },
          { name: 'score', data: [0.5, null], type: 'DOUBLE' },
          { name: 'ok', data: [true, false], type: 'BOOLEAN' },
          { name: 'name', data: ['Grüße', 'x'.repeat(5000)], type: 'STRING' },
          { name: 'at', data: [new Date('2026-01-02T03:04:05Z'), null], type: 'TIMESTAMP' },
          { name: 'doc', data: [{ a: 1 }, { a: 2 }], type: 'JSON' },
          {
            name: 'raw',
            data: [new Uint8Array([0, 255, 3]), new Uint8Array([104, 105])],
            type: 'BYTE_ARRAY',
          },
        ],
      }),
    );
    expect(table.columns.map(({ name, dtype }) => `${name} ${dtype}`)).toEqual([
      'id int32',
      'big int64',
      'score float64',
      'ok bool',
      'name string',
      'at timestamp',
      'doc json',
      'raw binary',
    ]);
    expect(table.columns[0]?.nullable).toBe(false);
    expect(table.rows).toEqual([
      [1, '9007199254740993', 0.5, true, 'Grüße', '2026-01-02T03:04:05.000Z', '{"a":1}', { bytes: 3 }],
      [2, 4, null, false, `${'x'.repeat(1000)}…`, null, '{"a":2}', 'hi'],
    ]);
    expect(table.totalRows).toBe(2);
  });

  it('shows decimals with all digits of their scale, times of day and fractions of seconds', async () => {
    const bytes16 = (value: bigint) =>
      new Uint8Array(Buffer.from(BigInt.asUintN(128, value).toString(16).padStart(32, '0'), 'hex'));
    const decimal = (
      name: string,
      type: 'INT32' | 'INT64' | 'FIXED_LEN_BYTE_ARRAY',
      precision: number,
      scale: number,
      more = {},
    ) => ({
      name,
      type,
      repetition_type: 'OPTIONAL' as const,
      converted_type: 'DECIMAL' as const,
      precision,
      scale,
      ...more,
    });
    const logical = (
      name: string,
      type: 'INT32' | 'INT64',
      kind: 'TIME' | 'TIMESTAMP',
      unit: 'MILLIS' | 'MICROS' | 'NANOS',
    ) => ({
      name,
      type,
      repetition_type: 'OPTIONAL' as const,
      logical_type: { type: kind, isAdjustedToUTC: true, unit },
    });
    const at = 1_767_323_045_000_001n;
    const schema = [
      { name: 'root', num_children: 7 },
      decimal('wide', 'FIXED_LEN_BYTE_ARRAY', 38, 9, { type_length: 16 }),
      decimal('money', 'INT64', 18, 2),
      decimal('whole', 'INT32', 9, 0),
      logical('micros', 'INT64', 'TIMESTAMP', 'MICROS'),
      logical('nanos', 'INT64', 'TIMESTAMP', 'NANOS'),
      logical('day_ms', 'INT32', 'TIME', 'MILLIS'),
      logical('day_ns', 'INT64', 'TIME', 'NANOS'),
    ];
    const raw = [
      [bytes16(1234567890123456789012345678123456789n), bytes16(-5n), null],
      [1250n, -7n, null],
      [42, -42, null],
      [at, -1n, 1_767_323_045_000_000n],
      [at * 1000n + 7n, null, null],
      [3_723_004, 86_399_999, null],
      [1n, 45_296_123_456_789n, null],
    ];
    const columnData = raw.map((data, column) => ({
      name: schema[column + 1]?.name as string,
      data: data as unknown[],
    }));
    // Written as plain integers and bytes: the types are put into the footer alone.
    const plain = schema.map(({ name, ...element }) => ({
      name,
      ...element,
      converted_type: undefined,
      logical_type: undefined,
    }));
    const table = await head(withSchema(columnData, plain, schema));
    expect(table.notes).toEqual([]);
    expect(table.columns.map(({ dtype }) => dtype)).toEqual([
      'decimal(38,9)',
      'decimal(18,2)',
      'decimal(9,0)',
      'timestamp',
      'timestamp',
      'time',
      'time',
    ]);
    expect(table.rows).toEqual([
      [
        '1234567890123456789012345678.123456789',
        '12.50',
        '42',
        '2026-01-02T03:04:05.000001Z',
        '2026-01-02T03:04:05.000001007Z',
        '01:02:03.004',
        '00:00:00.000000001',
      ],
      [
        '-0.000000005',
        '-0.07',
        '-42',
        '1969-12-31T23:59:59.999999Z',
        null,
        '23:59:59.999',
        '12:34:56.123456789',
      ],
      [null, null, null, '2026-01-02T03:04:05.000Z', null, null, null],
    ]);
  });

  it('says of decimals within nested values that they are rounded', async () => {
    const cost = { name: 'cost', type: 'INT64' as const, repetition_type: 'OPTIONAL' as const };
    const outer = [
      { name: 'root', num_children: 1 },
      { name: 'item', repetition_type: 'OPTIONAL' as const, num_children: 1 },
    ];
    const stated = [...outer, { ...cost, converted_type: 'DECIMAL' as const, precision: 18, scale: 2 }];
    const table = await head(
      withSchema([{ name: 'item', data: [{ cost: 150n }] }], [...outer, cost], stated),
    );
    expect(table).toMatchObject({
      columns: [{ dtype: 'struct' }],
      rows: [[{ cost: 1.5 }]],
      notes: ['Decimals within column "item" are shown rounded.'],
    });
  });

  it('says of a table without a row that it has none', async () => {
    expect(await head(write({ columnData: [{ name: 'n', data: [], type: 'INT32' }] }))).toMatchObject({
      columns: [{ name: 'n', dtype: 'int32' }],
      rows: [],
      totalRows: 0,
    });
  });

  it('reads nested columns', async () => {
    const list = (name: string) => [
      { name, repetition_type: 'OPTIONAL' as const, converted_type: 'LIST' as const, num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED' as const, num_children: 1 },
      { name: 'element', type: 'INT32' as const, repetition_type: 'OPTIONAL' as const },
    ];
    const data = numbers(5000).map((n) => [n, n + 1]);
    const bytes = write({
      columnData: [{ name: 'box', data }],
      schema: [{ name: 'root', num_children: 1 }, ...list('box')],
      rowGroupSize: 5000,
      pageSize: 1000,
    });
    const table = await head(bytes, 200);
    expect(table.columns).toEqual([{ name: 'box', dtype: 'list', nullable: true }]);
    expect(table.rows).toEqual(data.slice(0, 200).map((box) => [box]));
  });

  it('reads of a large file its footer and the first pages alone', async () => {
    const rows = 600_000;
    const bytes = write({
      columnData: [
        { name: 'id', data: new Int32Array(rows).map((_, n) => n), type: 'INT32', encoding: 'PLAIN' },
        {
          name: 'x',
          data: new Float64Array(rows).map(() => Math.random()),
          type: 'DOUBLE',
          encoding: 'PLAIN',
        },
        {
          name: 'y',
          data: new Float64Array(rows).map(() => Math.random()),
          type: 'DOUBLE',
          encoding: 'PLAIN',
        },
      ],
      rowGroupSize: 200_000,
      codec: 'UNCOMPRESSED',
    });
    expect(bytes.length).toBeGreaterThan(10 * MIB);
    const { source, counted } = memorySource(bytes);
    const table = await readParquetTable(source, 200);
    expect(table.rows).toHaveLength(200);
    expect(table.rows[199]?.[0]).toBe(199);
    expect(table.totalRows).toBe(rows);
    // The beginning of a page of 1 MiB for each of three columns, and the end of the file.
    expect(counted.bytes).toBeLessThan(192 * 1024);
    expect(counted.reads).toBeLessThan(8);
  });

  it('reads small pages many at once, and none of their bytes twice', async () => {
    const bytes = write({
      columnData: [{ name: 'n', data: numbers(20_000), type: 'INT32', encoding: 'PLAIN' }],
      rowGroupSize: 20_000,
      pageSize: 4,
      codec: 'UNCOMPRESSED',
    });
    expect(bytes.length).toBeGreaterThan(400_000);
    const { source, counted } = memorySource(bytes);
    expect((await readParquetTable(source, 20_000)).rows.map(([n]) => n)).toEqual(numbers(20_000));
    expect(counted.reads).toBeLessThan(20);
    expect(counted.bytes).toBeLessThanOrEqual(bytes.length + 64 * 1024);
  });

  it('goes on in the next row groups when the first are short', async () => {
    const table = await head(
      write({ columnData: [{ name: 'n', data: numbers(100), type: 'INT32' }], rowGroupSize: 7 }),
      30,
    );
    expect(table.rows.map(([n]) => n)).toEqual(numbers(30));
  });

  it.each(['GZIP', 'SNAPPY', 'UNCOMPRESSED'] as const)('unpacks %s', async (codec) => {
    const compressors = { GZIP: (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes)) };
    const bytes = write({
      columnData: [{ name: 't', data: numbers(3000).map((n) => `text ${n % 7}`), type: 'STRING' }],
      codec,
      ...(codec === 'GZIP' ? { compressors } : {}),
    });
    expect((await head(bytes, 3)).rows).toEqual([['text 0'], ['text 1'], ['text 2']]);
  });

  it.each([1, 20, 200])(
    'reads of a wide table the first values of each column, several at once: %i rows',
    async (limit) => {
      const rows = 8_000;
      const data = new Float64Array(rows).map((_, n) => Math.sin(n));
      const texts = Array.from({ length: rows }, (_, n) => `text ${(n * 7919) % 3000}`);
      const columnData = Array.from({ length: 100 }, (_, at) => ({
        name: `c${at}`,
        ...(at % 10 === 0
          ? { data: texts, type: 'STRING' as const }
          : { data, type: 'DOUBLE' as const, encoding: 'PLAIN' as const }),
      }));
      const bytes = write({ columnData, rowGroupSize: rows, codec: 'SNAPPY', statistics: false });
      const { source, counted } = memorySource(bytes, 1);
      const table = await readParquetTable(source, limit);
      expect(table.notes).toEqual([]);
      expect(table.rows).toEqual(
        Array.from({ length: limit }, (_, n) => columnData.map((column) => column.data[n])),
      );
      expect(bytes.length).toBeGreaterThan(5 * MIB);
      expect(counted.bytes).toBeLessThan(4 * MIB);
      expect(counted.atOnce).toBeGreaterThan(4);
      expect(counted.atOnce).toBeLessThanOrEqual(8);
    },
  );

  it.each(['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', 'ZSTD'] as const)(
    'cuts pages of %s after any number of values',
    async (codec) => {
      const compressors = { GZIP: gzipSync, BROTLI: brotliCompressSync, ZSTD: zstdCompressSync };
      const rows = 12_000;
      const make = <T>(value: (n: number) => T) =>
        Array.from({ length: rows }, (_, n) => (n % 7 === 3 ? null : value(n)));
      const columnData = [
        { name: 'x', data: make((n) => Math.sin(n)), type: 'DOUBLE' as const, encoding: 'PLAIN' as const },
        {
          name: 'n',
          data: make((n) => (n * 7919) % 9000),
          type: 'INT32' as const,
          encoding: 'RLE_DICTIONARY' as const,
        },
        {
          name: 't',
          data: make((n) => `${n} ${'x'.repeat(n % 50)}`),
          type: 'STRING' as const,
          encoding: 'PLAIN' as const,
        },
        { name: 'b', data: make((n) => n % 5 === 0), type: 'BOOLEAN' as const },
        {
          name: 'd',
          data: make((n) => n * n),
          type: 'INT32' as const,
          encoding: 'DELTA_BINARY_PACKED' as const,
        },
      ];
      const bytes = write({ columnData, rowGroupSize: rows, codec, compressors });
      for (const limit of [1, 4, 33, 200, 5000]) {
        const table = await head(bytes, limit);
        expect(table.notes).toEqual([]);
        expect(table.rows).toEqual(
          Array.from({ length: limit }, (_, n) => columnData.map((column) => column.data[n])),
        );
      }
    },
  );

  it.each([1, 5, 200])('reads what another writer makes, with pages of version 1: %i rows', async (limit) => {
    const bytes = readFileSync('tests/adapters/hyparquet/fixtures/arrow-v1.parquet');
    const table = await head(bytes, limit);
    expect(table.notes).toEqual([]);
    const missing = (n: number, value: unknown) => (n % 7 === 3 ? null : value);
    // The file states no zone.
    const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString().slice(0, -1);
    expect(table.rows).toEqual(
      numbers(limit).map((n) => [
        n / 7,
        missing(n, n / 3),
        n * n,
        n % 200,
        n % 3 === 0,
        missing(n, `wort ${(n * 7919) % 300}`),
        `id-${n}-${n * n}`,
        null,
        at(n),
        { a: n, b: n % 4 === 0 ? null : `t${n % 9}` },
        numbers(n % 4),
      ]),
    );
  });

  it('says how many columns are beyond what may be read', async () => {
    // A page of one text: it cannot be cut before its end.
    const long = 'y'.repeat(3 * MIB);
    const columnData = Array.from({ length: 45 }, (_, at) => ({
      name: `c${at}`,
      data: [long],
      type: 'STRING' as const,
      encoding: 'PLAIN' as const,
    }));
    const table = await head(write({ columnData, codec: 'UNCOMPRESSED', statistics: false }));
    const shown = table.rows[0]?.filter((cell) => cell !== null).length ?? 0;
    expect(shown).toBeGreaterThan(15);
    expect(table.notes).toContainEqual(
      expect.stringMatching(/^Column "c\d+" is not shown: more than 67108864 bytes would have to be read\.$/),
    );
    expect(table.notes).toContain(`${45 - shown - 20} further columns are not shown.`);
  });

  it('shows nothing for values that their dictionary does not have', async () => {
    const bytes = write({
      columnData: [
        { name: 't', data: numbers(300).map((n) => `text ${n % 3}`), type: 'STRING' },
        { name: 'n', data: numbers(300), type: 'INT32' },
      ],
    });
    const count = bytes.indexOf(Buffer.from([0x4c, 0x15, 3 * 2])) + 2;
    expect(count).toBeGreaterThan(2);
    bytes[count] = 2 * 2;
    const table = await head(bytes, 2);
    expect(table.rows).toEqual([
      ['text 0', 0],
      ['text 1', 1],
    ]);
    expect(await head(bytes, 3)).toMatchObject({
      notes: ['Column "t" is not shown: a value is missing in its dictionary.'],
      rows: [
        [null, 0],
        [null, 1],
        [null, 2],
      ],
    });
  });

  it('shows as many columns of very long texts as may be unpacked', async () => {
    const columnData = Array.from({ length: 10 }, (_, at) => ({
      name: `c${at}`,
      data: ['z'.repeat(20 * MIB)],
      type: 'STRING' as const,
      encoding: 'PLAIN' as const,
    }));
    const table = await head(write({ columnData, codec: 'SNAPPY', statistics: false }));
    expect(table.rows[0]?.filter((cell) => cell !== null)).toHaveLength(4);
    expect(table.notes).toContain('Column "c9" is not shown: too much would have to be unpacked.');
  });

  it('reads two columns of one name apart', async () => {
    const table = await head(
      write({ columnData: [1, 2].map((n) => ({ name: 'n', data: [n], type: 'INT32' as const })) }),
    );
    expect(table).toMatchObject({ columns: [{ name: 'n' }, { name: 'n_2' }], rows: [[1, 2]] });
  });

  it('reads of a footer of 5 MiB and more the first row groups', async () => {
    const columnData = Array.from({ length: 60 }, (_, at) => ({
      name: `c${at}${'x'.repeat(500)}`,
      data: [0, 1, 2],
      type: 'INT32' as const,
    }));
    const bytes = withGroups(columnData, 200);
    const footer = bytes.readUInt32LE(bytes.length - 8);
    expect(footer).toBeGreaterThan(5 * MIB);
    const { source, counted } = memorySource(bytes);
    const table = await readParquetTable(source, 20);
    expect(table.totalRows).toBe(600);
    expect(table.rows.map(([n]) => n)).toEqual(numbers(20).map((n) => n % 3));
    expect(counted.bytes).toBeLessThan(3 * MIB);
    expect((await readParquetTable(source, 200)).notes).toEqual([
      'Only the first row groups are read: fewer rows than asked for are shown.',
    ]);
  });

  it('refuses a footer whose first row group alone is larger than 16 MiB', async () => {
    const bytes = Buffer.alloc(17 * MIB, 0x11);
    // A list of columns that goes on and on behind the schema's place.
    bytes.set([0x49, 0xfc, 0xff, 0xff, 0xff, 0x7f], 4);
    bytes.writeUInt32LE(bytes.length - 12, bytes.length - 8);
    bytes.write('PAR1', bytes.length - 4);
    await expect(head(bytes)).rejects.toThrow('in more than 16777216 bytes');
  });
});

/** A file whose footer states another schema than the one it was written by. */
function withSchema(
  columnData: Array<{ name: string; data: unknown[] }>,
  written: SchemaElement[],
  stated: SchemaElement[],
): Buffer {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: written, codec: 'UNCOMPRESSED', statistics: false });
  file.write({ columnData: columnData as ColumnSource[] });
  file.schema = stated;
  file.finish();
  return Buffer.from(writer.getBytes());
}

/** A file whose row groups all point at the same bytes. */
function withGroups(
  columnData: Array<{ name: string; data: number[]; type: 'INT32' }>,
  groups: number,
): Buffer {
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: schemaFromColumnData({ columnData }),
    codec: 'UNCOMPRESSED',
  });
  file.write({ columnData });
  file.row_groups = Array.from(
    { length: groups },
    () => file.row_groups[0] as (typeof file.row_groups)[number],
  );
  file.num_rows *= BigInt(groups);
  file.finish();
  return Buffer.from(writer.getBytes());
}
