/** Figures of one column over some rows. */
export interface ColumnStats {
  readonly name: string;
  readonly empty: number;
  readonly distinct: number;
  /** Only for numbers. */
  readonly numbers: { readonly min: number; readonly max: number; readonly mean: number } | null;
  /** The most frequent values, when a value occurs more than once. */
  readonly frequent: ReadonlyArray<{ readonly value: string; readonly count: number }>;
}

const FREQUENT = 3;

export const statsOf = (
  columns: readonly string[],
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
): ColumnStats[] =>
  columns.map((name) =>
    statsOfColumn(
      name,
      rows.map((row) => row[name]),
    ),
  );

function statsOfColumn(name: string, values: readonly unknown[]): ColumnStats {
  const there = values.filter((value) => value !== null && value !== undefined && value !== '');
  const counts = new Map<string, number>();
  for (const value of there) counts.set(shownValue(value), (counts.get(shownValue(value)) ?? 0) + 1);
  const numbers = there.filter((value): value is number => typeof value === 'number');
  return {
    name,
    empty: values.length - there.length,
    distinct: counts.size,
    numbers:
      numbers.length > 0 && numbers.length === there.length
        ? {
            min: numbers.reduce((a, b) => Math.min(a, b)),
            max: numbers.reduce((a, b) => Math.max(a, b)),
            mean: numbers.reduce((sum, value) => sum + value, 0) / numbers.length,
          }
        : null,
    frequent: [...counts]
      .filter(([, count]) => count > 1)
      .sort((a, b) => b[1] - a[1])
      .slice(0, FREQUENT)
      .map(([value, count]) => ({ value, count })),
  };
}

/** A cell as text. */
export const shownValue = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
