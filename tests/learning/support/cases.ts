import type { SceneCounts } from './scenes.js';

/** What one task has to learn from scratch, on two processors in about five minutes. */
export interface LearningCase {
  readonly task: string;
  readonly model: string;
  readonly scenes: SceneCounts;
  readonly hyperparameters: string;
  /** Of the test part, which shares no scan with the others. */
  readonly metric: string;
  readonly least: number;
  /** Of report.json: what each class has, so that a constant answer does not pass. */
  readonly perClass: string;
}

export const LEARNING_CASES: readonly LearningCase[] = [
  {
    task: 'detection',
    model: 'fcos_resnet18_fpn_small',
    scenes: { train: 320, val: 20, test: 60 },
    hyperparameters:
      'epochs: 8\nimage_size: 160\nlearning_rate: 0.001\naugment_flip: false\nvalidate_every: 8\n',
    metric: 'map50',
    least: 0.8,
    perClass: 'map50',
  },
];

/** Tasks of this run: `LEARNING_TASKS` (of scripts/lane.mjs) names them, separated by commas; otherwise all. */
export const isOfThisRun = (task: string): boolean =>
  process.env.LEARNING_TASKS?.split(',').includes(task) ?? true;
