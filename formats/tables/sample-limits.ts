import { type CellCounter, MAX_CELL_TEXT } from './cell.js';

/** Columns of one sample; a wider table shows its first ones. */
export const MAX_COLUMNS = 500;
/** Characters of JSON in all rows of one sample together. */
const MAX_ROWS_CHARS = 2 * 1024 * 1024;

export const cellNotes = (counter: CellCounter): string[] =>
  counter.cut === 0
    ? []
    : [
        `${counter.cut} cells are shown in part: texts end after ${MAX_CELL_TEXT} characters, nested values after 50 items.`,
      ];

/** As many of the rows as an answer may hold. */
export function withinBudget(
  rows: ReadonlyArray<readonly unknown[]>,
  notes: readonly string[],
): { rows: ReadonlyArray<readonly unknown[]>; notes: readonly string[] } {
  let used = 0;
  const end = rows.findIndex((row) => {
    used += JSON.stringify(row).length;
    return used > MAX_ROWS_CHARS;
  });
  if (end < 0) return { rows, notes };
  return {
    rows: rows.slice(0, Math.max(1, end)),
    notes: [...notes, 'The rows are long: fewer than asked for are shown.'],
  };
}
