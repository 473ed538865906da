import type { RandomAccess } from '../../core/ports/archive-reader.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { type TableColumn, type TableReader, UnreadableTable } from '../../core/ports/table-reader.js';
import { asTenantId } from '../../core/security/ids.js';
import { findTables } from '../../models/datasets/dataset-file.repository.js';
import type { ValidationInput } from '../../models/datasets/dataset-work.types.js';
import { tableFormat } from '../../models/datasets/sample.rules.js';
import type { Database } from '../../models/orm/database.js';
import { objectAccess } from './object-access.js';

/** Rows by which the types of a text table's columns are told. */
const HEAD_ROWS = 100;
/** Tables whose rows are added up; of a dataset with more the sum is not told. */
const MAX_TABLES = 20;

/** Why the bytes are no table of the type, or null. Reads its head alone. */
export async function tableProblem(tables: TableReader, source: RandomAccess, mediaType: string): Promise<string | null> {
  const format = tableFormat(mediaType);
  if (format === null) return null;
  try {
    await tables.readHead(source, format, 1);
    return null;
  } catch (error) {
    if (!(error instanceof UnreadableTable)) throw error;
    return `it cannot be read as ${format}: ${error.message}`;
  }
}

export interface TableFacts {
  /** Of the first table. */
  readonly columns: readonly TableColumn[];
  /** Of all tables together; null where only reading them to their end would tell. */
  readonly rows: number | null;
}

/** What the tables of a dataset hold, by their heads and footers; null without tables. */
export async function readTableFacts(
  deps: { readonly database: Database; readonly objects: ObjectStore; readonly tables: TableReader },
  input: ValidationInput,
  signal: AbortSignal,
): Promise<TableFacts | null> {
  const files = await deps.database.inTenant(asTenantId(input.tenantId), (tx) => findTables(tx, input.datasetId, MAX_TABLES + 1));
  let columns: readonly TableColumn[] | null = null;
  let rows: number | null = files.length > MAX_TABLES ? null : 0;
  for (const file of files) {
    const source = objectAccess(deps.objects, file.object_key, file.size_bytes, signal);
    const head = await deps.tables.readHead(source, tableFormat(file.media_type) ?? 'csv', HEAD_ROWS).catch(orNull);
    columns ??= head?.columns ?? null;
    rows = rows === null ? null : sum(rows, head?.totalRows ?? null);
    if (rows === null) break;
  }
  return columns === null ? null : { columns, rows };
}

const sum = (rows: number, more: number | null): number | null => (more === null ? null : rows + more);

/** That a table could be read is known from its check; where it fails now, its figures are not told. */
function orNull(error: unknown): null {
  if (error instanceof UnreadableTable) return null;
  throw error;
}
