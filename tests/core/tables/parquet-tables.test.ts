import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { readParquetTable } from '../../../activities/adapters/tables/parquet-table.js';
import { memorySource } from './memory-source.js';

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
          { name: 'raw', data: [new Uint8Array([0, 255, 3]), new Uint8Array([104, 105])], type: 'BYTE_ARRAY' },
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

  it('reads nested columns', async () => {
    const list = (name: string) => [
      { name, repetition_type: 'OPTIONAL' as const, converted_type: 'LIST' as const, num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED' as const, num_children: 1 },
      { name: 'element', type: 'INT32' as const, repetition_type: 'OPTIONAL' as const },
    ];
    const data = numbers(5000).map((n) => [n, n + 1]);
    const bytes = write({ columnData: [{ name: 'box', data }], schema: [{ name: 'root', num_children: 1 }, ...list('box')], rowGroupSize: 5000, pageSize: 1000 });
    const table = await head(bytes, 200);
    expect(table.columns).toEqual([{ name: 'box', dtype: 'list', nullable: true }]);
    expect(table.rows).toEqual(data.slice(0, 200).map((box) => [box]));
  });

  it('reads of a large file its footer and the first pages alone', async () => {
    const rows = 600_000;
    const bytes = write({
      columnData: [
        { name: 'id', data: new Int32Array(rows).map((_, n) => n), type: 'INT32', encoding: 'PLAIN' },
        { name: 'x', data: new Float64Array(rows).map(() => Math.random()), type: 'DOUBLE', encoding: 'PLAIN' },
        { name: 'y', data: new Float64Array(rows).map(() => Math.random()), type: 'DOUBLE', encoding: 'PLAIN' },
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
    // A page of 1 MiB for each of three columns, and the end of the file.
    expect(counted.bytes).toBeLessThan(4 * MIB);
    expect(counted.reads).toBeLessThan(20);
  });

  it('goes on in the next row groups when the first are short', async () => {
    const table = await head(write({ columnData: [{ name: 'n', data: numbers(100), type: 'INT32' }], rowGroupSize: 7 }), 30);
    expect(table.rows.map(([n]) => n)).toEqual(numbers(30));
  });

  it.each(['GZIP', 'SNAPPY', 'UNCOMPRESSED'] as const)('unpacks %s', async (codec) => {
    const compressors = { GZIP: (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes)) };
    const bytes = write({ columnData: [{ name: 't', data: numbers(3000).map((n) => `text ${n % 7}`), type: 'STRING' }], codec, ...(codec === 'GZIP' ? { compressors } : {}) });
    expect((await head(bytes, 3)).rows).toEqual([['text 0'], ['text 1'], ['text 2']]);
  });
});
