import type { RandomAccess } from './archive-reader.js';

export type TableFormat = 'csv' | 'tsv' | 'jsonl' | 'parquet';

/** A column as its data show it. */
export interface TableColumn {
  /** Unique within the table. */
  readonly name: string;
  /** Such as `int64`, `float64`, `bool`, `date`, `timestamp`, `string`, `json`, `binary`, `decimal(10,2)`. */
  readonly dtype: string;
  readonly nullable: boolean;
}

/** The first rows of a table. Cells are null, booleans, numbers, texts or small JSON values, each bounded in size. */
export interface TableSample {
  readonly columns: readonly TableColumn[];
  /** One array a row, in the order of the columns. */
  readonly rows: ReadonlyArray<readonly unknown[]>;
  /** Rows of the whole table; null if counting would need the whole file. */
  readonly totalRows: number | null;
  /** What was left out or repaired, in plain words. */
  readonly notes: readonly string[];
  /** What is wrong with rows among those that were read, how many they are and where the first is; null when nothing is. */
  readonly broken: string | null;
}

/** The bytes are no table of the format, or one that cannot be shown; the message says why. */
export class UnreadableTable extends Error {
  override readonly name = 'UnreadableTable';
}

/** A bound of the reader itself, which says nothing against the bytes. */
export class BeyondReader extends UnreadableTable {}

/** Said of a table without a row. */
export const NO_ROW = 'it holds no row';

/** There is nothing in it: no row, not even names of columns. */
export class EmptyTable extends UnreadableTable {
  constructor() {
    super(NO_ROW);
  }
}

/** For whom a table is read: tenants take turns. */
export interface TableAsker {
  readonly tenantId: string;
  /** Ends the waiting for a turn: its reason is thrown. Whoever reads ends by its source. */
  readonly signal: AbortSignal;
}

/** Reads the head of tables by ranges: never a whole file, never unbounded memory, whatever the bytes claim. */
export interface TableReader {
  /** @throws UnreadableTable with the reason, EmptyTable; AppError service_unavailable; whatever the source throws passes through */
  readHead(source: RandomAccess, format: TableFormat, limit: number, asker: TableAsker): Promise<TableSample>;
}
