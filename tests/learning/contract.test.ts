import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultCacheDir } from '../../adapters/process/workload-dirs.js';
import { loadCatalog } from '../../api/training/load-catalog.js';
import { TASKS, type TaskType } from '../../models/training/catalog/catalog.types.js';
import { DOCKER, ProcessKit } from '../adapters/process/process-kit.js';
import type { RuntimeVariant } from '../adapters/process/runtime-case.js';
import { describeRuntime } from '../adapters/process/runtime.contract.js';
import { isOfThisRun } from './support/cases.js';
import { type AnnotationFormat, writeScenes } from './support/scenes.js';

const RUNTIMES_DIR = join(DOCKER, 'runtimes');
const CATALOG = loadCatalog(RUNTIMES_DIR);

interface NetworkRuntime {
  /** Why it cannot be tried here; empty where it can. */
  readonly problem: string;
  /** The small network of each task that it trains. */
  readonly models: Readonly<Partial<Record<TaskType, string>>>;
  /** A short training, after which its networks find something: what they find is held to the contract. */
  readonly quick: { readonly epochs: number; readonly settings: string };
  /** Tasks that it does not train, with the reason. */
  readonly untrained: Readonly<Partial<Record<TaskType, string>>>;
}

/** All that may be different between runtimes. What their catalogs say, metrics, formats and licence, they are held to. */
const RUNTIMES: Readonly<Record<string, NetworkRuntime>> = {
  torchvision: {
    problem: '',
    models: {
      classification: 'mobilenet_v3_small',
      detection: 'fcos_resnet18_fpn_small',
      instance_segmentation: 'maskrcnn_resnet18_fpn_small',
      semantic_segmentation: 'lraspp_mobilenet_v3_large',
      pose: 'keypointrcnn_resnet18_fpn_small',
    },
    quick: { epochs: 2, settings: 'image_size: 96\nbatch_size: 6\nvalidate_every: 1\n' },
    untrained: { obb: 'the package has no network for turned boxes' },
  },
  ultralytics: {
    // Set by scripts/lane.mjs with `--all`.
    problem: process.env.ULTRALYTICS_PROBLEM ?? 'runs with --all',
    models: {
      classification: 'yolo11n-cls',
      detection: 'yolo11n',
      instance_segmentation: 'yolo11n-seg',
      pose: 'yolo11n-pose',
      obb: 'yolo11n-obb',
    },
    // Its networks begin with scores far below the least one that they answer with: two steps raise none above it.
    quick: {
      epochs: 8,
      settings: 'image_size: 64\nbatch_size: 2\nvalidate_every: 8\nlearning_rate: 0.005\nwarmup_steps: 5\n',
    },
    untrained: { semantic_segmentation: 'YOLO11 has no network that gives each pixel a class' },
  },
};

/** Formats that can annotate for a task, the one of every case first. Folders and turned boxes have one alone. */
const FORMATS: Readonly<Record<TaskType, readonly [AnnotationFormat, ...AnnotationFormat[]]>> = {
  classification: ['coco'],
  detection: ['coco', 'yolo', 'voc'],
  instance_segmentation: ['coco'],
  semantic_segmentation: ['coco'],
  pose: ['coco', 'yolo'],
  obb: ['yolo'],
};
/** Files of the report that not every task has. */
const REPORTED: Readonly<Partial<Record<TaskType, readonly string[]>>> = {
  instance_segmentation: ['mask_pr_curves.json', 'mask_pr_curves.png'],
  semantic_segmentation: ['iou_curves.json', 'iou_curves.png'],
};
const REPORT = ['report.json', 'worst.json', 'worst/01.png', 'pr_curves.json', 'pr_curves.png'];

const COUNTS = { train: 12, val: 6, test: 6 };
const SMALL = 'image_size: 96\nbatch_size: 6\n';
const VARIANTS: readonly RuntimeVariant[] = [
  {
    does: 'trains with mixed precision on a processor',
    hyperparameters: `${SMALL}validate_every: 1\nepochs: 1\nprecision: bfloat16\n`,
    says: /parameters on cpu, \d+ threads, bfloat16[\s\S]*Done/,
  },
  {
    // Next to nothing is learned at such a rate, so that soon an epoch is no better than one before.
    does: 'stops early when nothing gets better',
    hyperparameters: `${SMALL}validate_every: 1\nepochs: 40\npatience: 1\nlearning_rate: 0.0000001\n`,
    says: /Stopped early: no better than epoch \d+ for 1 epochs[\s\S]*Done/,
  },
];

for (const [runtime, { problem, models, quick, untrained }] of Object.entries(RUNTIMES)) {
  const framework = CATALOG.framework(runtime);
  const [describeHere, why] = problem === '' ? [describe, ''] : [describe.skip, ` [skipped: ${problem}]`];

  describeHere(`the contract of runtimes with ${runtime}${why}`, () => {
    const kit = new ProcessKit(defaultCacheDir(), RUNTIMES_DIR, [runtime]);
    const chosen = TASKS.filter((task) => models[task] !== undefined && isOfThisRun(task));
    const inFormat = (task: string, format: AnnotationFormat) =>
      join(kit.home, 'scenes', `${task}-${format}`);
    /** The same scenes in the other formats. */
    const readers = (task: TaskType): RuntimeVariant[] =>
      FORMATS[task].slice(1).map((format) => ({
        does: `trains on annotations of ${format}`,
        hyperparameters: `${SMALL}validate_every: 1\nepochs: 1\n`,
        dataset: inFormat(task, format),
        // The digits of scenes with key points are of one class.
        says:
          task === 'pose'
            ? /1 classes; training on 12, validating on 6, testing on 6 images[\s\S]*Done/
            : /3 classes; training on 12, validating on 6, testing on 6 images[\s\S]*Done/,
      }));

    beforeAll(async () => {
      for (const task of chosen)
        for (const format of FORMATS[task]) await writeScenes(inFormat(task, format), task, COUNTS, format);
    }, 120_000);
    afterAll(() => kit.close());

    it('is tried with every task, but for those that it does not train', () => {
      expect(framework?.tasks.toSorted()).toEqual(Object.keys(models).sort());
      expect([...Object.keys(models), ...Object.keys(untrained)].sort()).toEqual(TASKS.toSorted());
    });

    for (const task of chosen)
      describeRuntime(kit, {
        ...{ runtime, task, model: models[task] ?? '', dataset: inFormat(task, FORMATS[task][0]) },
        epochs: quick.epochs,
        metrics: (framework?.metrics[task] ?? []).map((name) => `test/${name}`),
        split: { mode: 'existing' },
        quick: `${quick.settings}epochs: ${quick.epochs}\n`,
        long: `${SMALL}validate_every: 1000\nepochs: 1000\n`,
        artifacts: [...REPORT, ...(REPORTED[task] ?? []), 'model/README.md'],
        exports: framework?.exports ?? [],
        licence: CATALOG.licenceOf(runtime),
        takesWeights: true,
        variants: [...VARIANTS, ...readers(task)],
        memoryBytes: 4 * 2 ** 30,
        patienceMs: 180_000,
      });
  });
}
