import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { defaultCacheDir } from '../../adapters/process/workload-dirs.js';
import { DOCKER, ProcessKit } from '../adapters/process/process-kit.js';
import { describeRuntime } from '../adapters/process/runtime.contract.js';
import { writeScenes } from './support/scenes.js';

/** Set by scripts/lane.mjs with `--all`: empty where the environment is there, otherwise the reason why it is not. */
const PROBLEM = process.env.ULTRALYTICS_PROBLEM ?? 'runs with --all';
const BOXES = ['test/map', 'test/map50'];
/** The smallest network of every task. */
const CASES = [
  { task: 'classification', model: 'yolo11n-cls', metrics: ['test/accuracy'] },
  { task: 'detection', model: 'yolo11n', metrics: BOXES },
  { task: 'instance_segmentation', model: 'yolo11n-seg', metrics: [...BOXES, 'test/mask_map50'] },
  { task: 'pose', model: 'yolo11n-pose', metrics: [...BOXES, 'test/keypoint_map50'] },
  { task: 'obb', model: 'yolo11n-obb', metrics: BOXES },
];

const [describeHere, why] = PROBLEM === '' ? [describe, ''] : [describe.skip, ` [skipped: ${PROBLEM}]`];

describeHere(`the contract of runtimes with ultralytics${why}`, () => {
  const kit = new ProcessKit(defaultCacheDir(), join(DOCKER, 'runtimes'), ['ultralytics']);
  const folderOf = (task: string) => join(kit.home, 'scenes', task);

  beforeAll(async () => {
    for (const { task } of CASES) await writeScenes(folderOf(task), task, { train: 12, val: 6, test: 6 });
  }, 120_000);
  afterAll(() => kit.close());

  for (const { task, model, metrics } of CASES)
    describeRuntime(kit, {
      ...{ runtime: 'ultralytics', task, model, metrics, dataset: folderOf(task), epochs: 2 },
      split: { mode: 'existing' },
      quick: 'epochs: 2\nimage_size: 96\nbatch_size: 6\nvalidate_every: 1\n',
      long: 'epochs: 1000\nimage_size: 96\nbatch_size: 6\nvalidate_every: 1000\n',
      artifacts: [
        'report.json',
        'worst.json',
        'worst/01.png',
        'export/export.json',
        'pr_curves.png',
        'model/README.md',
      ],
      export: { enabled: true, formats: ['onnx'] },
      takesWeights: true,
      memoryBytes: 4 * 2 ** 30,
      patienceMs: 180_000,
    });
});
