/** One point of a curve. Null stands for a value that is no number. */
export interface Point {
  readonly x: number;
  readonly y: number | null;
}

/**
 * A moving average in which the weight of the past is `weight`. It is corrected at the begin, where there is no past yet, and
 * leaves out values that are no number.
 * @param weight from 0, which changes nothing, to less than 1
 */
export function smooth(points: readonly Point[], weight: number): Point[] {
  if (weight <= 0) return [...points];
  let last = 0;
  let seen = 0;
  return points.map(({ x, y }) => {
    if (y === null) return { x, y };
    last = last * weight + (1 - weight) * y;
    seen++;
    return { x, y: last / (1 - weight ** seen) };
  });
}

/** Columns for a chart: all places on the x axis, then the values of each curve; undefined where a curve has no point. */
export type Columns = [number[], ...Array<Array<number | null | undefined>>];

/** Puts curves on one x axis. The later of two points of a curve in the same place counts. */
export function align(curves: ReadonlyArray<readonly Point[]>): Columns {
  const first = curves[0];
  if (first && isRising(first) && curves.every((curve) => hasSamePlaces(first, curve)))
    return [first.map(({ x }) => x), ...curves.map((curve) => curve.map(({ y }) => y))];
  const places = [...new Set(curves.flatMap((curve) => curve.map(({ x }) => x)))].sort((a, b) => a - b);
  const at = new Map(places.map((x, index) => [x, index]));
  const columns = curves.map((curve) => {
    const column = new Array<number | null | undefined>(places.length).fill(undefined);
    for (const { x, y } of curve) column[at.get(x) ?? 0] = y;
    return column;
  });
  return [places, ...columns];
}

const isRising = (curve: readonly Point[]): boolean =>
  curve.every((point, index) => index === 0 || point.x > (curve[index - 1]?.x ?? 0));

const hasSamePlaces = (one: readonly Point[], other: readonly Point[]): boolean =>
  one.length === other.length && one.every((point, index) => point.x === other[index]?.x);

/** For a logarithmic axis: what has no logarithm is no point. */
export const positiveOnly = (points: readonly Point[]): Point[] =>
  points.map(({ x, y }) => ({ x, y: y !== null && y > 0 ? y : null }));

/** Rows of a CSV file, the names of the curves in its head. */
export function csvOf(xLabel: string, labels: readonly string[], columns: Columns): string {
  const [places, ...values] = columns;
  const rows = places.map((x, row) => [x, ...values.map((column) => column[row] ?? '')].join(','));
  return `${[[xLabel, ...labels].map(quoted).join(','), ...rows].join('\n')}\n`;
}

/** A text that begins like a formula gets an apostrophe: programs for tables would run it. */
const quoted = (text: string): string => {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** The least and the greatest of values; null where none of them is a number. */
export function rangeOf(values: ReadonlyArray<number | null>) {
  const { least, greatest } = summaryOf(values.map((y, x) => ({ x, y })));
  return { least, greatest };
}

/** What a curve comes to. */
export interface Summary {
  readonly last: number | null;
  readonly least: number | null;
  readonly greatest: number | null;
  readonly leastAt: number | null;
  readonly greatestAt: number | null;
}

export function summaryOf(points: readonly Point[]): Summary {
  let least: Point | null = null;
  let greatest: Point | null = null;
  for (const point of points) {
    if (point.y === null) continue;
    if (least === null || point.y < (least.y ?? 0)) least = point;
    if (greatest === null || point.y > (greatest.y ?? 0)) greatest = point;
  }
  return {
    last: points.at(-1)?.y ?? null,
    least: least?.y ?? null,
    greatest: greatest?.y ?? null,
    leastAt: least?.x ?? null,
    greatestAt: greatest?.x ?? null,
  };
}
