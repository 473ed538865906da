import { fieldError, unprocessable } from '../../../core/errors/app-error.js';
import { encodePlace, MAX_COUNTED, readCursor } from '../../../core/paging/capped-page.js';
import { parseInstant } from '../../../core/time/parse-instant.js';

export const DEFAULT_FEED_LIMIT = 100;

/** Where a feed stands: the time of receipt in microseconds since 1970 and the id of the last record that was read. */
export type FeedPlace = readonly [receivedAtUs: number, id: number];

const isPlace = (parts: unknown): parts is FeedPlace =>
  Array.isArray(parts) && parts.length === 2 && parts.every((part) => Number.isSafeInteger(part));

export interface FeedQuery {
  /** Null: at the newest. */
  readonly after: FeedPlace | null;
  readonly limit: number;
  /** The first time of receipt, inclusive; null: as long as records are kept. */
  readonly since: Date | null;
  /** The last time of receipt, inclusive; null: up to now. */
  readonly until: Date | null;
  /** Where there are more than `limit` records: the last of each of `limit` equal parts of that time, not the newest. The time is that of the measurement. */
  readonly isSpread: boolean;
}

interface FeedWords {
  readonly cursor?: string;
  readonly limit?: number;
  readonly since?: string;
  readonly until?: string;
  readonly spread?: boolean;
}

/** @throws AppError unprocessable_entity for a cursor of something else, for a bad moment, and for a spread over no time */
export function toFeedQuery({ cursor, limit, since, until, spread = false }: FeedWords): FeedQuery {
  const query = {
    after: readCursor(cursor, isPlace),
    limit: limit ?? DEFAULT_FEED_LIMIT,
    since: instant('since', since),
    until: instant('until', until),
    isSpread: spread,
  };
  if (spread && (query.since === null || query.after !== null))
    throw unprocessable([
      fieldError(['query', 'spread'], 'needs since, and goes with no cursor', 'value_error'),
    ]);
  return query;
}

function instant(name: string, given: string | undefined): Date | null {
  if (given === undefined || given === '') return null;
  const parsed = parseInstant(given);
  if (!parsed)
    throw unprocessable([fieldError(['query', name], 'must be an ISO 8601 date-time', 'datetime_parsing')]);
  return parsed;
}

/** A page of records, newest first. */
export interface Feed<T> {
  readonly items: readonly T[];
  /** Exact up to 10,000. */
  readonly total: number;
  readonly isCapped: boolean;
  /** Null: this is the last page. */
  readonly nextCursor: string | null;
}

/** @param rows one more than asked for where the feed goes on @param counted how many there are, counted up to one more than MAX_COUNTED */
export function toFeed<T extends { readonly receivedAtUs: number; readonly id: number }>(
  rows: readonly T[],
  counted: number,
  limit: number,
): Feed<T> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return {
    items,
    total: Math.min(counted, MAX_COUNTED),
    isCapped: counted > MAX_COUNTED,
    nextCursor: last === undefined ? null : encodePlace([last.receivedAtUs, last.id]),
  };
}
