import { describe, expect, it } from '@jest/globals';
import type { ClassesInParts, FrozenDataset } from '../../../models/datasets/catalog/dataset.types.js';
import { checkDataset } from '../../../models/training/config/check-dataset.js';
import type { ExperimentConfig } from '../../../models/training/experiment.types.js';

function found(
  task: string,
  classes: readonly string[],
  counted: Partial<ClassesInParts>,
  mode = 'existing',
) {
  const names = ['0', '1', '2'].map((name) => ({ name, count: 4 }));
  const dataset = {
    ...{ classes: names, tasks: { detection: names }, splits: { train: 20, val: 5, test: 5 } },
    ...{ named: { found: 30, missing: 0, examples: [] } },
    classesInParts: { images: null, objects: null, ...counted },
  };
  const config = { task, classes, split: { mode }, evaluation: { enabled: true, split: 'test' } };
  const said = { errors: [], warnings: [] };
  checkDataset(config as unknown as ExperimentConfig, dataset as unknown as FrozenDataset, said);
  return said.errors.map(({ loc, msg }: { loc: unknown[]; msg: string }) => `${loc.at(-1)}: ${msg}`);
}

describe('parts that folders name', () => {
  const images = {
    ...{ train: { classes: { '0': 9, '1': 9 } }, val: { classes: { '0': 1, '2': 1 } } },
    test: { classes: { '1': 1 } },
  };
  const objects = ['0', '1', '2'].map((name) => ({ name, train: name === '0' ? 3 : 0 }));
  const lacking = 'no image of class "2" is in the training part: add images or leave the class out';

  it('need an image of each class in train', () => {
    expect(found('classification', [], { images })).toEqual([`split: ${lacking}`]);
    expect(found('classification', ['0', '2'], { images })).toEqual([`classes: ${lacking}`]);
    expect(found('classification', ['0', '1'], { images })).toEqual([]);
    expect(found('classification', [], { images }, 'ratio')).toEqual([]);
    expect(found('classification', [], {})).toEqual([]);
  });

  it('need an object in train', () => {
    const none = objects.map(({ name }) => ({ name, train: 0 }));
    expect(found('detection', [], { objects })).toEqual([]);
    expect(found('detection', ['1', '2'], { objects })).toEqual([
      'classes: the training part holds no object of these classes: add annotations',
    ]);
    expect(found('detection', [], { objects: none })).toEqual([
      'split: the training part holds no object: add annotations',
    ]);
    expect(found('detection', [], { objects: none }, 'ratio')).toEqual([]);
  });
});
