interface Wall {
  readonly count: number;
  readonly columns: number;
  /** Rows that the window shows. */
  readonly rows: number;
}

/** Where a key leads from a picture of the wall; null: it leads nowhere. */
export function placeAfter(key: string, at: number, { count, columns, rows }: Wall): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -columns * rows,
    PageDown: columns * rows,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  if (step === undefined || count === 0) return null;
  const wanted = at + step;
  // A step up or down stays in its column, and on the wall.
  if (Math.abs(step) === columns && (wanted < 0 || wanted >= count)) return at;
  return Math.min(Math.max(0, wanted), count - 1);
}
