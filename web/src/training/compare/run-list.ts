/** Runs that are compared at a time. */
export const MOST_RUNS = 20;

/** Ids in the address of the page, each once. */
export const runsOf = (given: string | undefined): string[] =>
  [...new Set((given ?? '').split(',').map((id) => id.trim()))].filter((id) => id !== '').slice(0, MOST_RUNS);

export interface CompareSearch {
  readonly runs?: string;
  readonly view?: string;
  /** Chosen axes of the parallel coordinates: their names may have any character. */
  readonly axes?: readonly string[];
  /** Names that are looked for. */
  readonly q?: string;
  /** Lines in which the runs are the same are shown too. */
  readonly same?: 'shown';
  /** What stands in the rows, where it is not what is compared. */
  readonly rows?: 'runs';
}

/** Reads what the page compares out of its address. */
export const compareSearch = ({
  runs,
  view,
  axes,
  q,
  same,
  rows,
}: Record<string, unknown>): CompareSearch => ({
  // The router reads a word of digits as a number.
  ...(runs === undefined ? {} : { runs: String(runs) }),
  ...(view === undefined ? {} : { view: String(view) }),
  ...(Array.isArray(axes) ? { axes: axes.map(String) } : {}),
  ...(q === undefined ? {} : { q: String(q) }),
  ...(same === 'shown' ? { same } : {}),
  ...(rows === 'runs' ? { rows } : {}),
});

interface Named {
  readonly run_id: string;
  readonly name: string;
  readonly experiment_name: string;
}

/** What runs are called: by their names where these differ, else with their experiments, else with their ids. */
export function labelsOf(runs: readonly Named[]): ReadonlyMap<string, string> {
  const forms: ReadonlyArray<(run: Named) => string> = [
    ({ name }) => name,
    ({ name, experiment_name: experiment }) => `${experiment} · ${name}`,
    ({ name, run_id: id }) => `${name} · ${id.slice(0, 6)}`,
  ];
  const form = forms.find((of) => new Set(runs.map(of)).size === runs.length) ?? forms[2];
  return new Map(runs.map((run) => [run.run_id, form?.(run) ?? run.name]));
}
