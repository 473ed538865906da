import type { SceneCounts } from './scenes.js';

/** What one task has to learn from scratch, on two processors in about five minutes. */
export interface LearningCase {
  readonly task: string;
  readonly model: string;
  readonly scenes: SceneCounts;
  readonly hyperparameters: string;
  /** That of the test part, which shares no scan with the others. */
  readonly metric: string;
  readonly least: number;
  /** That of report.json: what each class has, so that a constant answer does not pass. */
  readonly perClass: string;
}

/** No image is mirrored: digits have a left and a right. */
const SETTINGS = 'image_size: 160\nlearning_rate: 0.001\naugment_flip: false\n';
const SCENES = { train: 320, val: 20, test: 60 };

export const LEARNING_CASES: readonly LearningCase[] = [
  {
    ...{ task: 'detection', model: 'fcos_resnet18_fpn_small', scenes: SCENES },
    hyperparameters: `${SETTINGS}epochs: 5\nvalidate_every: 5\n`,
    ...{ metric: 'map50', least: 0.8, perClass: 'map50' },
  },
  {
    ...{ task: 'instance_segmentation', model: 'maskrcnn_resnet18_fpn_small', scenes: SCENES },
    hyperparameters: `${SETTINGS}batch_size: 4\nwarmup_steps: 30\nepochs: 3\nvalidate_every: 3\n`,
    ...{ metric: 'mask_map50', least: 0.6, perClass: 'mask_map50' },
  },
  {
    ...{ task: 'pose', model: 'keypointrcnn_resnet18_fpn_small', scenes: SCENES },
    // Its images are never mirrored. It takes a second and more for each: of small batches more steps fit into the time.
    hyperparameters: 'image_size: 160\nlearning_rate: 0.001\nbatch_size: 2\nwarmup_steps: 30\nepochs: 1\n',
    ...{ metric: 'keypoint_map50', least: 0.7, perClass: 'keypoint_map50' },
  },
  {
    ...{ task: 'semantic_segmentation', model: 'lraspp_mobilenet_v3_large', scenes: SCENES },
    hyperparameters: `${SETTINGS}epochs: 7\nvalidate_every: 7\nobject_weight: 1.5\n`,
    ...{ metric: 'miou', least: 0.6, perClass: 'iou' },
  },
  {
    // One object an image teaches little: few scenes seen often are learned by heart.
    ...{ task: 'classification', model: 'mobilenet_v3_small', scenes: { train: 2400, val: 30, test: 150 } },
    hyperparameters: `${SETTINGS}epochs: 4\nvalidate_every: 4\nbatch_size: 16\n`,
    ...{ metric: 'accuracy', least: 0.8, perClass: 'f1' },
  },
];

/** Tasks of this run: `LEARNING_TASKS` (of scripts/lane.mjs) names them, separated by commas; otherwise all. */
export const isOfThisRun = (task: string): boolean =>
  process.env.LEARNING_TASKS?.split(',').includes(task) ?? true;
