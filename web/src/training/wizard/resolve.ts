interface Choice {
  readonly name: string;
  readonly available: boolean;
}

interface ModelChoice extends Choice {
  readonly framework: string;
  readonly default: boolean;
}

/** What a training cannot do without. */
interface Chosen {
  readonly task: string | null;
  readonly framework: string | null;
  readonly model: string | null;
  readonly dataset_id: string | null;
}

/** The dataset that is meant as long as nobody chose one: the first, which was frozen last. */
export const datasetFor = (chosen: Chosen, datasets: ReadonlyArray<{ readonly id: string }>): string | null =>
  chosen.dataset_id ?? datasets[0]?.id ?? null;

/** Holds on to the dataset that was shown, whatever is frozen after it. */
export const holding = <C extends Chosen>(chosen: C, shown: string | null): C =>
  chosen.dataset_id === null && shown !== null ? { ...chosen, dataset_id: shown } : chosen;

/** Data of the id as they are now; null: not read yet. One that is not on the list is asked for by its id alone. */
export const frozenData = <D extends { readonly id: string; readonly digest: string }>(
  id: string | null,
  datasets: readonly D[] | undefined,
): Pick<D, 'id' | 'digest'> | null => {
  if (id === null || datasets === undefined) return null;
  return datasets.find((dataset) => dataset.id === id) ?? { id, digest: '' };
};

/**
 * The task as long as nobody chose one: the first that the installation trains and the dataset serves.
 * @param usable lacks what is still to be found out: none is taken before those that come first are known
 */
export const taskFor = (
  chosen: Chosen,
  tasks: readonly Choice[],
  usable: ReadonlyMap<string, boolean>,
): string | null => {
  if (chosen.task !== null) return chosen.task;
  const first = tasks.find(({ name, available }) => available && usable.get(name) !== false)?.name ?? null;
  return first !== null && usable.get(first) === true ? first : null;
};

/** The model as long as nobody chose one: the default of the first framework that can be used. */
export function modelFor<M extends ModelChoice>(chosen: Chosen, models: readonly M[]): M | null {
  if (chosen.model !== null && chosen.framework !== null)
    return (
      models.find(({ name, framework }) => name === chosen.model && framework === chosen.framework) ?? null
    );
  const usable = models.filter(({ available }) => available);
  return usable.find((model) => model.default) ?? usable[0] ?? null;
}
