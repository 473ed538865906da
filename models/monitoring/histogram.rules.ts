export interface Bin {
  /** A label, or the lower edge of a range. */
  readonly from: string | number;
  /** The upper edge of a range; null for a label. */
  readonly to: number | null;
  readonly reference: number;
  readonly current: number;
}

const BINS = 10;
/** Labels beyond this, by their count, are shown together. */
const MAX_LABELS = 100;
const OTHER = '(other)';

/** Two counts by label, side by side, the most frequent first. */
export function labelBins(
  reference: ReadonlyMap<string, number>,
  current: ReadonlyMap<string, number>,
): Bin[] {
  const all = [...new Set([...reference.keys(), ...current.keys()])].map((label) => ({
    from: label,
    to: null,
    reference: reference.get(label) ?? 0,
    current: current.get(label) ?? 0,
  }));
  all.sort((a, b) => b.reference + b.current - a.reference - a.current || (a.from < b.from ? -1 : 1));
  const rest = all.slice(MAX_LABELS);
  if (rest.length === 0) return all;
  const sum = (part: 'reference' | 'current') => rest.reduce((total, bin) => total + bin[part], 0);
  return [
    ...all.slice(0, MAX_LABELS),
    { from: OTHER, to: null, reference: sum('reference'), current: sum('current') },
  ];
}

/**
 * Two samples in the same ranges, whose edges are the deciles of the reference (of the current one without a reference).
 * A value that is more than one decile has a bin of its own: in a range it would hide how the values beside it move.
 */
export function rangeBins(reference: readonly number[], current: readonly number[]): Bin[] {
  const values = [...(reference.length > 0 ? reference : current)].sort((a, b) => a - b);
  if (values.length === 0) return [];
  const [all, last] = [[...reference, ...current], values.length - 1];
  const inner = Array.from(
    { length: BINS - 1 },
    (_, cut) => values[Math.round(((cut + 1) * last) / BINS)] as number,
  );
  const frequent = new Set(inner.filter((value, cut) => inner.indexOf(value) !== cut));
  const least = all.reduce((a, b) => Math.min(a, b));
  const most = all.reduce((a, b) => Math.max(a, b));
  const edges = [...new Set([least, ...inner, most])].sort((a, b) => a - b);
  const bin = (from: number, to: number, isInside: (value: number) => boolean): Bin => ({
    ...{ from, to },
    ...{ reference: reference.filter(isInside).length, current: current.filter(isInside).length },
  });
  const bins = edges.flatMap((from, at) => {
    const to = edges[at + 1];
    const own = frequent.has(from) ? [bin(from, from, (value) => value === from)] : [];
    if (to === undefined) return own;
    const hasEnd = to === most;
    const isInside = (value: number) =>
      !frequent.has(value) && value >= from && (hasEnd ? value <= to : value < to);
    return [...own, bin(from, to, isInside)];
  });
  return bins.filter((each) => each.reference + each.current > 0);
}
