const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long each range that is offered is, in milliseconds; it ends now. */
export const SPANS = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
} as const;

export type Span = keyof typeof SPANS;

export const DEFAULT_SPAN: Span = '24h';

/** A part of the time: either the last hours, or between two moments (in milliseconds since 1970). */
export type TimeRange =
  | { readonly span: Span }
  | { readonly span: null; readonly from: number; readonly to: number | null };

export interface RangeWords {
  readonly range?: string | number;
  readonly from?: string | number;
  readonly to?: string | number;
}

/**
 * What the address says. Two moments count before a span, so that a zoom can be taken back to the span. An end that is not after
 * the begin is none.
 */
export function rangeOf({ range, from, to }: RangeWords): TimeRange {
  const [first, last] = [momentOf(from), momentOf(to)];
  if (first !== null) return { span: null, from: first, to: last !== null && last > first ? last : null };
  return { span: range !== undefined && Object.hasOwn(SPANS, range) ? (range as Span) : DEFAULT_SPAN };
}

function momentOf(word: string | number | undefined): number | null {
  const at = word === undefined || word === '' ? Number.NaN : Date.parse(String(word));
  return Number.isNaN(at) ? null : at;
}

/** Whether two moments make a range: it has a begin, and an end after it or none. */
export function isRange({ from, to }: Pick<RangeWords, 'from' | 'to'>): boolean {
  const [first, last] = [momentOf(from), momentOf(to)];
  return first !== null && (last === null || last > first);
}

/** A name of the range; another one where other records are asked for. */
export const keyOf = (range: TimeRange): string => range.span ?? `${range.from} ${range.to ?? ''}`;

/** What the platform is asked for. @param now milliseconds since 1970 */
export const boundsOf = (
  range: TimeRange,
  now: number,
): { readonly since: string; readonly until?: string } => {
  if (range.span !== null) return { since: iso(now - SPANS[range.span]) };
  return { since: iso(range.from), ...(range.to === null ? {} : { until: iso(range.to) }) };
};

/** Both ends of the axis, in seconds since 1970. */
export type Domain = readonly [from: number, to: number];

/**
 * The part of the axis that is shown. The last hours begin with their first point, so that what came lately fills the chart, and
 * end now, so that it is seen how old the last point is. What somebody zoomed to stays as it was chosen.
 * @param now milliseconds since 1970 @param places of the points, in seconds
 */
export function domainOf(range: TimeRange, now: number, places: readonly number[]): Domain {
  if (range.span === null)
    return [range.from / 1000, (range.to ?? Math.max(now, range.from + MINUTE_MS)) / 1000];
  let [first, last] = [places[0] ?? (now - SPANS[range.span]) / 1000, now / 1000];
  for (const place of places) {
    first = Math.min(first, place);
    last = Math.max(last, place);
  }
  return [first, last];
}

/** Words of the address for a part of the axis. */
export const zoomed = ([from, to]: Domain): { readonly from: string; readonly to: string } => {
  const first = Math.floor(from * 1000);
  // Shorter than this nothing is measured.
  return { from: iso(first), to: iso(Math.max(Math.ceil(to * 1000), first + 1000)) };
};

const iso = (at: number): string => new Date(at).toISOString();
