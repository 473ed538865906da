import { useState } from 'react';

interface Steady<T> {
  readonly rows: readonly T[];
  /** Rows that came since and wait. */
  readonly waiting: number;
  readonly show: () => void;
}

/**
 * Rows that are read again while somebody looks at them: each is renewed in its place, those that are gone go, and new ones
 * wait until they are asked for, so that nothing moves under the pointer.
 * @param view whatever makes it another list: page, sort, filters
 * @param isOfView false while the rows are still those of the view before
 */
export function useSteadyRows<T>(
  fresh: readonly T[],
  keyOf: (row: T) => string,
  view: string,
  isOfView: boolean,
): Steady<T> {
  const [shown, setShown] = useState({ view, keys: fresh.map(keyOf) });
  if (!isOfView) return { rows: fresh, waiting: 0, show: () => {} };
  const isSame = shown.view === view && shown.keys.length > 0;
  if (!isSame && fresh.length > 0 && (shown.view !== view || shown.keys.length === 0))
    setShown({ view, keys: fresh.map(keyOf) });
  if (!isSame) return { rows: fresh, waiting: 0, show: () => {} };
  const byKey = new Map(fresh.map((row) => [keyOf(row), row]));
  const known = new Set(shown.keys);
  return {
    rows: shown.keys.flatMap((key) => byKey.get(key) ?? []),
    waiting: fresh.filter((row) => !known.has(keyOf(row))).length,
    show: () => setShown({ view, keys: fresh.map(keyOf) }),
  };
}
