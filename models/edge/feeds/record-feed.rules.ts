import { encodePlace, MAX_COUNTED, readCursor } from '../../../core/paging/capped-page.js';

export const DEFAULT_FEED_LIMIT = 100;

/** Where a feed stands: the time of receipt in microseconds since 1970 and the id of the last record that was read. */
export type FeedPlace = readonly [receivedAtUs: number, id: number];

const isPlace = (parts: unknown): parts is FeedPlace =>
  Array.isArray(parts) && parts.length === 2 && parts.every((part) => Number.isSafeInteger(part));

export interface FeedQuery {
  /** Null: at the newest. */
  readonly after: FeedPlace | null;
  readonly limit: number;
}

/** @throws AppError unprocessable_entity for a cursor of something else */
export const toFeedQuery = ({ cursor, limit }: { cursor?: string; limit?: number }): FeedQuery => ({
  after: readCursor(cursor, isPlace),
  limit: limit ?? DEFAULT_FEED_LIMIT,
});

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
