import {
  type ClassesInParts,
  type FrozenDataset,
  MAX_CLASSES_IN_PARTS,
} from '../../datasets/catalog/dataset.types.js';
import type { ExperimentConfig } from '../experiment.types.js';

type Say = (field: string, text: string) => unknown;

/** What the training part lacks where folders or lists name the parts: training would end after all files were fetched. */
export function checkTrainedClasses(
  { task, classes }: ExperimentConfig,
  { classesInParts: { images, objects } }: FrozenDataset,
  say: Say,
): void {
  if (task !== 'classification') {
    if (objects && !hasObjects(objects, classes))
      say(
        classes.length > 0 ? 'classes' : 'split',
        `the training part holds no object${classes.length > 0 ? ' of these classes' : ''}: add annotations`,
      );
    return;
  }
  const lacking = images && lackingClass(images, classes);
  if (lacking)
    say(
      classes.length > 0 ? 'classes' : 'split',
      `no image of class ${JSON.stringify(lacking)} is in the training part: add images or leave the class out`,
    );
}

function hasObjects(objects: NonNullable<ClassesInParts['objects']>, chosen: readonly string[]): boolean {
  if (objects.length >= MAX_CLASSES_IN_PARTS) return true;
  return objects.some(({ name, train }) => train > 0 && (chosen.length === 0 || chosen.includes(name)));
}

/** A class that is to be learned and has no image in train. */
function lackingClass(
  { train, val, test }: NonNullable<ClassesInParts['images']>,
  chosen: readonly string[],
): string | undefined {
  const namesOf = (part: typeof train) => Object.keys(part?.classes ?? {});
  const trained = new Set(namesOf(train));
  const [inVal, inTest] = [namesOf(val), namesOf(test)];
  if (trained.size === 0 || trained.size + inVal.length + inTest.length >= MAX_CLASSES_IN_PARTS)
    return undefined;
  return (chosen.length > 0 ? chosen : [...inVal, ...inTest]).find((name) => !trained.has(name));
}
