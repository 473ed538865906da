import { type FieldError, fieldError } from '../../../core/errors/app-error.js';
import type { FrozenDataset } from '../../datasets/catalog/dataset.types.js';
import { classesForTask } from '../dataset-classes.rules.js';
import type { ExperimentConfig } from '../experiment.types.js';
import { checkTrainedClasses } from './check-trained-classes.js';
import { closestName } from '../../../core/text/closest-name.js';

/** What the annotations of a task must hold, for people. */
const NEEDS: Readonly<Record<string, string>> = {
  detection: 'boxes',
  instance_segmentation: 'outlines or masks',
  semantic_segmentation: 'outlines or masks',
  pose: 'key points',
  obb: 'turned boxes',
};

/** The least share of the images that annotations name which must be there: below it files were forgotten, and not left out. */
const LEAST_FOUND = 0.9;
const MOST_NAMED = 3;
/** A pixel holds its class in a byte: 0 is background, and 255 what does not count (docker/contract/pixels.py). */
const MOST_PAINTED = 254;

/** What training would find out only after the files have been fetched. */
export function checkDataset(
  config: ExperimentConfig,
  dataset: FrozenDataset | null,
  { errors, warnings }: { readonly errors: FieldError[]; readonly warnings: FieldError[] },
): void {
  const say: Say = (field, text) => errors.push(fieldError(['body', field], text));
  if (!dataset)
    return void say(
      'dataset_id',
      'no FROZEN dataset of this id: upload files and wait until its validation has frozen it',
    );
  if (config.split.mode === 'existing') checkParts(config, dataset, say);
  const known = new Map(classesForTask(dataset, config.task).map((entry) => [entry.name, entry.count]));
  if (known.size === 0 && config.task !== 'classification')
    return void say('dataset_id', withoutAnnotations(config.task, dataset));
  if (config.task === 'semantic_segmentation') checkPainted(config, known, say);
  if (config.task !== 'classification') checkNamedImages(dataset.named, errors, warnings);
  const missing = config.classes.find((name) => !known.has(name));
  if (missing !== undefined)
    say(
      'classes',
      `the dataset has no class ${JSON.stringify(missing)}; ${suggestion(missing, [...known.keys()])}`,
    );
  else if (config.task === 'classification') checkFolders(config, known.size, say);
  else if (config.classes.length > 0 && config.classes.every((name) => known.get(name) === 0))
    say('classes', `no object of these classes has ${NEEDS[config.task]}`);
}

function checkPainted({ classes }: ExperimentConfig, known: ReadonlyMap<string, number>, say: Say): void {
  const painted =
    classes.length > 0 ? classes.length : [...known.values()].filter((count) => count > 0).length;
  if (painted > MOST_PAINTED)
    say(
      'classes',
      `semantic segmentation distinguishes at most ${MOST_PAINTED} classes, and not ${painted}: name some`,
    );
}

type Say = (field: string, text: string) => unknown;

/** Images that the annotations name and nobody uploaded: a few are worth a warning, more are refused. */
function checkNamedImages(
  { found, missing, examples }: FrozenDataset['named'],
  errors: FieldError[],
  warnings: FieldError[],
): void {
  if (missing === 0) return;
  const share = Math.floor((100 * found) / (found + missing));
  const text =
    `${missing} images that the annotations name are not in the dataset (${share} % are): ` +
    `${examples.slice(0, MOST_NAMED).join(', ')}${missing > MOST_NAMED ? ', ...' : ''}; upload them or remove their annotations`;
  const list = found < LEAST_FOUND * (found + missing) ? errors : warnings;
  list.push(fieldError(['body', 'dataset_id'], text, 'images_missing'));
}

function checkParts(config: ExperimentConfig, dataset: FrozenDataset, say: Say): void {
  const [{ evaluation }, { splits }] = [config, dataset];
  if ((splits.train ?? 0) === 0)
    say('split', 'mode existing needs the files in the folders train, val and test');
  else if (evaluation.enabled && (splits[evaluation.split] ?? 0) === 0)
    say(
      'split',
      `the part ${evaluation.split}, which is to be evaluated, has no images: add some or switch evaluation.enabled off`,
    );
  else checkTrainedClasses(config, dataset, say);
}

function checkFolders({ classes }: ExperimentConfig, known: number, say: Say): void {
  if ((classes.length === 0 ? known : classes.length) < 2)
    say(
      classes.length === 0 ? 'dataset_id' : 'classes',
      'classification needs at least two classes: the folder of a file is its class',
    );
}

/** Why a dataset does not serve a task. */
export function withoutAnnotations(task: string, dataset: Pick<FrozenDataset, 'tasks'>): string {
  const served = Object.entries(dataset.tasks)
    .filter(([, classes]) => classes.some(({ count }) => count > 0))
    .map(([name]) => name);
  const instead = served.length === 0 ? '' : `; its annotations serve ${served.join(', ')}`;
  return `${task} needs ${NEEDS[task] ?? 'annotations'}, of which the dataset has none${instead}`;
}

export function suggestion(word: string, known: readonly string[]): string {
  const near = closestName(word, known);
  return near === null ? `there are ${known.slice(0, 20).join(', ')}` : `did you mean ${near}?`;
}
