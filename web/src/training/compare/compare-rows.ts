export type RowKind = 'params' | 'metrics' | 'tags';

/** One param, metric or tag, with its value in each run. */
export interface CompareRow {
  readonly kind: RowKind;
  readonly name: string;
  readonly values: ReadonlyArray<string | number | null>;
  readonly differs: boolean;
}

interface Compared {
  readonly name: string;
  readonly values: ReadonlyArray<string | number | null>;
  readonly differs: boolean;
}

export interface ComparedRuns {
  readonly params: readonly Compared[];
  readonly metrics: readonly Compared[];
  readonly tags: readonly Compared[];
}

export const KINDS: readonly RowKind[] = ['params', 'metrics', 'tags'];

/** What is compared: of each kind first what differs, then what is the same. */
export const compareRows = (compared: ComparedRuns, onlyDifferences: boolean): CompareRow[] =>
  KINDS.flatMap((kind) =>
    compared[kind]
      .filter(({ differs }) => differs || !onlyDifferences)
      .map((row) => ({ ...row, kind }))
      .sort(
        (one, other) => Number(other.differs) - Number(one.differs) || one.name.localeCompare(other.name),
      ),
  );

/** One axis of parallel coordinates. */
export interface Axis {
  readonly id: string;
  readonly name: string;
  readonly kind: RowKind;
  /** Where each run crosses it, from 0 below to 1 above; null where it has no value. */
  readonly places: ReadonlyArray<number | null>;
  readonly ticks: ReadonlyArray<{ readonly place: number; readonly label: string }>;
}

/** Values that are all numbers make a scale; others stand in their order, at equal distances. */
export function axisOf({ kind, name, values }: CompareRow, format: (value: number) => string): Axis {
  const id = `${kind}:${name}`;
  const numbers = values.map(numberOf);
  const isScale = values.every((value, at) => value === null || numbers[at] !== null);
  if (!isScale) {
    const texts = [...new Set(values.flatMap((value) => (value === null ? [] : [String(value)])))].sort();
    const placeOf = (text: string) => spread(texts.indexOf(text), texts.length);
    return {
      id,
      name,
      kind,
      places: values.map((value) => (value === null ? null : placeOf(String(value)))),
      ticks: texts.map((label) => ({ place: placeOf(label), label })),
    };
  }
  const known = numbers.flatMap((value) => value ?? []);
  const [least, greatest] = [Math.min(...known), Math.max(...known)];
  const placeOf = (value: number) => (greatest === least ? 0.5 : (value - least) / (greatest - least));
  const marks =
    greatest === least ? [least] : [0, 0.25, 0.5, 0.75, 1].map((at) => least + at * (greatest - least));
  return {
    id,
    name,
    kind,
    places: numbers.map((value) => (value === null ? null : placeOf(value))),
    ticks: known.length === 0 ? [] : marks.map((value) => ({ place: placeOf(value), label: format(value) })),
  };
}

function numberOf(value: string | number | null): number | null {
  if (value === null || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

const spread = (at: number, all: number): number => (all === 1 ? 0.5 : at / (all - 1));

/** Beside the outer axes, for their words. */
const SIDE = 70;
/** Least distance of two axes: their names and values need it. */
const DISTANCE = 130;

/** Where the axes stand, and how wide the drawing is: wider than its box where they would come too close. */
export function placesOfAxes(axes: number, box: number) {
  const steps = Math.max(1, axes - 1);
  const width = Math.max(box, 2 * SIDE + steps * DISTANCE);
  return { width, xOf: (at: number) => SIDE + (at * (width - 2 * SIDE)) / steps };
}

/** Axes that are shown first: params that differ, then figures of the model that differ. */
export function firstAxes(rows: readonly CompareRow[]): string[] {
  const params = rows.filter(({ kind, differs }) => kind === 'params' && differs).slice(0, 6);
  const metrics = rows.filter(
    ({ kind, differs, name }) => kind === 'metrics' && differs && !name.startsWith('system/'),
  );
  const best = [...metrics].sort((one, other) => weight(one.name) - weight(other.name)).slice(0, 3);
  return [...params, ...best.reverse()].map(({ kind, name }) => `${kind}:${name}`);
}

/** What people look at first: how good it is on data it has not seen. */
const weight = (name: string): number =>
  (/^(test|val|eval)/.test(name) ? 0 : 2) + (/accuracy|map|iou|f1/i.test(name) ? 0 : 1);
