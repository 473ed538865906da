import type { Point } from '../../shared/charts/series';

interface Measured {
  readonly kind: string;
  readonly ts: string;
  readonly received_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One number that records of one kind carry. */
export interface NumberCurve {
  /** `temperature · celsius`. */
  readonly title: string;
  readonly points: readonly Point[];
}

/** Deeper numbers are rarely measurements. */
const DEPTH = 2;

/** A clock that is further behind the receipt is wrong, as it is where it is ahead: the platform takes records by the same rule. */
const LATE_MS = 30 * 24 * 3_600_000;

/** When a record counts as measured, in seconds since 1970: by the device's clock where that can be right. */
function measuredAt({ ts, received_at: received }: Pick<Measured, 'ts' | 'received_at'>): number {
  const [said, at] = [Date.parse(ts), Date.parse(received)];
  return (said <= at && said >= at - LATE_MS ? said : at) / 1000;
}

/** The numbers of records over the time of their measurement, those with the most points first. */
export function telemetryCurves(records: readonly Measured[]): NumberCurve[] {
  const curves = new Map<string, Point[]>();
  for (const record of records) {
    const x = measuredAt(record);
    for (const [path, y] of numbersOf(record.data, DEPTH)) {
      const title = `${record.kind} · ${path}`;
      const points = curves.get(title);
      if (points) points.push({ x, y });
      else curves.set(title, [{ x, y }]);
    }
  }
  return [...curves]
    .map(([title, points]) => ({ title, points: points.sort((a, b) => a.x - b.x) }))
    .sort((a, b) => b.points.length - a.points.length || (a.title < b.title ? -1 : 1));
}

function numbersOf(data: Readonly<Record<string, unknown>>, depth: number): Array<[string, number]> {
  return Object.entries(data).flatMap(([name, value]): Array<[string, number]> => {
    if (typeof value === 'number' && Number.isFinite(value)) return [[name, value]];
    if (depth <= 1 || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return numbersOf(value as Record<string, unknown>, depth - 1).map(([rest, number]) => [
      `${name}.${rest}`,
      number,
    ]);
  });
}

/** Kinds of records, each once, in the order of the alphabet. */
export const kindsOf = (records: ReadonlyArray<Pick<Measured, 'kind'>>): string[] =>
  [...new Set(records.map(({ kind }) => kind))].sort();
