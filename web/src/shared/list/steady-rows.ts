import { useState } from 'react';

/** Rows as somebody looks at them. */
export interface Steady<T> {
  readonly view: string;
  /** What was read last, which may be other rows. */
  readonly fresh: readonly T[];
  readonly rows: readonly T[];
  /** Keys of the rows that are there no more. */
  readonly gone: ReadonlySet<string>;
  /** Rows that came since and wait. */
  readonly waiting: number;
}

type KeyOf<T> = (row: T) => string;

const NONE: ReadonlySet<string> = new Set();

export const asRead = <T>(view: string, fresh: readonly T[]): Steady<T> => ({
  view,
  fresh,
  rows: fresh,
  gone: NONE,
  waiting: 0,
});

/** Rows that were read again: each is renewed in its place, those that are gone stay in theirs, and new ones wait. */
export function renewed<T>(before: Steady<T>, fresh: readonly T[], keyOf: KeyOf<T>): Steady<T> {
  if (before.rows.length === 0) return asRead(before.view, fresh);
  const byKey = new Map(fresh.map((row) => [keyOf(row), row]));
  const keys = before.rows.map(keyOf);
  const known = new Set(keys);
  return {
    view: before.view,
    fresh,
    rows: before.rows.map((row) => byKey.get(keyOf(row)) ?? row),
    gone: new Set(keys.filter((key) => !byKey.has(key))),
    waiting: fresh.filter((row) => !known.has(keyOf(row))).length,
  };
}

/** Without rows that the reader took away: whoever does so expects them to go. */
export function without<T>(steady: Steady<T>, taken: ReadonlySet<string>, keyOf: KeyOf<T>): Steady<T> {
  const isTaken = (key: string) => taken.has(key) && steady.gone.has(key);
  if (![...taken].some(isTaken)) return steady;
  return {
    ...steady,
    rows: steady.rows.filter((row) => !isTaken(keyOf(row))),
    gone: new Set([...steady.gone].filter((key) => !isTaken(key))),
  };
}

interface RowsOfView<T> {
  readonly fresh: readonly T[];
  readonly keyOf: KeyOf<T>;
  /** Whatever makes it another list: page, sort, filters. */
  readonly view: string;
  /** False while the list opens and the rows are still those of a time or a view before. */
  readonly isOfView: boolean;
  /** Keys of the rows that the reader has changed. */
  readonly own: ReadonlySet<string>;
}

/** How a query stands. */
export interface Seen {
  readonly data: unknown;
  readonly isPlaceholderData: boolean;
  readonly isFetchedAfterMount: boolean;
  readonly isFetching: boolean;
}

/** How a query stands, and when it was read last. */
export interface SeenAt extends Seen {
  /** Milliseconds since 1970. */
  readonly dataUpdatedAt: number;
}

/** Whether a query has what is there now, rather than what was read for another view or at an earlier visit. */
export const isCurrent = ({ data, isPlaceholderData, isFetchedAfterMount, isFetching }: Seen): boolean =>
  data !== undefined && !isPlaceholderData && (isFetchedAfterMount || !isFetching);

/** Rows that are read again while somebody looks at them, so that nothing moves under the pointer until `show` is called. */
export function useSteadyRows<T>({ fresh, keyOf, view, isOfView, own }: RowsOfView<T>) {
  const [held, setHeld] = useState<Steady<T> | null>(null);
  const show = () => setHeld(asRead(view, fresh));
  if (!isOfView) return { ...asRead(view, fresh), show };
  if (held?.view === view && held.fresh === fresh) return { ...without(held, own, keyOf), show };
  const next = held?.view === view ? renewed(held, fresh, keyOf) : asRead(view, fresh);
  setHeld(next);
  return { ...without(next, own, keyOf), show };
}
