import { fieldError, unprocessable } from '../errors/app-error.js';
import { type Page, toPage } from './page.js';

/** Maximum matches that a list counts and serves as numbered pages; beyond them it goes on with `after`. */
export const MAX_COUNTED = 10_000;

/** A page of a list that may hold more matches than anybody counts. */
export interface CappedPage<T> extends Page<T> {
  /** True: there are more than `total` matches. */
  readonly total_capped: boolean;
  /** `after` of the next page; null: this is the last. */
  readonly next: string | null;
}

/** What of a list is read. */
export interface CappedWindow {
  readonly offset: number;
  /** Number of rows shown. */
  readonly shown: number;
  /** One more, which shows whether the list goes on. */
  readonly limit: number;
  /** The total is known beyond MAX_COUNTED, and numbered pages reach all of it. */
  readonly isCounted: boolean;
}

/**
 * @param goesOn the list goes on behind a place; otherwise the page is numbered
 */
export function cappedWindow(
  { offset, pageSize }: { readonly offset: number; readonly pageSize: number },
  goesOn: boolean,
  isCounted = false,
): CappedWindow {
  if (goesOn || isCounted)
    return { offset: goesOn ? 0 : offset, shown: pageSize, limit: pageSize + 1, isCounted };
  // Numbered pages end with the last match that is counted; the page itself may be cut short by that.
  const from = Math.min(offset, MAX_COUNTED);
  const shown = Math.min(pageSize, MAX_COUNTED - from);
  return { offset: from, shown, limit: shown + 1, isCounted };
}

/**
 * @param found the rows of the window, and how many there are: beyond MAX_COUNTED any number, unless they are counted
 * @param placeOf where the list stands behind a row
 * @throws AppError unprocessable_entity for a numbered page beyond the matches that are counted
 */
export function toCappedPage<T>(
  query: { readonly page: number; readonly pageSize: number },
  { shown, isCounted }: CappedWindow,
  { rows, counted }: { readonly rows: readonly T[]; readonly counted: number },
  placeOf: (row: T) => readonly (string | number)[],
): CappedPage<T> {
  const isCapped = counted > MAX_COUNTED && !isCounted;
  if (shown === 0 && isCapped)
    throw unprocessable([
      fieldError(
        ['query', 'page'],
        `reaches the first ${MAX_COUNTED} matches; go on from there with after, which is next of the page before`,
      ),
    ]);
  const items = rows.slice(0, shown);
  const last = rows.length > shown ? items.at(-1) : undefined;
  return {
    ...toPage(query, items, isCapped ? MAX_COUNTED : counted),
    total_capped: isCapped,
    next: last === undefined ? null : encodePlace(placeOf(last)),
  };
}

/** Where a list stands, as text for `after`. Its parts say after which row it goes on. */
export const encodePlace = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** Where a list goes on, as it arrives. */
export interface PlaceParams {
  readonly page?: number;
  readonly after?: string;
}

/**
 * @param isPlace true for what this list's `encodePlace` wrote, false for anything else
 * @returns null without `after`
 * @throws AppError unprocessable_entity for an `after` of another list, or beside `page`
 */
export function readPlace<T>(
  { page, after }: PlaceParams,
  isPlace: (parts: unknown) => parts is T,
): T | null {
  if (after === undefined || after === '') return null;
  const refused = (text: string) => unprocessable([fieldError(['query', 'after'], text)]);
  if (page !== undefined) throw refused('goes on by itself; leave page out');
  const parts = parsed(Buffer.from(after, 'base64url').toString());
  if (!isPlace(parts)) throw refused('must be next of the page before');
  return parts;
}

/**
 * Where a feed goes on, whose pages have no numbers.
 * @returns null without a cursor
 * @throws AppError unprocessable_entity for a cursor of something else
 */
export function readCursor<T>(cursor: string | undefined, isPlace: (parts: unknown) => parts is T): T | null {
  if (cursor === undefined || cursor === '') return null;
  const parts = parsed(Buffer.from(cursor, 'base64url').toString());
  if (!isPlace(parts))
    throw unprocessable([fieldError(['query', 'cursor'], 'must be next_cursor of the page before')]);
  return parts;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
