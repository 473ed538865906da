import type { TableReader } from '../../core/ports/table-reader.js';
import { readParquetIsolated } from './isolated-parquet.js';
import { readDelimitedTable, readJsonLines } from './text-table.js';

/** Tables of every format that datasets know. */
export const createTableReader = (): TableReader => ({
  readHead(source, format, limit, asker) {
    switch (format) {
      case 'parquet':
        return readParquetIsolated(source, limit, asker);
      case 'jsonl':
        return readJsonLines(source, limit);
      case 'tsv':
        return readDelimitedTable(source, '\t', limit);
      case 'csv':
        return readDelimitedTable(source, null, limit);
    }
  },
});
