import { describe, expect, it } from '@jest/globals';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { readParquetTable } from '../../../adapters/hyparquet/parquet-table.js';
import { memorySource } from '../../fakes/memory-source.js';

type Unit = 'MILLIS' | 'MICROS' | 'NANOS';
const OPTIONAL = { repetition_type: 'OPTIONAL' } as const;
const stamp = (name: string, unit: Unit, isAdjustedToUTC: boolean, more = {}): SchemaElement => ({
  name,
  type: 'INT64',
  ...OPTIONAL,
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC, unit },
  ...more,
});
const root = (columns: number): SchemaElement => ({ name: 'root', num_children: columns });
const AT = 1_767_323_045_000n;

/** The head of a file that is written as plain numbers: the types are put into its footer alone. */
async function head(schema: SchemaElement[], columnData: Array<{ name: string; data: unknown[] }>) {
  const writer = new ByteWriter();
  const plain = schema.map((element) => ({ ...element, converted_type: undefined, logical_type: undefined }));
  const file = new ParquetWriter({ writer, schema: plain, codec: 'UNCOMPRESSED', statistics: false });
  file.write({ columnData: columnData as ColumnSource[] });
  file.schema = schema;
  file.finish();
  return readParquetTable(memorySource(Buffer.from(writer.getBytes())).source, 20);
}

describe('dates and times of a Parquet file', () => {
  it('dates have no time, whichever way their type is given', async () => {
    const days = [20_455, 0, -1, null, 2_932_897, 2_147_483_647];
    const schema: SchemaElement[] = [
      root(3),
      { name: 'converted', type: 'INT32', ...OPTIONAL, converted_type: 'DATE' },
      { name: 'logical', type: 'INT32', ...OPTIONAL, logical_type: { type: 'DATE' } },
      { name: 'both', type: 'INT32', ...OPTIONAL, converted_type: 'DATE', logical_type: { type: 'DATE' } },
    ];
    const { columns, rows } = await head(
      schema,
      ['converted', 'logical', 'both'].map((name) => ({ name, data: days })),
    );
    expect(columns.map(({ dtype }) => dtype)).toEqual(['date', 'date', 'date']);
    // The last one lies beyond what a date of JavaScript can be.
    const shown = ['2026-01-02', '1970-01-01', '1969-12-31', null, '+010000-01-01', null];
    expect(rows).toEqual(shown.map((day) => [day, day, day]));
  });

  it('timestamps without a zone carry none', async () => {
    const columns: Array<[SchemaElement, bigint]> = [
      [stamp('ms', 'MILLIS', false), AT],
      [stamp('us', 'MICROS', false), AT * 1000n],
      [stamp('fine', 'MICROS', false), AT * 1000n + 1n],
      [stamp('ns', 'NANOS', false), AT * 1_000_000n + 7n],
      [stamp('both', 'MICROS', false, { converted_type: 'TIMESTAMP_MICROS' }), AT * 1000n],
      [stamp('beyond', 'MILLIS', false), 2n ** 62n],
      [stamp('utc', 'MILLIS', true), AT],
      [{ name: 'old', type: 'INT64', ...OPTIONAL, converted_type: 'TIMESTAMP_MILLIS' }, AT],
    ];
    const table = await head(
      [root(columns.length), ...columns.map(([element]) => element)],
      columns.map(([{ name }, value]) => ({ name, data: [value, null] })),
    );
    const local = '2026-01-02T03:04:05.000';
    expect(table.rows).toEqual([
      [
        local,
        local,
        '2026-01-02T03:04:05.000001',
        '2026-01-02T03:04:05.000000007',
        local,
        null,
        `${local}Z`,
        `${local}Z`,
      ],
      columns.map(() => null),
    ]);
  });

  it('nor do those within nested values, nor dates a time', async () => {
    const group = (name: string, children: number): SchemaElement => ({
      name,
      ...OPTIONAL,
      num_children: children,
    });
    const schema: SchemaElement[] = [
      root(2),
      group('trip', 2),
      stamp('at', 'MICROS', false),
      { name: 'day', type: 'INT32', ...OPTIONAL, logical_type: { type: 'DATE' } },
      group('log', 1),
      stamp('at', 'MICROS', true),
    ];
    const { rows } = await head(schema, [
      { name: 'trip', data: [{ at: AT * 1000n, day: 20_455 }] },
      { name: 'log', data: [{ at: AT * 1000n }] },
    ]);
    expect(rows).toEqual([
      [{ at: '2026-01-02T03:04:05.000', day: '2026-01-02' }, { at: '2026-01-02T03:04:05.000Z' }],
    ]);
  });
});
