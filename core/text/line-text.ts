import { fieldError, unprocessable } from '../errors/app-error.js';

/**
 * The one rule for names, titles and other texts of one line that people give: something to be seen, and nothing that
 * breaks the line or turns its direction (control characters, line separators, bidirectional controls, halves of
 * surrogate pairs). Written without the flag `u`, so that the same text can stand in the API description; a test
 * compares the two.
 */
const BLANK = String.raw`\s\u200b-\u200d\u2060\u2800\u3164`;
const REFUSED = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;
const CHARACTER = String.raw`(?:[^${REFUSED}\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])`;

export const LINE_PATTERN = `^(?![${BLANK}]*$)${CHARACTER}+$`;

const LINE = new RegExp(LINE_PATTERN);

/** @returns what is wrong with a text of one line, or null */
export const lineProblem = (text: string): string | null =>
  LINE.test(text)
    ? null
    : 'must be one line of visible text, without control characters and characters that turn the direction of writing';

/** For commands: whoever calls them, no other name is stored. Null and undefined ask for nothing. @throws AppError unprocessable_entity */
export function requireLine(text: string | null | undefined, field: string): void {
  const problem = text === null || text === undefined || text === '' ? null : lineProblem(text);
  if (problem !== null) throw unprocessable([fieldError(['body', field], problem)]);
}

/** The first characters of a text; none is cut in two. */
export const firstCharacters = (text: string, count: number): string =>
  [...text.slice(0, 2 * count)].slice(0, count).join('');

/** Whether every surrogate has its other half; a text that is not cannot be written as UTF-8. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);
