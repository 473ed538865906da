import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrozenDataset } from '../../../../models/datasets/catalog/dataset.types.js';
import { availabilityOf, Catalog, isTask } from '../../../../models/training/catalog/catalog.js';
import { parseRuntimeCatalog } from '../../../../models/training/catalog/runtime-catalog.js';
import {
  checkExperimentConfig,
  type ConfigWorld,
} from '../../../../models/training/config/check-experiment-config.js';

export const catalog = new Catalog(
  ['sklearn', 'torchvision', 'ultralytics'].map((runtime) =>
    parseRuntimeCatalog(
      runtime,
      readFileSync(join(process.cwd(), `docker/runtimes/${runtime}/catalog.yaml`), 'utf8'),
    ),
  ),
);
export const dataset: FrozenDataset = {
  format: 'class_folders',
  tasks: {},
  splits: {},
  classesInParts: { images: null, objects: null },
  copies: { images: 0, leaked: 0 },
  named: { found: 0, missing: 0, examples: [] },
  id: 'd',
  key: 'digits',
  name: 'Digits',
  versionId: 'v',
  digest: 'a',
  manifestKey: 'k',
  classes: ['0', '1', '2'].map((name) => ({ name, count: 10 })),
  fileCount: 30,
  sizeBytes: 1,
};
/** With annotations of every kind. */
export const annotated: FrozenDataset = {
  ...dataset,
  tasks: Object.fromEntries(
    ['detection', 'instance_segmentation', 'pose'].map((task) => [task, [{ name: 'cat', count: 4 }]]),
  ),
};
export const parted: FrozenDataset = { ...dataset, splits: { train: 20, val: 5, test: 5 } };
export const world: ConfigWorld = {
  frameworksOf: (task) => (isTask(task) ? catalog.frameworksFor(task) : []),
  availability: (framework) =>
    availabilityOf(
      framework,
      ['sklearn', 'torchvision'].map((runtime) => ({ runtime, available: true, reason: null })),
    ),
  environmentToMake: () => null,
  gpuSlots: 0,
  dataset,
  endpointTaken: false,
  weights: null,
  version: null,
  memoryLimitBytes: 2 ** 32,
  now: new Date('2026-11-21T14:30:05Z'),
};
export const minimal = { task: 'classification', framework: 'sklearn', model: 'mlp', dataset_id: 'digits' };
export const check = (over: Record<string, unknown> = {}, using: Partial<ConfigWorld> = {}) =>
  checkExperimentConfig({ ...minimal, ...over }, { ...world, ...using });
export const places = (over: Record<string, unknown>, using: Partial<ConfigWorld> = {}) =>
  check(over, using).errors.map((error) => error.loc.slice(1).join('.'));
export const message = (over: Record<string, unknown>) =>
  check(over)
    .errors.map((error) => error.msg)
    .join(' ');

export const detector = { task: 'detection', framework: 'torchvision', model: 'fcos_resnet18_fpn' };
