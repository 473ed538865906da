import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureRuntimeVenv } from '../../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';
import { type AnnotationFormat, writeScenes } from '../../learning/support/scenes.js';
import { DOCKER } from './process-kit.js';

/** What training programs read of a folder, in pixels of scenes of 160. */
const READ = `
import json, os, sys
sys.path.insert(0, sys.argv[1])
from annotations import read_annotations
root = sys.argv[2]
paths = [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names]
found = read_annotations(root, paths)
def pixels(thing, values):
    return [round(value * (160 if thing.relative else 1), 3) for value in values]
def seen(thing):
    points = [[*pixels(thing, point[:2]), int(point[2])] for point in thing.points] if thing.points else None
    return [thing.label, pixels(thing, thing.box), points]
objects = {path: [seen(thing) for thing in things] for path, things in sorted(found.objects.items())}
print(json.dumps({"classes": sorted(found.classes), "unmatched": found.unmatched, "objects": objects}))
`;

interface Read {
  readonly classes: readonly string[];
  readonly unmatched: number;
  readonly objects: Readonly<Record<string, ReadonlyArray<readonly [string, number[], number[][] | null]>>>;
}

/** The same scenes, annotated in each of the formats. */
describe('what training programs read of annotations', () => {
  const home = mkdtempSync(join(tmpdir(), 'visionops-readers-'));
  let python: string;

  beforeAll(async () => {
    const options = { runtimesDir: join(DOCKER, 'runtimes'), cacheDir: defaultCacheDir() };
    ({ python } = await ensureRuntimeVenv({ ...options, runtime: 'sklearn' }));
  }, 300_000);
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  async function readAs(format: AnnotationFormat, task: string): Promise<Read> {
    const folder = join(home, `${format}-${task}`);
    await writeScenes(folder, task, { train: 5, val: 2, test: 2 }, format);
    const { stdout } = await promisify(execFile)(python, ['-c', READ, join(DOCKER, 'contract'), folder]);
    return JSON.parse(stdout) as Read;
  }
  const boxes = ({ objects }: Read) =>
    Object.entries(objects).map(([path, things]) => [path, things.map(([label, box]) => [label, box])]);

  it('is the same of COCO, YOLO and Pascal VOC', async () => {
    const coco = await readAs('coco', 'detection');
    expect(coco).toMatchObject({ classes: ['seven', 'three', 'zero'], unmatched: 0 });
    expect(Object.keys(coco.objects)).toHaveLength(9);
    for (const format of ['yolo', 'voc'] as const) {
      const read = await readAs(format, 'detection');
      expect([read.classes, read.unmatched]).toEqual([coco.classes, 0]);
      expect(boxes(read)).toEqual(boxes(coco));
    }
  }, 120_000);

  it('is the same of key points in COCO and YOLO', async () => {
    const [coco, yolo] = [await readAs('coco', 'pose'), await readAs('yolo', 'pose')];
    expect(yolo.objects).toEqual(coco.objects);
    expect(Object.values(yolo.objects)[0]?.[0]?.[2]).toHaveLength(3);
  }, 120_000);
});
