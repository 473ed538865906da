import type { FrozenDataset } from '../../datasets/catalog/dataset.types.js';
import type { ModelEntry } from '../catalog/catalog.types.js';
import { checkHyperparameters } from '../config/check-hyperparameters.js';
import { classesForTask } from '../dataset-classes.rules.js';
import type { ExperimentConfig } from '../experiment.types.js';
import type { TrainingSize } from './estimate.rules.js';

type Facts = Pick<FrozenDataset, 'classes' | 'tasks' | 'splits' | 'fileCount'>;
type Configured = Pick<ExperimentConfig, 'task' | 'classes' | 'split' | 'hyperparameters'>;

/** Side of images where a model names none. */
const DEFAULT_SIZE = 64;
/** Names under which models count their rounds; of one that has none everything is done in one. */
const ROUNDS = ['epochs', 'iterations', 'max_iter', 'trees'] as const;

/** @param model of the catalog; null where it is not known any more */
export function trainingSizeOf(config: Configured, model: ModelEntry | null, facts: Facts): TrainingSize {
  const values = {
    ...checkHyperparameters(model?.hyperparameters ?? '', null).values,
    ...checkHyperparameters(config.hyperparameters, null).values,
  };
  const figure = (...names: readonly string[]): number | null => {
    const found = names.map((name) => values[name]).find((value) => typeof value === 'number' && value > 0);
    return typeof found === 'number' ? found : null;
  };
  const images = imagesOf(config, facts);
  const trained =
    config.split.mode === 'existing' ? (facts.splits.train ?? images) : images * config.split.train;
  return {
    images,
    trained: Math.round(trained),
    rounds: figure(...ROUNDS) ?? 1,
    batch: figure('batch_size') ?? 1,
    imageSize: figure('image_size') ?? DEFAULT_SIZE,
    parametersM: model?.parametersM ?? 0,
  };
}

/** Annotation files count as images where nothing distinguishes them: too many rather than too few. */
function imagesOf({ task, classes }: Configured, facts: Facts): number {
  if (task === 'classification') {
    const chosen = classesForTask(facts, task).filter(
      ({ name }) => classes.length === 0 || classes.includes(name),
    );
    return chosen.reduce((sum, { count }) => sum + count, 0);
  }
  const inParts = Object.values(facts.splits).reduce((sum, count) => sum + (count ?? 0), 0);
  return inParts > 0 ? inParts : facts.fileCount;
}
