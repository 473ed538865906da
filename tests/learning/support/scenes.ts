import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ensureRuntimeVenv } from '../../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';
import { DOCKER } from '../../adapters/process/process-kit.js';
import type { Runs } from './masks.js';

/** How many scenes each part has. */
export interface SceneCounts {
  readonly train: number;
  readonly val: number;
  readonly test: number;
}

export type AnnotationFormat = 'coco' | 'yolo' | 'voc';

/** Writes scenes for a task by scenes.py, with the Python of scikit-learn, whose scans and photographs they show. */
export async function writeScenes(
  target: string,
  task: string,
  counts: SceneCounts,
  format: AnnotationFormat = 'coco',
): Promise<void> {
  const { python } = await ensureRuntimeVenv({
    runtime: 'sklearn',
    runtimesDir: join(DOCKER, 'runtimes'),
    cacheDir: defaultCacheDir(),
  });
  const numbers = Object.entries(counts).flatMap(([part, count]) => [`--${part}`, String(count)]);
  await promisify(execFile)(python, [
    resolve('tests/learning/scenes.py'),
    target,
    '--task',
    task,
    ...['--format', format],
    ...numbers,
  ]);
}

/** An object of a scene: its class, its corners in pixels (left, top, right, bottom), its mask and its key points (x, y, visible). */
export interface Truth {
  readonly label: string;
  readonly box: readonly [number, number, number, number];
  readonly mask?: Runs;
  readonly keypoints?: ReadonlyArray<readonly [number, number, number]>;
}

interface CocoFile {
  readonly images: ReadonlyArray<{ readonly id: number; readonly file_name: string }>;
  readonly annotations: ReadonlyArray<{
    readonly image_id: number;
    readonly category_id: number;
    readonly bbox: readonly [number, number, number, number];
    readonly segmentation: Runs;
    /** Three numbers a point, one point after the other. */
    readonly keypoints: readonly number[];
  }>;
  readonly categories: ReadonlyArray<{ readonly id: number; readonly name: string }>;
}

/** What the test part shows, by path of the image. */
export function truthOfTest(folder: string): Map<string, Truth[]> {
  const { images, annotations, categories } = JSON.parse(
    readFileSync(join(folder, 'test.json'), 'utf8'),
  ) as CocoFile;
  const names = new Map(categories.map(({ id, name }) => [id, name]));
  return new Map(
    images.map(({ id, file_name }) => [
      join(folder, 'images/test', file_name),
      annotations
        .filter((entry) => entry.image_id === id)
        .map(({ category_id, bbox: [x, y, width, height], segmentation: mask, keypoints }) => ({
          label: names.get(category_id) ?? '',
          box: [x, y, x + width, y + height],
          mask,
          keypoints: threes(keypoints),
        })),
    ]),
  );
}

const threes = (numbers: readonly number[]): Array<readonly [number, number, number]> =>
  Array.from(
    { length: numbers.length / 3 },
    (_, at) => numbers.slice(3 * at, 3 * at + 3) as [number, number, number],
  );
