import { type TableSample, UnreadableTable } from '../../core/ports/table-reader.js';
import { boundedCell, type CellCounter } from './cell.js';
import { typeOfValues, uniqueNames } from './column-types.js';
import { cellNotes, MAX_COLUMNS, withinBudget } from './sample-limits.js';
import { isCounted, mostRows, type TextHead, type TextTable, tooLong, unreadableStart } from './text-head.js';

/** Lines with large integers of which these are kept exactly: parsing them so takes thirty times as long. */
const EXACT_CHARS = 256 * 1024;
/** May be an integer that a double does not hold; the digits of a fraction are none. */
const LARGE_INTEGER = /(?<![\d.])[1-9]\d{15}/;

interface Line {
  readonly text: string;
  /** From 1, blank ones counted. */
  readonly number: number;
}

/**
 * One JSON value a line; objects become columns, other values stand in one named `value`.
 * @param limit rows of the sample
 */
export const jsonLinesTable = (limit: number): TextTable<Line[]> => ({
  parse: (head) => wholeLines(head, mostRows(head, limit + 1)),
  isEnough: (lines) => lines.length > limit,
  sample: (lines, head) => sampleOf(lines, head, limit),
});

function sampleOf(found: readonly Line[], head: TextHead, limit: number): TableSample {
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

function wholeLines({ text, isWhole }: TextHead, most: number): Line[] {
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
