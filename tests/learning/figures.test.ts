import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ensureRuntimeVenv } from '../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../adapters/process/workload-dirs.js';
import { DOCKER } from '../adapters/process/process-kit.js';

const PROGRAM = fileURLToPath(new URL('../../../tests/learning/figures.py', import.meta.url));

interface Figures {
  readonly metrics: Readonly<Record<string, number>>;
  readonly per_class: ReadonlyArray<Readonly<Record<string, unknown>>>;
}
interface Run {
  /** Images of each step. */
  readonly steps: readonly number[];
  readonly chosen: number;
  readonly finished: number;
  /** Step and value of what was measured on the validation part. */
  readonly validated: ReadonlyArray<readonly [number, number]>;
}

describe('what trainings measure and which network they keep', () => {
  let made: Readonly<Record<string, Figures & Run & Readonly<Record<string, unknown>>>>;
  const of = (name: string) => made[name] as Figures & Run & Readonly<Record<string, unknown>>;

  beforeAll(async () => {
    const options = { runtimesDir: join(DOCKER, 'runtimes'), cacheDir: defaultCacheDir() };
    const { python } = await ensureRuntimeVenv({ ...options, runtime: 'torchvision' });
    const folders = [join(DOCKER, 'contract'), join(DOCKER, 'runtimes/torchvision')];
    const { stdout } = await promisify(execFile)(python, [PROGRAM, ...folders]);
    made = JSON.parse(stdout) as typeof made;
  }, 600_000);

  it('takes what lies in a crowd as neither right nor wrong', () => {
    const { metrics, pairs, wrong, recall, precision } = of('crowd');
    expect(metrics.map50).toBeCloseTo(1);
    expect({ pairs, wrong, recall, precision }).toEqual({
      pairs: [
        [0, 1],
        [1, 1],
      ],
      wrong: 1,
      recall: [1, 1],
      precision: [1, 0.5],
    });
  });

  it('has no figure of a class that the part does not hold, and 0 of one that nothing was found of', () => {
    expect(of('nothing_found')).toEqual({
      metrics: { map: 0, map50: 0 },
      per_class: [
        { label: 'cat', support: 1, map: 0, map50: 0 },
        { label: 'dog', support: 0, map: null, map50: null },
      ],
    });
    const { metrics, per_class } = of('rare_classes');
    expect(metrics).toMatchObject({ precision_macro: 1, recall_macro: 1, f1_macro: 1 });
    expect(per_class[2]).toEqual({ label: 'owl', precision: null, recall: null, f1: null, support: 0 });
  });

  it('has no figure of a part without objects', () => {
    expect(of('without_objects').metrics).toEqual({});
    expect(of('unpainted').metrics).toEqual({ pixel_accuracy: 0.5 });
  });

  it('learns nothing of objects below a pixel, and counts them in the evaluation', () => {
    expect(of('small_objects')).toEqual({ truth: 2, learned: 1, small: 1 });
  });

  it('keeps masks packed, and learns them as they are or flipped', () => {
    const { bytes, sides } = of('masks');
    expect(bytes).toBeLessThan(64 * 64);
    expect(sides).toEqual([
      [
        [0, 31],
        [48, 63],
      ],
      [
        [32, 63],
        [0, 15],
      ],
    ]);
  });

  it('takes objects without a marked key point for objects, whose points it does not look for', () => {
    const { labels, points, crowds, metrics } = of('unmarked');
    expect({ labels, points, crowds }).toEqual({
      labels: ['person'],
      points: [[[5, 5, 2]], [[0, 0, 0]], [[0, 0, 0]]],
      crowds: [false, false, true],
    });
    expect(metrics.map50).toBeCloseTo(1);
    expect(metrics.keypoint_map50).toBeCloseTo(1);
  });

  it('compares an exported detector by images in which something is found, and by others where these are few', () => {
    const bright = Array.from({ length: 8 }, (_, at) => 3 + at);
    expect(of('telling')).toEqual({ many: bright, few: [3, 4, 0, 1, 2], whole: 8 });
  });

  it('serves the regions of classes with the surest first, and as many as are asked for', () => {
    expect(of('regions')).toEqual([['dog', 'cat'], ['dog'], ['dog']]);
  });

  it('takes steps of single images where it is asked to, and leaves out a single one that remains', () => {
    expect(of('single').steps).toEqual([1, 1, 1]);
    expect(of('rest').steps).toEqual([2, 2]);
  });

  it('keeps the last network where the validation part measures nothing, or all epochs alike', () => {
    expect(of('unmeasured')).toMatchObject({ chosen: 3, finished: 3 });
    expect(of('ties')).toMatchObject({ chosen: 3, finished: 3 });
  });

  it('ends the curves of the validation part with what was measured of the network that it keeps', () => {
    const curve = [
      [1, 0.5],
      [2, 0.7],
      [3, 0.2],
      [4, 0.7],
    ];
    expect(of('worse')).toMatchObject({ chosen: 2, finished: 3, validated: curve });
    expect(of('ties').validated).toHaveLength(3);
  });

  it('stops early when nothing becomes better, also where it stays as good', () => {
    expect(of('tired')).toMatchObject({ finished: 3 });
  });
});
