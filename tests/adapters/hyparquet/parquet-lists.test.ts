import { describe, expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { readParquetTable } from '../../../adapters/hyparquet/parquet-table.js';
import { memorySource } from '../../fakes/memory-source.js';

const numbers = (length: number) => Array.from({ length }, (_, n) => n);

/** The first rows of a table with a list in each row, of which the first entry is the number of the row. */
const head = (length: number, rowGroupSize: number) => {
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'n', data: numbers(60) },
      { name: 'list', data: numbers(60).map((n) => [n, ...numbers(length - 1)]) },
    ],
    schema: [
      { name: 'root', num_children: 2 },
      { name: 'n', type: 'INT32', repetition_type: 'REQUIRED' },
      { name: 'list', repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', type: 'INT32', repetition_type: 'OPTIONAL' },
    ],
    rowGroupSize,
    pageSize: 1000,
  });
  return readParquetTable(memorySource(Buffer.from(bytes)).source, 20);
};
const placesOf = ({ rows }: Awaited<ReturnType<typeof head>>) =>
  rows.map(([n, entries]) => [n, (entries as number[])[0]]);

describe('rows with long lists', () => {
  it.each([60, 15])('are as many as are asked for: groups of %i', async (size) => {
    const table = await head(300, size);
    expect(placesOf(table)).toEqual(numbers(20).map((n) => [n, n]));
    expect(table.notes).toEqual([expect.stringMatching(/^20 cells are shown in part/)]);
  });

  it('end, with a note, before one that would need too much, and none is left out before others', async () => {
    const table = await head(3000, 15);
    expect(table.rows.length).toBeGreaterThan(2);
    expect(table.rows.length).toBeLessThan(15);
    expect(placesOf(table)).toEqual(numbers(table.rows.length).map((n) => [n, n]));
    expect(table.notes).toContain('The pages that are read hold fewer rows than are asked for.');
  });
});
