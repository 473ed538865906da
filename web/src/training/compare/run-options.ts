import type { Tree } from '../tracker/queries';

/** Runs that can be added to a comparison, by experiment. @param ids those that are compared already */
export const runOptions = ({ items }: Pick<Tree, 'items'>, ids: readonly string[]) =>
  items
    .flatMap(({ name: project, experiments }) =>
      experiments.map((experiment) => ({
        group: project === 'default' ? experiment.name : `${project}/${experiment.name}`,
        items: experiment.runs
          .filter(({ run_id }) => !ids.includes(run_id))
          .map(({ run_id, name }) => ({ value: run_id, label: `${experiment.name} · ${name}` })),
      })),
    )
    .filter((group) => group.items.length > 0);
