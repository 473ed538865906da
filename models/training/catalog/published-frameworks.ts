import type { FrameworkEntry, ModelEntry, TaskType } from './catalog.types.js';

/**
 * Frameworks that the catalog knows where an installation brings no runtime for them (images of the platform leave out what has
 * another licence). They are shown as not available, so that people see what a task could be trained with. Sizes and precision are those the projects publish.
 */
type Published = readonly [name: string, title: string, parametersM: number, map: number | null];

const models = (framework: string, task: TaskType, list: readonly Published[]): ModelEntry[] =>
  list.map(([name, title, parametersM, map], at) => ({
    name,
    title,
    description: '',
    framework,
    task,
    isDefault: at === 0,
    parametersM,
    map,
    hyperparameters: null,
    rules: null,
  }));

const sizes = (
  suffix: string,
  title: string,
  figures: ReadonlyArray<readonly [parametersM: number, map: number | null]>,
): Published[] =>
  (['n', 's', 'm', 'l', 'x'] as const).map((size, at) => [
    `yolo11${size}${suffix}`,
    `YOLO11 ${size}${title}`,
    figures[at]?.[0] ?? 0,
    figures[at]?.[1] ?? null,
  ]);

const ULTRALYTICS: FrameworkEntry = {
  name: 'ultralytics',
  title: 'Ultralytics YOLO',
  license: 'AGPL-3.0',
  optIn: true,
  homepage: 'https://docs.ultralytics.com/',
  needsGpu: true,
  usesGpu: true,
  hasPretrained: true,
  tasks: ['classification', 'detection', 'instance_segmentation', 'pose', 'obb'],
  metrics: {},
  exports: [],
  environment: null,
  runtime: null,
  models: [
    ...models(
      'ultralytics',
      'classification',
      sizes('-cls', ' classification', [
        [1.6, null],
        [5.5, null],
        [10.4, null],
        [12.9, null],
        [28.4, null],
      ]),
    ),
    ...models(
      'ultralytics',
      'detection',
      sizes('', '', [
        [2.6, 39.5],
        [9.4, 47],
        [20.1, 51.5],
        [25.3, 53.4],
        [56.9, 54.7],
      ]),
    ),
    ...models(
      'ultralytics',
      'instance_segmentation',
      sizes('-seg', ' segmentation', [
        [2.9, 32],
        [10.1, 37.8],
        [22.4, 41.5],
        [27.6, 42.9],
        [62.1, 43.8],
      ]),
    ),
    ...models(
      'ultralytics',
      'pose',
      sizes('-pose', ' pose', [
        [2.9, 50],
        [9.9, 58.9],
        [20.9, 64.9],
        [26.2, 66.1],
        [58.8, 69.5],
      ]),
    ),
    ...models(
      'ultralytics',
      'obb',
      sizes('-obb', ' oriented boxes', [
        [2.7, 78.4],
        [9.7, 79.5],
        [20.9, 80.9],
        [26.2, 81],
        [58.8, 81.3],
      ]),
    ),
  ],
};

export const PUBLISHED_FRAMEWORKS: readonly FrameworkEntry[] = [ULTRALYTICS];
