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
  const text =
    `needs about ${Math.round(bytes / MB)} MiB of memory, and a training is ended beyond ` +
    `${Math.round(limitBytes / MB)} MiB: choose a smaller image_size or batch_size, or ask the operator for more`;
  if (bytes > limitBytes * ESTIMATE_ERROR) errors.push(fieldError(['body', 'hyperparameters'], text));
  else warnings.push(fieldError(['body', 'hyperparameters'], text, 'warning'));
}
