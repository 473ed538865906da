import type { RandomAccess } from '../../../core/ports/archive-reader.js';
import { EmptyTable, type TableSample, UnreadableTable } from '../../../core/ports/table-reader.js';
import { boundedCell, type CellTally } from '../../../core/tables/cell.js';
import { type TextType, typedValue, typeOfTexts, typeOfValues, uniqueNames } from '../../../core/tables/column-types.js';
import { guessDelimiter, readDelimited } from '../../../core/tables/delimited.js';
import { decodeText } from '../../../core/tables/text-encoding.js';
import { cellNotes, MAX_COLUMNS, withinBudget } from './sample-limits.js';

/** How much of the file is read, in turn, until enough rows are whole. */
const HEAD_BYTES = [256 * 1024, 4 * 1024 * 1024];
const GUESS_CHARS = 65_536;

interface Head {
  readonly text: string;
  readonly isWhole: boolean;
  readonly notes: string[];
}

/** The first rows of delimited text whose first record names the columns. @throws UnreadableTable */
export async function readDelimitedTable(source: RandomAccess, delimiter: string | null, limit: number): Promise<TableSample> {
  const { found, head } = await growing(
    source,
    (piece) => {
      const parted = delimiter ?? guessDelimiter(piece.text.slice(0, GUESS_CHARS));
      // One more than asked for, to know whether the file goes on.
      return readDelimited(piece.text, parted, { records: mostRows(piece, limit + 2), fields: MAX_COLUMNS + 1 }, piece.isWhole).records;
    },
    limit + 2,
  );
  const [header, ...records] = found;
  if (!header) throw unreadableStart(head);
  const names = uniqueNames(header.slice(0, MAX_COLUMNS));
  const rows = records.slice(0, limit);
  const types = names.map((_, at) => typeOfTexts(rows.map((row) => row[at] ?? '')));
  const tally: CellTally = { cut: 0 };
  const cells = rows.map((row) => names.map((_, at) => boundedCell(typedValue(row[at] ?? '', types[at]?.dtype as TextType), tally)));
  const ragged = rows.filter((row) => row.length !== header.length).length;
  const notes = [...head.notes];
  if (header.length > MAX_COLUMNS) notes.push(`Only the first ${MAX_COLUMNS} columns are shown.`);
  if (ragged > 0) notes.push(`${ragged} of the rows shown have another number of fields than the header.`);
  return {
    columns: names.map((name, at) => ({ name, ...(types[at] as { dtype: string; nullable: boolean }) })),
    ...withinBudget(cells, [...notes, ...cellNotes(tally)]),
    totalRows: isCounted(head) || (head.isWhole && records.length <= limit) ? records.length : null,
  };
}

/** The first rows of a file with one JSON value a line; objects become columns, other values stand in one named `value`. */
export async function readJsonLines(source: RandomAccess, limit: number): Promise<TableSample> {
  const { found, head } = await growing(source, (piece) => wholeLines(piece, mostRows(piece, limit + 1)), limit + 1);
  if (found.length === 0) throw unreadableStart(head);
  const values: Record<string, unknown>[] = [];
  let broken = 0;
  for (const line of found.slice(0, limit)) {
    const value = parsed(line);
    if (value === undefined) broken += 1;
    else values.push(typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : { value });
  }
  if (values.length === 0) throw new UnreadableTable('none of its first lines is valid JSON');
  const keys = [...new Set(values.flatMap((value) => Object.keys(value).slice(0, MAX_COLUMNS + 1)))];
  const shown = keys.slice(0, MAX_COLUMNS);
  const tally: CellTally = { cut: 0 };
  const notes = [...head.notes];
  if (broken > 0) notes.push(`${broken} of the first lines are not valid JSON and are left out.`);
  if (keys.length > MAX_COLUMNS) notes.push(`Only the first ${MAX_COLUMNS} columns are shown.`);
  const own = (value: Record<string, unknown>, key: string) => (Object.hasOwn(value, key) ? value[key] : null);
  const rows = values.map((value) => shown.map((key) => boundedCell(own(value, key), tally)));
  const names = uniqueNames(shown);
  return {
    columns: names.map((name, at) => ({ name, ...typeOfValues(values.map((value) => own(value, shown[at] as string))) })),
    ...withinBudget(rows, [...notes, ...cellNotes(tally)]),
    totalRows: isCounted(head) || (head.isWhole && found.length <= limit) ? found.length : null,
  };
}

/** A small file is read to its end, so that its rows are counted. */
const isCounted = (head: Head): boolean => head.isWhole && head.text.length <= (HEAD_BYTES[0] as number);
const mostRows = (head: Head, enough: number): number => (isCounted(head) ? Number.POSITIVE_INFINITY : enough);

/** Reads more of the head until `parse` finds enough or the bounds are reached. */
async function growing<T>(source: RandomAccess, parse: (head: Head) => T[], enough: number): Promise<{ found: T[]; head: Head }> {
  let bytes = Buffer.alloc(0);
  for (const size of HEAD_BYTES) {
    const end = Math.min(size, source.sizeBytes);
    if (end > bytes.length) bytes = Buffer.concat([bytes, await source.read(bytes.length, end)]);
    const head = decodeHead(bytes, end === source.sizeBytes);
    const found = parse(head);
    if (found.length >= enough || head.isWhole || size === HEAD_BYTES.at(-1)) return { found, head };
  }
  throw new Error('a table is read in at least one step');
}

function decodeHead(bytes: Buffer, isWhole: boolean): Head {
  const { text, encoding } = decodeText(bytes);
  const notes = encoding === 'utf-8' ? [] : [`The text was read as ${encoding}.`];
  if (!text.includes('\0')) return { text, isWhole, notes };
  return { text: text.replaceAll('\0', '\uFFFD'), isWhole, notes: [...notes, 'NUL characters are shown as \uFFFD.'] };
}

function wholeLines({ text, isWhole }: Head, most: number): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length && lines.length < most; ) {
    const end = text.indexOf('\n', at);
    if (end < 0 && !isWhole) break;
    const line = text.slice(at, end < 0 ? text.length : end).trim();
    if (line !== '') lines.push(line);
    at = end < 0 ? text.length : end + 1;
  }
  return lines;
}

/** Undefined when the line is not JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

const unreadableStart = (head: Head): UnreadableTable => (head.isWhole ? new EmptyTable() : new UnreadableTable(`its first row is longer than ${HEAD_BYTES.at(-1)} bytes`));
