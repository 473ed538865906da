import { useState } from 'react';

export interface FeedPage<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly total_capped: boolean;
  readonly next_cursor: string | null;
}

interface Held<T> {
  readonly page: FeedPage<T> | undefined;
  /** Records that came since and wait. */
  readonly waiting: number;
  readonly show: () => void;
}

/**
 * Records never change and push each other down: the page that somebody reads stays as it is until new ones are asked for.
 * @param view whatever makes it another page
 * @param isOfView false while the records are still those of the view before
 */
export function useHeldPage<T>(
  fresh: FeedPage<T> | undefined,
  keyOf: (row: T) => string,
  view: string,
  isOfView: boolean,
): Held<T> {
  const [held, setHeld] = useState<{ view: string; page: FeedPage<T> } | null>(null);
  if (fresh === undefined || !isOfView) return { page: fresh, waiting: 0, show: () => {} };
  const isHeld = held !== null && held.view === view && held.page.items.length > 0;
  if (!isHeld && held?.page !== fresh) setHeld({ view, page: fresh });
  if (!isHeld) return { page: fresh, waiting: 0, show: () => {} };
  return {
    page: held.page,
    waiting: newIn(fresh.items, held.page.items, keyOf),
    show: () => setHeld({ view, page: fresh }),
  };
}

/** How many rows of the one are not among the other. */
export function newIn<T>(fresh: readonly T[], known: readonly T[], keyOf: (row: T) => string): number {
  const keys = new Set(known.map(keyOf));
  return fresh.filter((row) => !keys.has(keyOf(row))).length;
}
