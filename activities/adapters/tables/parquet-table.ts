import { type ColumnChunk, type FileMetaData, parquetRead, type RowGroup } from 'hyparquet';
import type { RandomAccess } from '../../../core/ports/archive-reader.js';
import { type TableSample, UnreadableTable } from '../../../core/ports/table-reader.js';
import { boundedCell, type CellTally, MAX_CELL_TEXT } from '../../../core/tables/cell.js';
import { uniqueNames } from '../../../core/tables/column-types.js';
import { ByteWindow } from './byte-window.js';
import { CODECS } from './parquet-codecs.js';
import { PARSERS, type ParquetColumn, readFooter, topColumns } from './parquet-footer.js';
import { DecodeBudget, planChunk } from './parquet-plan.js';
import { cellNotes, MAX_COLUMNS, withinBudget } from './sample-limits.js';

const MAX_READ_BYTES = 64 * 1024 * 1024;
/** Small row groups are read in one go. */
const SMALL_GROUP_BYTES = 2 * 1024 * 1024;
const MAX_GROUPS = 16;
/** Nested values take several entries a row; so many are read for each row that is wanted. */
const ENTRIES_PER_ROW = 16;

/**
 * The first rows of a Parquet file: its footer, and of each column the first pages alone. A column that cannot be read
 * is shown empty, with a note.
 * @throws UnreadableTable
 */
export async function readParquetTable(source: RandomAccess, limit: number): Promise<TableSample> {
  const window = new ByteWindow(source, MAX_READ_BYTES);
  const metadata = await readFooter(window);
  const all = topColumns(metadata);
  const shown = all.slice(0, MAX_COLUMNS);
  const names = uniqueNames(shown.map((column) => column.fileName));
  const columns = shown.map((column, at): ParquetColumn => ({ ...column, name: names[at] as string }));
  const reading: Reading = { window, metadata, columns, budget: new DecodeBudget(), problems: new Map() };
  const rows: unknown[][] = [];
  const tally: CellTally = { cut: 0 };
  for (const group of metadata.row_groups.slice(0, MAX_GROUPS)) {
    if (rows.length >= limit) break;
    for (const row of await readGroup(reading, group, limit - rows.length)) rows.push(row.map((cell) => boundedCell(cell, tally)));
  }
  const { problems } = reading;
  if (problems.size > 0 && problems.size === columns.length) throw new UnreadableTable([...problems.values()][0] as string);
  const notes = [...problems].slice(0, 20).map(([name, problem]) => `Column ${JSON.stringify(name.slice(0, 100))} is not shown: ${problem}.`);
  if (all.length > MAX_COLUMNS) notes.push(`Only the first ${MAX_COLUMNS} columns are shown.`);
  const total = Number(metadata.num_rows);
  return {
    columns: columns.map(({ name, dtype, nullable }) => ({ name, dtype, nullable })),
    ...withinBudget(rows, [...notes, ...cellNotes(tally)]),
    totalRows: Number.isSafeInteger(total) && total >= 0 ? total : null,
  };
}

interface Reading {
  readonly window: ByteWindow;
  readonly metadata: FileMetaData;
  readonly columns: readonly ParquetColumn[];
  readonly budget: DecodeBudget;
  /** Why a column is not shown, by its name. */
  readonly problems: Map<string, string>;
}

async function readGroup(reading: Reading, group: RowGroup, wanted: number): Promise<unknown[][]> {
  const groupRows = Math.min(wanted, Number(group.num_rows));
  if (!(groupRows > 0)) return [];
  await readSmallGroup(reading.window, group);
  const values: Array<readonly unknown[] | null> = [];
  for (const column of reading.columns) values.push(reading.problems.has(column.name) ? null : await readColumn(reading, group, column, groupRows));
  const whole = Math.min(groupRows, ...values.filter((list) => list !== null).map((list) => list.length));
  return Array.from({ length: whole }, (_, row) => values.map((list) => list?.[row] ?? null));
}

async function readSmallGroup(window: ByteWindow, group: RowGroup): Promise<void> {
  const spans = group.columns.flatMap(({ meta_data: meta }) => {
    const start = meta && Number(meta.dictionary_page_offset || meta.data_page_offset);
    return start === undefined ? [] : [{ start, end: start + Number(meta?.total_compressed_size) }];
  });
  const start = Math.min(...spans.map((span) => span.start));
  const end = Math.max(...spans.map((span) => span.end));
  if (start >= 0 && end > start && end - start <= SMALL_GROUP_BYTES && end <= window.sizeBytes) await window.read(start, end);
}

/** Null when the column cannot be read; the reason is kept. */
async function readColumn(reading: Reading, group: RowGroup, column: ParquetColumn, rows: number): Promise<readonly unknown[] | null> {
  try {
    const leaves = group.columns.filter((chunk) => chunk.meta_data?.path_in_schema[0] === column.fileName);
    if (leaves.length === 0) throw new UnreadableTable('its bytes are encrypted or missing');
    const chunks: ColumnChunk[] = [];
    let isCut = false;
    for (const leaf of leaves) {
      const planned = await planChunk(reading.window, leaf, column.isFlat ? rows : rows * ENTRIES_PER_ROW, reading.budget);
      chunks.push(planned.chunk);
      isCut ||= planned.isCut;
    }
    // The last row of a nested column may go on in a page that was not read.
    const values = await decode(reading, { ...group, columns: chunks }, column, rows + 1);
    return (column.isFlat || !isCut ? values : values.slice(0, -1)).slice(0, rows);
  } catch (error) {
    reading.problems.set(column.name, error instanceof UnreadableTable ? error.message : 'its pages are damaged or of a kind that is not supported');
    return null;
  }
}

async function decode({ window, metadata }: Reading, group: RowGroup, column: ParquetColumn, rows: number): Promise<unknown[]> {
  const values: unknown[] = [];
  await parquetRead({
    file: { byteLength: window.sizeBytes, slice: (start, end) => window.slice(start, end) },
    metadata: { ...metadata, row_groups: [group] },
    columns: [column.fileName],
    compressors: CODECS,
    parsers: PARSERS,
    utf8: false,
    geoparquet: false,
    onChunk: ({ columnData }) => {
      for (let at = 0; at < columnData.length && values.length < rows; at += 1) values.push(column.isRaw ? readable(columnData[at]) : columnData[at]);
    },
  });
  return values;
}

/** Bytes that are plain text as text. */
function readable(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(value.subarray(0, 4 * MAX_CELL_TEXT), { stream: true });
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? value : text;
  } catch {
    return value;
  }
}
