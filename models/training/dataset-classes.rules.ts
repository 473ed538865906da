import type { ClassCount, FrozenDataset } from '../datasets/catalog/dataset.types.js';

/**
 * Classes of a dataset that a task can be trained with. Semantic segmentation paints the masks of instances; the folders of
 * images serve classification alone.
 */
export function classesForTask(
  { tasks, classes }: Pick<FrozenDataset, 'tasks' | 'classes'>,
  task: string,
): readonly ClassCount[] {
  const found = tasks[task] ?? (task === 'semantic_segmentation' ? tasks.instance_segmentation : undefined);
  return found ?? (task === 'classification' ? classes : []);
}
