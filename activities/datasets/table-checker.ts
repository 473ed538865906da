import type { RandomAccess } from '../../core/ports/archive-reader.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import {
  EmptyTable,
  NO_ROW,
  type TableAsker,
  type TableColumn,
  type TableFormat,
  type TableReader,
  type TableSample,
  UnreadableTable,
} from '../../core/ports/table-reader.js';
import { asTenantId } from '../../core/security/ids.js';
import { findTables } from '../../models/datasets/files/dataset-file.queries.js';
import type { ValidationInput } from '../../models/datasets/catalog/dataset-work.types.js';
import { tableFormat } from '../../models/datasets/validation/sample.rules.js';
import type { Database } from '../../models/orm/in-tenant.js';
import { objectReader } from '../../models/objects/object-reader.js';

/** Rows from which the types of a text table's columns are derived, and which are looked at for broken ones. */
const HEAD_ROWS = 100;
/** Tables whose rows are added up; a dataset with more gets no sum. */
const MAX_TABLES = 20;

export interface TableVerdict {
  /** Why the bytes are no table of the type, or null. */
  readonly problem: string | null;
  /** What is remarkable about a table that is none the less one, or null. */
  readonly note: string | null;
}

/** Whether the bytes are a table of the type. Reads its head alone. */
export async function checkTable(
  tables: TableReader,
  source: RandomAccess,
  mediaType: string,
  asker: TableAsker,
): Promise<TableVerdict> {
  const format = tableFormat(mediaType);
  if (format === null) return { problem: null, note: null };
  try {
    // Parquet has no lines that could be broken: it is enough to know whether one row can be read.
    const { totalRows, broken } = await tables.readHead(
      source,
      format,
      format === 'parquet' ? 1 : HEAD_ROWS,
      asker,
    );
    return { problem: null, note: totalRows === 0 ? NO_ROW : broken };
  } catch (error) {
    // An empty export is usual, and says nothing against the files beside it.
    if (error instanceof EmptyTable) return { problem: null, note: error.message };
    if (!(error instanceof UnreadableTable)) throw error;
    return { problem: `it cannot be read as ${format}: ${error.message}`, note: null };
  }
}

export interface TableFacts {
  /** Columns of the first table that is not empty. */
  readonly columns: readonly TableColumn[];
  /** Rows of all tables; null where they would have to be read to their end for it. */
  readonly rows: number | null;
}

/** What the tables of a dataset hold, by their heads and footers; null without tables. */
export async function readTableFacts(
  deps: { readonly database: Database; readonly objects: ObjectStore; readonly tables: TableReader },
  input: ValidationInput,
  signal: AbortSignal,
): Promise<TableFacts | null> {
  const files = await deps.database.inTenant(asTenantId(input.tenantId), (tx) =>
    findTables(tx, input.datasetId, MAX_TABLES + 1),
  );
  if (files.length === 0) return null;
  let columns: readonly TableColumn[] = [];
  let rows: number | null = files.length > MAX_TABLES ? null : 0;
  for (const file of files) {
    const source = objectReader(deps.objects, file.objectKey, file.sizeBytes, signal);
    const head = await headOf(deps.tables, source, tableFormat(file.mediaType) ?? 'csv', {
      tenantId: input.tenantId,
      signal,
    });
    if (columns.length === 0) columns = head.columns;
    rows = rows === null || head.totalRows === null ? null : rows + head.totalRows;
    if (rows === null && columns.length > 0) break;
  }
  return { columns, rows };
}

/** That a table could be read is known from its check; where it fails now, its figures are left out. */
async function headOf(
  tables: TableReader,
  source: RandomAccess,
  format: TableFormat,
  asker: TableAsker,
): Promise<Pick<TableSample, 'columns' | 'totalRows'>> {
  try {
    return await tables.readHead(source, format, HEAD_ROWS, asker);
  } catch (error) {
    if (error instanceof EmptyTable) return { columns: [], totalRows: 0 };
    if (error instanceof UnreadableTable) return { columns: [], totalRows: null };
    throw error;
  }
}
