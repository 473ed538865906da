import { type ColumnChunk, type FileMetaData, parquetRead, type RowGroup } from 'hyparquet';
import { inParallel } from '../../core/load/in-parallel.js';
import type { RandomAccess } from '../../core/ports/archive-reader.js';
import { BeyondReader, type TableSample, UnreadableTable } from '../../core/ports/table-reader.js';
import { boundedCell, type CellCounter } from '../../formats/tables/cell.js';
import { uniqueNames } from '../../formats/tables/column-types.js';
import { ByteWindow } from './byte-window.js';
import { type ParquetColumn, topColumns } from './parquet-columns.js';
import { readFooter } from './parquet-footer.js';
import { lengthOf } from './parquet-pages.js';
import { type ChunkHead, DecodeBudget, firstSpans, readChunkHead } from './parquet-plan.js';
import { cellNotes, MAX_COLUMNS, withinBudget } from '../../formats/tables/sample-limits.js';

const MAX_READ_BYTES = 64 * 1024 * 1024;
/** Ranges read at once. */
const AT_ONCE = 8;
const MAX_NAMED = 20;
const MAX_GROUPS = 16;

/**
 * The first rows of a Parquet file: its footer, and of each column the first pages alone. A column that cannot be read
 * is shown empty, with a note.
 * @throws UnreadableTable also where no column can be read, unless that is for want of room alone
 */
export async function readParquetTable(source: RandomAccess, limit: number): Promise<TableSample> {
  const window = new ByteWindow(source, MAX_READ_BYTES);
  const metadata = await readFooter(window, MAX_GROUPS);
  const all = topColumns(metadata);
  const shown = all.slice(0, MAX_COLUMNS);
  const names = uniqueNames(shown.map((column) => column.fileName));
  const columns = shown.map((column, at): ParquetColumn => ({ ...column, name: names[at] as string }));
  const reading: Reading = { window, metadata, columns, budget: new DecodeBudget(), problems: new Map() };
  const rows: unknown[][] = [];
  const counter: CellCounter = { cut: 0 };
  let isCut = false;
  for (const group of metadata.row_groups) {
    // Rows of the next group would not be those that follow.
    if (rows.length >= limit || isCut) break;
    const wanted = Math.min(limit - rows.length, Number(group.num_rows));
    if (!(wanted > 0)) continue;
    const found = await readGroup(reading, group, wanted);
    rows.push(...found.map((row) => row.map((cell) => boundedCell(cell, counter))));
    isCut = found.length < wanted;
  }
  const { problems } = reading;
  // A column that is only too large for this reader may be sound, and so the file.
  const refused = [...problems.values()].filter((problem) => !(problem instanceof BeyondReader));
  if (refused[0] && refused.length === columns.length) throw refused[0];
  const notes = [...problems]
    .slice(0, MAX_NAMED)
    .map(([name, { message }]) => `Column ${JSON.stringify(name.slice(0, 100))} is not shown: ${message}.`);
  if (problems.size > MAX_NAMED) notes.push(`${problems.size - MAX_NAMED} further columns are not shown.`);
  if (all.length > MAX_COLUMNS) notes.push(`Only the first ${MAX_COLUMNS} columns are shown.`);
  const rounded = columns
    .filter((column) => column.hasRoundedDecimals && !problems.has(column.name))
    .slice(0, MAX_NAMED);
  for (const { name } of rounded)
    notes.push(`Decimals within column ${JSON.stringify(name.slice(0, 100))} are shown rounded.`);
  const total = Number(metadata.num_rows);
  if (isCut) notes.push('The pages that are read hold fewer rows than are asked for.');
  else if (rows.length < limit && rows.length < total)
    notes.push('Only the first row groups are read: fewer rows than asked for are shown.');
  return {
    columns: columns.map(({ name, dtype, nullable }) => ({ name, dtype, nullable })),
    ...withinBudget(rows, [...notes, ...cellNotes(counter)]),
    totalRows: Number.isSafeInteger(total) && total >= 0 ? total : null,
    broken: null,
  };
}

interface Reading {
  readonly window: ByteWindow;
  readonly metadata: FileMetaData;
  readonly columns: readonly ParquetColumn[];
  readonly budget: DecodeBudget;
  /** Why a column is not shown, by its name. */
  readonly problems: Map<string, UnreadableTable>;
}

