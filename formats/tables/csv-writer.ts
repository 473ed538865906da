/** What a spreadsheet would run as a formula (CWE-1236). */
const FORMULA = /^[=+\-@\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** One cell: formula starts are defused by an apostrophe, quotes as RFC 4180 has them; null is empty. */
export function csvCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One record with the line end that RFC 4180 asks for. */
export const csvRecord = (cells: ReadonlyArray<string | number | boolean | null>): string =>
  `${cells.map(csvCell).join(',')}\r\n`;
