import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
print(json.dumps({"classes": sorted(found.classes), "unmatched": found.unmatched, "objects": objects,
    "outlined": {path: sum(thing.outline is not None for thing in things) for path, things in found.objects.items()}}))
`;

/** Objects turned in each way that EXIF lays an image on its side, beside the image as Pillow turns it. */
const TURN = `
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy
from PIL import Image
from annotations import Thing
from coco_masks import box_of, outline_of, pixels_of
from turned import turned
ways = {5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_90}
stored = numpy.zeros((5, 8), numpy.uint8)
stored[1:3, 2:6] = 1
seen = {}
for orientation, way in ways.items():
    upright = numpy.asarray(Image.fromarray(stored).transpose(way))
    rows, columns = numpy.nonzero(upright)
    box = [int(side) for side in (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)]
    masked = turned(Thing("a", (2, 1, 6, 3), outline_of(stored), ((4, 2, 2), (0, 0, 0))), orientation, 8, 5)
    drawn = turned(Thing("a", (2, 1, 6, 3), [[2, 1, 6, 1, 6, 3, 2, 3]]), orientation, 8, 5).outline[0]
    left, top, width, height = box_of(masked.outline)
    seen[orientation] = [bool((pixels_of(masked.outline) == upright).all()), list(masked.box) == box,
        [min(drawn[0::2]), min(drawn[1::2]), max(drawn[0::2]), max(drawn[1::2])] == box,
        left == box[0] and left + width == box[2], list(masked.points[1]) == [0, 0, 0],
        [sum(box[0::2]) / 2, sum(box[1::2]) / 2] == list(masked.points[0][:2])]
print(json.dumps(seen))
`;

interface Read {
  readonly classes: readonly string[];
  readonly unmatched: number;
  /** Objects with an outline, by image. */
  readonly outlined: Readonly<Record<string, number>>;
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
    return readFolder(folder);
  }
  async function readFolder(folder: string): Promise<Read> {
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

  it('is one object where two COCO files describe it, with what either says', async () => {
    const folder = join(home, 'two-files');
    mkdirSync(folder);
    const images = [{ id: 1, file_name: 'a.png', width: 40, height: 40 }];
    const person = { id: 1, image_id: 1, category_id: 1, bbox: [1, 2, 10, 20] };
    const other = { id: 2, image_id: 1, category_id: 1, bbox: [20, 2, 10, 20] };
    const write = (name: string, annotations: readonly object[]) =>
      writeFileSync(
        join(folder, name),
        JSON.stringify({ images, categories: [{ id: 1, name: 'person' }], annotations }),
      );
    write('instances.json', [{ ...person, segmentation: [[1, 2, 11, 2, 11, 22]] }, other]);
    write('person_keypoints.json', [{ ...person, keypoints: [5, 6, 2], num_keypoints: 1 }]);
    writeFileSync(join(folder, 'a.png'), '');
    const { objects, outlined } = await readFolder(folder);
    expect(objects).toEqual({
      'a.png': [
        ['person', [1, 2, 11, 22], [[5, 6, 2]]],
        ['person', [20, 2, 30, 22], null],
      ],
    });
    expect(outlined).toEqual({ 'a.png': 1 });
  }, 120_000);

  it('lies on the upright image where a file states it in stored pixels', async () => {
    const { stdout } = await promisify(execFile)(python, ['-c', TURN, join(DOCKER, 'contract')]);
    const all = Array.from({ length: 6 }, () => true);
    expect(JSON.parse(stdout)).toEqual({ 5: all, 6: all, 7: all, 8: all });
  }, 120_000);

  it('has, of manifests that say no names, those that the validation reads', async () => {
    const line = '0 0.5 0.5 0.2 0.2\n';
    const voc = '<annotation><filename>a.png</filename><object><name>Möbel</name>';
    const box =
      '<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object></annotation>';
    const coco = {
      images: [{ id: 1, file_name: 'a.png' }],
      categories: [{ id: 1, name: 'person ' }],
      annotations: [{ image_id: 1, category_id: 1, bbox: [1, 1, 5, 5] }],
    };
    const read = async (name: string, files: Readonly<Record<string, string | Buffer>>) => {
      mkdirSync(join(home, name));
      for (const [path, content] of Object.entries({ 'a.png': '', ...files }))
        writeFileSync(join(home, name, path), content);
      return (await readFolder(join(home, name))).classes;
    };
    expect(await read('truth', { 'a.txt': line, 'data.yaml': 'names: [off, on]\n' })).toEqual(['off', 'on']);
    expect(await read('darknet', { 'a.txt': line, '_darknet.labels': 'cat\n' })).toEqual(['cat']);
    expect(
      await read('marked', { 'a.txt': Buffer.from(`\ufeff${line}`, 'utf16le'), 'labels.txt': 'cat\n' }),
    ).toEqual(['cat']);
    const declared = `<?xml version="1.0" encoding="ISO-8859-1"?>${voc}${box}`;
    expect(await read('latin', { 'a.xml': Buffer.from(declared, 'latin1') })).toEqual(['Möbel']);
    expect(await read('blank', { 'a.json': JSON.stringify(coco) })).toEqual(['person ']);
  }, 120_000);

  it('is of YOLO what the validation reads: names nearest to the top, numbers as 0.0, no class beside names', async () => {
    const folder = join(home, 'yolo-names');
    const line = '0.5 0.5 0.2 0.2';
    const files: Readonly<Record<string, string>> = {
      'data.yaml': 'names: [cat, dog]\n',
      'old/data.yaml': 'names: [dog, cat]\n',
      'images/a.png': '',
      'labels/a.txt': `0.0 ${line}\n1 ${line}\n7 ${line}\n`,
    };
    const write = (root: string, given: Readonly<Record<string, string>>) => {
      for (const [path, text] of Object.entries(given)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
    };
    write(folder, files);
    const labels = ({ objects }: Read) => objects['images/a.png']?.map(([label]) => label);
    expect(labels(await readFolder(folder))).toEqual(['cat', 'dog']);
    const { 'data.yaml': _, 'old/data.yaml': __, ...bare } = files;
    write(join(home, 'yolo-bare'), bare);
    expect(labels(await readFolder(join(home, 'yolo-bare')))).toEqual(['0', '1', '7']);
  }, 120_000);
});
