import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { defaultCacheDir } from '../../adapters/process/workload-dirs.js';
import { DOCKER, ProcessKit } from '../adapters/process/process-kit.js';
import type { RuntimeVariant } from '../adapters/process/runtime-case.js';
import { describeRuntime } from '../adapters/process/runtime.contract.js';
import { isOfThisRun } from './support/cases.js';
import { type AnnotationFormat, writeScenes } from './support/scenes.js';

const BOXES = ['test/map', 'test/map50'];
/** Models of every task, the small one of each, with what they measure; instance segmentation and pose come with `--all`. */
const CASES = [
  { task: 'classification', model: 'mobilenet_v3_small', metrics: ['test/accuracy'] },
  { task: 'detection', model: 'fcos_resnet18_fpn_small', metrics: BOXES },
  {
    task: 'semantic_segmentation',
    model: 'lraspp_mobilenet_v3_large',
    metrics: ['test/miou'],
    more: ['iou_curves.json', 'iou_curves.png'],
  },
  {
    task: 'instance_segmentation',
    model: 'maskrcnn_resnet18_fpn_small',
    metrics: [...BOXES, 'test/mask_map50'],
    more: ['mask_pr_curves.png'],
  },
  {
    task: 'pose',
    model: 'keypointrcnn_resnet18_fpn_small',
    metrics: [...BOXES, 'test/keypoint_map50'],
  },
];

const COUNTS = { train: 12, val: 6, test: 6 };
/** Formats beside COCO that can annotate for a task. */
const FORMATS: Readonly<Record<string, readonly AnnotationFormat[]>> = {
  detection: ['yolo', 'voc'],
  pose: ['yolo'],
};
const SMALL = 'image_size: 96\nbatch_size: 6\nvalidate_every: 1\n';
const VARIANTS: readonly RuntimeVariant[] = [
  {
    does: 'trains with mixed precision on a processor',
    hyperparameters: `${SMALL}epochs: 1\nprecision: bfloat16\n`,
    says: /parameters on cpu, \d+ threads, bfloat16[\s\S]*Done/,
  },
  {
    // Next to nothing is learned at such a rate, so that soon an epoch is no better than one before.
    does: 'stops early when nothing gets better',
    hyperparameters: `${SMALL}epochs: 40\npatience: 1\nlearning_rate: 0.0000001\n`,
    says: /Stopped early: no better than epoch \d+ for 1 epochs[\s\S]*Done/,
  },
];

describe('the contract of runtimes with torchvision', () => {
  const kit = new ProcessKit(defaultCacheDir(), join(DOCKER, 'runtimes'));
  const folderOf = (task: string) => join(kit.home, 'scenes', task);
  const chosen = CASES.filter(({ task }) => isOfThisRun(task));

  const inFormat = (task: string, format: AnnotationFormat) => `${folderOf(task)}-${format}`;
  /** The same scenes in the other formats. */
  const readers = (task: string): RuntimeVariant[] =>
    (FORMATS[task] ?? []).map((format) => ({
      does: `trains on annotations of ${format}`,
      hyperparameters: `${SMALL}epochs: 1\n`,
      dataset: inFormat(task, format),
      // The digits of scenes with key points are of one class.
      says:
        task === 'pose'
          ? /1 classes; training on 12, validating on 6, testing on 6 images[\s\S]*Done/
          : /3 classes; training on 12, validating on 6, testing on 6 images[\s\S]*Done/,
    }));

  beforeAll(async () => {
    for (const { task } of chosen) {
      await writeScenes(folderOf(task), task, COUNTS);
      for (const format of FORMATS[task] ?? [])
        await writeScenes(inFormat(task, format), task, COUNTS, format);
    }
  }, 120_000);
  afterAll(() => kit.close());

  for (const { task, model, metrics, more } of chosen)
    describeRuntime(kit, {
      ...{ runtime: 'torchvision', task, model, metrics, dataset: folderOf(task), epochs: 2 },
      split: { mode: 'existing' },
      quick: 'epochs: 2\nimage_size: 96\nbatch_size: 6\nvalidate_every: 1\n',
      long: 'epochs: 1000\nimage_size: 96\nbatch_size: 6\nvalidate_every: 1000\n',
      artifacts: [
        'report.json',
        'worst.json',
        'worst/01.png',
        'export/export.json',
        'pr_curves.png',
        ...(more ?? []),
      ],
      export: { enabled: true, formats: ['onnx'] },
      takesWeights: true,
      variants: [...VARIANTS, ...readers(task)],
      memoryBytes: 4 * 2 ** 30,
      patienceMs: 180_000,
    });
});
