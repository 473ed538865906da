import { type FieldError, fieldError } from '../../../core/errors/app-error.js';
import type { FrozenDataset } from '../../datasets/catalog/dataset.types.js';
import type { CatalogChoice } from '../catalog/catalog.types.js';
import type { ExperimentConfig } from '../experiment.types.js';
import { estimateMemory } from '../forecast/estimate.rules.js';
import { trainingSizeOf } from '../forecast/training-size.js';

/** An estimate may be wrong by so much: beyond it a training cannot go well. */
const ESTIMATE_ERROR = 2;
const MB = 2 ** 20;

/** A program that takes more than its limit is ended, often after hours. @param limitBytes of one training */
export function checkMemory(
  config: ExperimentConfig,
  choice: CatalogChoice | null,
  dataset: FrozenDataset | null,
  limitBytes: number,
  { errors, warnings }: { readonly errors: FieldError[]; readonly warnings: FieldError[] },
): void {
  if (!choice || !dataset) return;
  const bytes = estimateMemory(trainingSizeOf(config, choice.model, dataset), choice.framework);
  if (bytes <= limitBytes) return;
  const named = ['image_size', 'batch_size'].filter((name) => Object.hasOwn(choice.model.rules ?? {}, name));
  const smaller = named.length === 0 ? 'train with fewer images' : `choose a smaller ${named.join(' or ')}`;
  const text =
    `needs about ${Math.round(bytes / MB)} MiB of memory, and a training is ended beyond ` +
    `${Math.round(limitBytes / MB)} MiB: ${smaller}, or ask the operator for more`;
  // The estimate guesses what a model keeps that is no network and has no size of images.
  const isGuess = !choice.framework.usesGpu && !named.includes('image_size');
  if (!isGuess && bytes > limitBytes * ESTIMATE_ERROR)
    errors.push(fieldError(['body', 'hyperparameters'], text));
  else warnings.push(fieldError(['body', 'hyperparameters'], text, 'warning'));
}
