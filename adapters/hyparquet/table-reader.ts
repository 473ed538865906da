import type { RandomAccess } from '../../core/ports/archive-reader.js';
import type { TableReader, TableSample } from '../../core/ports/table-reader.js';
import { delimitedTable } from '../../formats/tables/delimited-sample.js';
import { jsonLinesTable } from '../../formats/tables/json-lines-sample.js';
import { decodeHead, HEAD_BYTES, type TextTable } from '../../formats/tables/text-head.js';
import { readParquetIsolated } from './isolated-parquet.js';

/** Tables of every format that datasets know. */
export const createTableReader = (): TableReader => ({
  readHead(source, format, limit, asker) {
    switch (format) {
      case 'parquet':
        return readParquetIsolated(source, limit, asker);
      case 'jsonl':
        return readText(source, jsonLinesTable(limit));
      case 'tsv':
        return readText(source, delimitedTable('\t', limit));
      case 'csv':
        return readText(source, delimitedTable(null, limit));
    }
  },
});

/** Reads more of the head until the format finds enough or the bounds are reached. */
async function readText<T>(source: RandomAccess, table: TextTable<T>): Promise<TableSample> {
  let bytes = Buffer.alloc(0);
  for (const size of HEAD_BYTES) {
    const end = Math.min(size, source.sizeBytes);
    if (end > bytes.length) bytes = Buffer.concat([bytes, await source.read(bytes.length, end)]);
    const head = decodeHead(bytes, end === source.sizeBytes);
    const found = table.parse(head);
    if (table.isEnough(found) || head.isWhole || size === HEAD_BYTES.at(-1)) return table.sample(found, head);
  }
  throw new Error('a table is read in at least one step');
}
