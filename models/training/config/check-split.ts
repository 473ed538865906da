import { type FieldError, fieldError } from '../../../core/errors/app-error.js';
import type { FrozenDataset } from '../../datasets/catalog/dataset.types.js';
import { classesForTask } from '../dataset-classes.rules.js';
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

type Found = { readonly errors: FieldError[]; readonly warnings: FieldError[] };

/** What the shares come to with the images that there are. */
export function checkPartSizes(
  config: ExperimentConfig,
  dataset: FrozenDataset | null,
  { errors, warnings }: Found,
): void {
  const { split, evaluation, task } = config;
  if (!dataset || split.mode === 'existing') return;
  const groups = groupsOf(config, dataset);
  const all = groups.reduce((sum, images) => sum + images, 0);
  if (all === 0) return;
  const sizeOf = (part: number) => groups.reduce((sum, images) => sum + rounded(images * part), 0);
  if (split.train > 0 && sizeOf(split.val) + sizeOf(split.test) >= all)
    errors.push(
      fieldError(
        ['body', 'split'],
        `leaves none of ${all} images for train: give it a larger share or add images`,
      ),
    );
  const share = split[evaluation.split];
  if (evaluation.enabled && share > 0 && sizeOf(share) === 0)
    errors.push(
      fieldError(
        ['body', 'evaluation', 'split'],
        `the part ${evaluation.split} comes out empty, since ${share} of ${all} images is none: ` +
          `give split.${evaluation.split} a larger share, add images or switch evaluation.enabled off`,
      ),
    );
  if (task === 'classification' && !split.stratify) checkRareClasses(config, dataset, warnings);
}

/** A split may leave a class out of train with this probability without a warning. */
const RARELY = 0.01;
const MOST_NAMED = 3;

function checkRareClasses(config: ExperimentConfig, dataset: FrozenDataset, warnings: FieldError[]): void {
  const { val, test } = config.split;
  const rare = chosenClasses(config, dataset)
    .filter(({ count }) => count > 0 && (val + test) ** count > RARELY)
    .map(({ name }) => JSON.stringify(name));
  if (rare.length === 0) return;
  const text =
    `so few images that train may have none, which ends the training: ${rare.slice(0, MOST_NAMED).join(', ')}` +
    `${rare.length > MOST_NAMED ? ', ...' : ''}; set split.stratify or add images`;
  warnings.push(fieldError(['body', 'split', 'stratify'], `classes with ${text}`, 'warning'));
}

const chosenClasses = ({ task, classes }: ExperimentConfig, dataset: FrozenDataset) =>
  classesForTask(dataset, task).filter(({ name }) => classes.length === 0 || classes.includes(name));

/** Images of what is split by itself. Other files count as images where no annotation file says how many it annotates. */
function groupsOf(config: ExperimentConfig, dataset: FrozenDataset): number[] {
  if (config.task !== 'classification') return [dataset.named.found || dataset.fileCount];
  const counts = chosenClasses(config, dataset).map(({ count }) => count);
  return config.split.stratify ? counts : [counts.reduce((sum, count) => sum + count, 0)];
}

/** As the programs round (docker/contract/parts.py): a half becomes the even number beside it. */
function rounded(value: number): number {
  const below = Math.floor(value);
  return value - below === 0.5 ? below + (below % 2) : Math.round(value);
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