/** The first rows of a group, as many as every column that is shown has whole. */
async function readGroup(reading: Reading, group: RowGroup, wanted: number): Promise<unknown[][]> {
  const shown = reading.columns.filter((column) => !reading.problems.has(column.name));
  await reading.window.prefetch(
    shown.flatMap((column) => chunksOf(group, column).flatMap(firstSpans)),
    AT_ONCE,
  );
  const values = await inParallel(reading.columns, AT_ONCE, async (column) =>
    reading.problems.has(column.name) ? null : readColumn(reading, group, column, wanted),
  );
  const whole = Math.min(wanted, ...values.filter((list) => list !== null).map((list) => list.length));
  return Array.from({ length: whole }, (_, row) => values.map((list) => list?.[row] ?? null));
}

const chunksOf = (group: RowGroup, column: ParquetColumn): ColumnChunk[] =>
  group.columns.slice(column.firstChunk, column.firstChunk + column.leaves.length);

/** Null when the column cannot be read; the reason is kept. */
async function readColumn(
  reading: Reading,
  group: RowGroup,
  column: ParquetColumn,
  rows: number,
): Promise<readonly unknown[] | null> {
  try {
    const chunks = chunksOf(group, column);
    if (chunks.length === 0 || chunks.length < column.leaves.length)
      throw new UnreadableTable('its bytes are encrypted or missing');
    const heads: ChunkHead[] = [];
    for (const [at, chunk] of chunks.entries()) {
      const leaf = {
        ...(column.leaves[at] as (typeof column.leaves)[number]),
        type: chunk.meta_data?.type ?? 'INT32',
      };
      heads.push(await readChunkHead(reading.window, chunk, leaf, rows, reading.budget));
    }
    // The last row of a repeated column may go on in a page that was not read.
    const isCut = column.isRepeated && heads.some((head) => head.isCut);
    const values = await decode(reading.metadata, group, column, { chunks, heads }, rows + 1);
    return (isCut ? values.slice(0, -1) : values).slice(0, rows);
  } catch (error) {
    reading.problems.set(
      column.name,
      error instanceof UnreadableTable
        ? error
        : new UnreadableTable('its pages are damaged or of a kind that is not supported'),
    );
    return null;
  }
}

/** Decodes a file made of the column's first pages alone. */
async function decode(
  metadata: FileMetaData,
  group: RowGroup,
  column: ParquetColumn,
  { chunks, heads }: { chunks: readonly ColumnChunk[]; heads: readonly ChunkHead[] },
  rows: number,
): Promise<unknown[]> {
  const values: unknown[] = [];
  let end = 4;
  const short = chunks.map((chunk, at): ColumnChunk => {
    const { dictionary, data, values: count } = heads[at] as ChunkHead;
    const start = end;
    const dataAt = start + lengthOf(dictionary);
    end = dataAt + lengthOf(data);
    return {
      file_offset: 0n,
      meta_data: {
        ...(chunk.meta_data as NonNullable<ColumnChunk['meta_data']>),
        codec: 'UNCOMPRESSED',
        num_values: BigInt(count),
        total_compressed_size: BigInt(end - start),
        data_page_offset: BigInt(dataAt),
        ...(dictionary.length > 0
          ? { dictionary_page_offset: BigInt(start) }
          : { dictionary_page_offset: undefined }),
      },
    };
  });
  const pieces = [Buffer.from('PAR1'), ...heads.flatMap(({ dictionary, data }) => [...dictionary, ...data])];
  await parquetRead({
    file: { byteLength: end, slice: (start, stop = end) => joined(pieces, start, stop) },
    metadata: { ...metadata, schema: column.schema, row_groups: [{ ...group, columns: short }] },
    columns: [column.fileName],
    parsers: column.parsers,
    utf8: false,
    geoparquet: false,
    onChunk: ({ columnData }) => {
      for (let at = 0; at < columnData.length && values.length < rows; at += 1)
        values.push(column.render === null ? columnData[at] : column.render(columnData[at]));
    },
  });
  return values;
}

/** The bytes `[start, end)` of the pieces one after the other. */
function joined(pieces: readonly Uint8Array[], start: number, end: number): ArrayBuffer {
  const bytes = new Uint8Array(end - start);
  let at = -start;
  for (const piece of pieces) {
    const part = piece.subarray(Math.max(0, -at), Math.max(0, bytes.length - at));
    if (part.length > 0) bytes.set(part, Math.max(0, at));
    at += piece.length;
  }
  return bytes.buffer;
}
