import type { RandomAccess } from '../../core/ports/archive-reader.js';
import { EmptyTable, type TableSample, UnreadableTable } from '../../core/ports/table-reader.js';
import { boundedCell, type CellCounter } from '../../formats/tables/cell.js';
import {
  type TextType,
  typedValue,
  typeOfTexts,
  typeOfValues,
  uniqueNames,
} from '../../formats/tables/column-types.js';
import { guessDelimiter, readDelimited } from '../../formats/tables/delimited.js';
import { decodeTable } from '../../formats/tables/text-encoding.js';
import { cellNotes, MAX_COLUMNS, withinBudget } from './sample-limits.js';

/** How much of the file is read, in turn, until enough rows are whole. */
const HEAD_BYTES = [256 * 1024, 4 * 1024 * 1024];
const GUESS_CHARS = 65_536;
/** Maximum length of a record that the end of the head cuts off within quotes and that still counts as sound. */
const OPEN_QUOTE_CHARS = 1024 * 1024;
/** Lines with large integers of which these are kept exactly: parsing them so takes thirty times as long. */
const EXACT_CHARS = 256 * 1024;
/** May be an integer that a double does not hold; the digits of a fraction are none. */
const LARGE_INTEGER = /(?<![\d.])[1-9]\d{15}/;

interface Head {
  readonly text: string;
  readonly isWhole: boolean;
  readonly notes: string[];
}

/** The first rows of delimited text whose first record names the columns. @throws UnreadableTable */
export async function readDelimitedTable(
  source: RandomAccess,
  delimiter: string | null,
  limit: number,
): Promise<TableSample> {
  const { found, head } = await growing(
    source,
    (piece) => {
      const parted = delimiter ?? guessDelimiter(piece.text.slice(0, GUESS_CHARS));
      // One more than asked for, to know whether the file goes on.
      return readDelimited(
        piece.text,
        parted,
        { records: mostRows(piece, limit + 2), fields: MAX_COLUMNS + 1 },
        piece.isWhole,
      );
    },
    (read) => read.records.length >= limit + 2,
  );
  const { openQuote: openAt } = found;
  const isOpen = openAt !== undefined && (head.isWhole || head.text.length - openAt > OPEN_QUOTE_CHARS);
  const openQuote = isOpen
    ? `the quote that opens in the record at line ${lineAt(head.text, openAt)} is not closed`
    : null;
  if (openQuote !== null && head.isWhole) throw new UnreadableTable(openQuote);
  const [header, ...records] = found.records;
  if (!header) throw unreadableStart(head);
  const names = uniqueNames(header.slice(0, MAX_COLUMNS));
  const rows = records.slice(0, limit);
  const types = names.map((_, at) => typeOfTexts(rows.map((row) => row[at] ?? '')));
  const counter: CellCounter = { cut: 0 };
  const cells = rows.map((row) =>
    names.map((_, at) => boundedCell(typedValue(row[at] ?? '', types[at]?.dtype as TextType), counter)),
  );
  const ragged = rows.filter((row) => row.length !== header.length).length;
  const uneven = records.flatMap((row, at) => (row.length === header.length ? [] : [at + 1]));
  const notes = [...head.notes];
  if (header.length > MAX_COLUMNS) notes.push(`Only the first ${MAX_COLUMNS} columns are shown.`);
  if (!head.isWhole && rows.length < limit) notes.push(tooLong);
  if (ragged > 0) notes.push(`${ragged} of the rows shown have another number of fields than the header.`);
  return {
    columns: names.map((name, at) => ({ name, ...(types[at] as { dtype: string; nullable: boolean }) })),
    ...withinBudget(cells, [...notes, ...cellNotes(counter)]),
    totalRows: isCounted(head) || (head.isWhole && records.length <= limit) ? records.length : null,
    broken:
      openQuote ??
      (uneven.length > 0
        ? `${uneven.length} ${uneven.length === 1 ? 'row has' : 'rows have'} another number of fields than the header, the first is row ${uneven[0]}`
        : null),
  };
}

/** The first rows of a file with one JSON value a line; objects become columns, other values stand in one named `value`. */
export async function readJsonLines(source: RandomAccess, limit: number): Promise<TableSample> {
  const { found, head } = await growing(
    source,
    (piece) => wholeLines(piece, mostRows(piece, limit + 1)),
    (lines) => lines.length > limit,
  );
  if (found.length === 0) throw unreadableStart(head);
  const { values: all, broken, isRounded } = parsedLines(found, limit);
  const values = all.slice(0, limit);
  if (values.length === 0) throw new UnreadableTable('none of its first lines is valid JSON');
  const keys = [...new Set(values.flatMap((value) => Object.keys(value).slice(0, MAX_COLUMNS + 1)))];
  const shown = keys.slice(0, MAX_COLUMNS);
  const counter: CellCounter = { cut: 0 };
  const notes = [...head.notes];
  if (!head.isWhole && found.length < limit) notes.push(tooLong);
  if (broken.length > 0)
    notes.push(`${broken.length} of the first lines are not valid JSON and are left out.`);
  if (isRounded)
    notes.push(
      'Integers beyond 2^53 may be rounded in the last rows: exact ones are read in few long lines only.',
    );
  if (keys.length > MAX_COLUMNS) notes.push(`Only the first ${MAX_COLUMNS} columns are shown.`);
  const own = (value: Record<string, unknown>, key: string) =>
    Object.hasOwn(value, key) ? value[key] : null;
  const rows = values.map((value) => shown.map((key) => boundedCell(own(value, key), counter)));
  const names = uniqueNames(shown);
  return {
    columns: names.map((name, at) => ({
      name,
      ...typeOfValues(values.map((value) => own(value, shown[at] as string))),
    })),
    ...withinBudget(rows, [...notes, ...cellNotes(counter)]),
    totalRows: isCounted(head) || (head.isWhole && found.length <= limit) ? all.length : null,
    broken:
      broken.length > 0
        ? `${broken.length} ${broken.length === 1 ? 'line is' : 'lines are'} not valid JSON, the first is line ${broken[0]}`
        : null,
  };
}

