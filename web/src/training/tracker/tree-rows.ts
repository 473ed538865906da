import type { Tree } from './queries';

type TreeExperiment = Tree['items'][number]['experiments'][number];
export type TreeRun = TreeExperiment['runs'][number];

/** An experiment, or a run in it: what stands in one line of the tree. */
export interface TreeRow {
  readonly key: string;
  readonly project: string;
  readonly experiment: Pick<TreeExperiment, 'id' | 'name' | 'run_count'>;
  /** Null: the line of the experiment itself. */
  readonly run: TreeRun | null;
}

export interface ExperimentPart {
  readonly id: string;
  readonly name: string;
  readonly run_count: number;
  readonly runs: readonly TreeRun[];
}

export interface ProjectPart {
  readonly name: string;
  readonly experiments: readonly ExperimentPart[];
}

export const treeRows = (tree: Tree): readonly TreeRow[] =>
  tree.items.flatMap(({ name: project, experiments }) =>
    experiments.flatMap(({ runs, ...experiment }) => {
      const row = { project, experiment };
      return [
        { ...row, key: `experiment ${experiment.id}`, run: null },
        ...runs.map((run) => ({ ...row, key: run.run_id, run })),
      ];
    }),
  );

/**
 * The rows as a tree again, with those that have the words: an experiment that has them comes with all of its runs.
 * @param status state of the runs that are left; '': whatever they are in
 */
export function foundTree(rows: readonly TreeRow[], words: string, status = ''): readonly ProjectPart[] {
  const wanted = words.trim().toLowerCase();
  const projects = new Map<string, Map<string, TreeRow['experiment'] & { runs: TreeRun[] }>>();
  for (const { project, experiment, run } of rows) {
    if (status !== '' && run?.status !== status) continue;
    const isNamed = has(`${project}/${experiment.name}`, wanted);
    if (!isNamed && (run === null || !has(`${run.name} ${run.run_id}`, wanted))) continue;
    const experiments = projects.get(project) ?? new Map();
    const part = experiments.get(experiment.id) ?? { ...experiment, runs: [] };
    if (run !== null) part.runs.push(run);
    projects.set(project, experiments.set(experiment.id, part));
  }
  return [...projects].map(([name, experiments]) => ({ name, experiments: [...experiments.values()] }));
}

/** The runs that such a tree shows. */
export const shownRuns = (...tree: Parameters<typeof foundTree>): readonly TreeRun[] =>
  foundTree(...tree).flatMap(({ experiments }) => experiments.flatMap(({ runs }) => runs));

const has = (name: string, wanted: string): boolean => name.toLowerCase().includes(wanted);
