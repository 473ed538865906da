import type { RunDetail } from './run.types.js';

/** One name with the value of each run, in the order of the runs; null where a run has none. */
export interface ComparedRow<T> {
  readonly name: string;
  readonly values: ReadonlyArray<T | null>;
  readonly differs: boolean;
}

function rowsOf<T>(maps: ReadonlyArray<Readonly<Record<string, T>>>): Array<ComparedRow<T>> {
  const names = [...new Set(maps.flatMap((map) => Object.keys(map)))].sort();
  return names.map((name) => {
    const values = maps.map((map) => (Object.hasOwn(map, name) ? (map[name] as T) : null));
    return { name, values, differs: values.some((value) => !Object.is(value, values[0])) };
  });
}

export interface RunComparison {
  readonly runs: readonly RunDetail[];
  readonly params: ReadonlyArray<ComparedRow<string>>;
  readonly metrics: ReadonlyArray<ComparedRow<number>>;
  readonly tags: ReadonlyArray<ComparedRow<string>>;
}

export const compareRuns = (runs: readonly RunDetail[]): RunComparison => ({
  runs,
  params: rowsOf(runs.map((run) => run.params)),
  metrics: rowsOf(runs.map((run) => run.metrics)),
  tags: rowsOf(runs.map((run) => run.tags)),
});