interface Line {
  readonly text: string;
  /** From 1, blank ones counted. */
  readonly number: number;
}

/** Objects of all lines that are JSON, and the numbers of those that are not. @param exactRows of which large integers are kept */
function parsedLines(
  lines: readonly Line[],
  exactRows: number,
): { values: Array<Record<string, unknown>>; broken: number[]; isRounded: boolean } {
  const values: Array<Record<string, unknown>> = [];
  const broken: number[] = [];
  let exactChars = EXACT_CHARS;
  let isRounded = false;
  for (const { text, number } of lines) {
    const isLarge = values.length < exactRows && LARGE_INTEGER.test(text);
    if (isLarge) exactChars -= text.length;
    if (isLarge && exactChars < 0) isRounded = true;
    const value = parsed(text, isLarge && exactChars >= 0);
    if (value === undefined) broken.push(number);
    else
      values.push(
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? (value as Record<string, unknown>)
          : { value },
      );
  }
  return { values, broken, isRounded };
}

/** The line in which the place stands, from 1. */
const lineAt = (text: string, place: number): number => text.slice(0, place).split('\n').length;

/** A small file is read to its end, so that its rows are counted. */
const isCounted = (head: Head): boolean => head.isWhole && head.text.length <= (HEAD_BYTES[0] as number);
const mostRows = (head: Head, enough: number): number =>
  isCounted(head) ? Number.POSITIVE_INFINITY : enough;

/** Reads more of the head until `parse` finds enough or the bounds are reached. */
async function growing<T>(
  source: RandomAccess,
  parse: (head: Head) => T,
  isEnough: (found: T) => boolean,
): Promise<{ found: T; head: Head }> {
  let bytes = Buffer.alloc(0);
  for (const size of HEAD_BYTES) {
    const end = Math.min(size, source.sizeBytes);
    if (end > bytes.length) bytes = Buffer.concat([bytes, await source.read(bytes.length, end)]);
    const head = decodeHead(bytes, end === source.sizeBytes);
    const found = parse(head);
    if (isEnough(found) || head.isWhole || size === HEAD_BYTES.at(-1)) return { found, head };
  }
  throw new Error('a table is read in at least one step');
}

function decodeHead(bytes: Buffer, isWhole: boolean): Head {
  const { text, encoding } = decodeTable(bytes);
  const notes = encoding === 'utf-8' ? [] : [`The text was read as ${encoding}.`];
  if (!text.includes('\0')) return { text, isWhole, notes };
  return {
    text: text.replaceAll('\0', '\uFFFD'),
    isWhole,
    notes: [...notes, 'NUL characters are shown as \uFFFD.'],
  };
}

function wholeLines({ text, isWhole }: Head, most: number): Line[] {
  const lines: Line[] = [];
  for (let [at, number] = [0, 1]; at < text.length && lines.length < most; number += 1) {
    const end = text.indexOf('\n', at);
    if (end < 0 && !isWhole) break;
    const line = text.slice(at, end < 0 ? text.length : end).trim();
    if (line !== '') lines.push({ text: line, number });
    at = end < 0 ? text.length : end + 1;
  }
  return lines;
}

/** Undefined when the line is not JSON. */
function parsed(line: string, isExact: boolean): unknown {
  try {
    const value = JSON.parse(line) as unknown;
    return isExact ? exactIntegers(line, value) : value;
  } catch {
    return undefined;
  }
}

/** Integers beyond what a double holds as they stand in the text. Values nested too deep for that stay as they are. */
function exactIntegers(line: string, value: unknown): unknown {
  try {
    return JSON.parse(line, (_key, part: unknown, context?: { source: string }) =>
      typeof part === 'number' && !Number.isSafeInteger(part) && /^-?\d{16,1000}$/.test(context?.source ?? '')
        ? BigInt(context?.source ?? '')
        : part,
    ) as unknown;
  } catch {
    return value;
  }
}

const tooLong = `Only the first ${HEAD_BYTES.at(-1)} bytes are read: fewer rows than asked for are shown.`;
const unreadableStart = (head: Head): UnreadableTable =>
  head.isWhole
    ? new EmptyTable()
    : new UnreadableTable(`its first row is longer than ${HEAD_BYTES.at(-1)} bytes`);
