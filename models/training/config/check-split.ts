import { type FieldError, fieldError } from '../../../core/errors/app-error.js';
import type { FrozenDataset } from '../../datasets/catalog/dataset.types.js';
import type { ExperimentConfig } from '../experiment.types.js';
import { copiesWarning } from '../image-copies.rules.js';

/** The shares add up, and the part that is evaluated has one. */
export function checkSplit({ split, evaluation }: ExperimentConfig, errors: FieldError[]): void {
  if (split.mode === 'existing') return;
  const sum = split.train + split.val + split.test;
  if (Math.abs(sum - 1) > 1e-6)
    errors.push(
      fieldError(['body', 'split'], `train, val and test must add up to 1, not ${Number(sum.toFixed(6))}`),
    );
  else if (split.train === 0) errors.push(fieldError(['body', 'split', 'train'], 'must be greater than 0'));
  else if (evaluation.enabled && split[evaluation.split] === 0)
    errors.push(
      fieldError(
        ['body', 'evaluation', 'split'],
        `the part ${evaluation.split} is empty: give split.${evaluation.split} a share or switch evaluation.enabled off`,
      ),
    );
}

/** Equal images that may lie on both sides of the split. */
export function checkCopies(
  { split }: ExperimentConfig,
  dataset: FrozenDataset | null,
  warnings: FieldError[],
): void {
  const text = dataset && copiesWarning(split.mode, dataset.copies);
  if (text) warnings.push(fieldError(['body', 'split'], text, 'warning'));
}
