import { describe, expect, it } from '@jest/globals';
import type {
  AnnotationEntry,
  AnnotationFileKind,
  AnnotationReading,
} from '../../../formats/annotations/annotation.types.js';
import { CocoReader } from '../../../formats/annotations/coco/coco-reader.js';
import { OBJECT_BYTES } from '../../../formats/annotations/packed-objects.js';
import { readVoc } from '../../../formats/annotations/voc/voc-annotation.js';
import { readYoloLabels } from '../../../formats/annotations/yolo/yolo-labels.js';
import { objectsOfImage } from '../../../models/datasets/annotations/entries/image-objects.rules.js';
import type { ImageEntry } from '../../../models/datasets/annotations/entries/image-objects.types.js';
import { toImageAnnotationsOut } from '../../../api/datasets/image-annotations.mapper.js';

const NAMES = ['cat', 'dog'];

function coco(...objects: object[]): AnnotationReading | null {
  const reader = new CocoReader();
  const file = {
    images: [{ id: 1, file_name: 'a.png' }],
    annotations: objects.map((one) => ({ image_id: 1, category_id: 0, ...one })),
    categories: NAMES.map((name, id) => ({ id, name })),
  };
  reader.push(new TextEncoder().encode(JSON.stringify(file)));
  return reader.end('a.json');
}
const yolo = (...lines: string[]) => readYoloLabels(lines.join('\n'), 'a.txt');

interface Reading {
  readonly most?: number;
  readonly poseValues?: number | null;
  /** Objects that are read of each entry. */
  readonly known?: number;
  readonly size?: readonly [width: number, height: number] | null;
  readonly turn?: number | null;
}

function read(
  readings: ReadonlyArray<AnnotationReading | null>,
  { most = 500, poseValues = null, known = most, size = [200, 100], turn = null }: Reading = {},
) {
  const entries = readings.map((reading, at): ImageEntry => {
    if (!reading?.facts) throw new Error(reading?.problem ?? 'no annotations');
    const { objects } = [...reading.facts.entries][0] as AnnotationEntry;
    return {
      ...{ fileId: `${at}`, path: `${at}.json`, sizeBytes: 10, seq: 0, turn },
      kind: reading.facts.kind as AnnotationFileKind,
      count: objects.length / OBJECT_BYTES,
      objects: objects.subarray(0, known * OBJECT_BYTES),
    };
  });
  const image = { imageId: 'i', width: size?.[0] ?? null, height: size?.[1] ?? null, entries };
  return objectsOfImage(image, () => (id) => NAMES[id] ?? null, poseValues, most);
}

describe('the objects of an image', () => {
  it('have boxes in its pixels, in every form of YOLO', () => {
    const { objects } = read([
      yolo('0 0.5 0.5 0.5 0.5', '1 0.1 0.2 0.5 0.2 0.5 0.6', '1 0.5 0.5 0.2 0.2 0.4 0.4 2', '7 0.5 0.5 1 1'),
    ]);
    expect(toImageAnnotationsOut({ images: [read([yolo()])], keypointShape: null }).items).toMatchObject([
      { file_id: 'i', width: 200, height: 100, objects: [], object_count: 0 },
    ]);
    expect(objects.map(({ box }) => box.map(Math.round))).toEqual([
      [50, 25, 150, 75],
      [20, 20, 100, 60],
      [80, 40, 120, 60],
      [0, 0, 200, 100],
    ]);
    expect(objects).toMatchObject([
      { label: 'cat', hasOutline: false, hasKeypoints: false },
      { label: 'dog', hasOutline: true, hasKeypoints: false },
      { label: 'dog', hasOutline: false, hasKeypoints: true },
      { label: null },
    ]);
  });

  it('are boxes with key points where a line has as many numbers as the dataset says', () => {
    const line = '0 0.5 0.5 0.5 0.5 0.1 0.2 0.3 0.4';
    expect(read([yolo(line)], { poseValues: 8 }).objects).toMatchObject([
      { box: [50, 25, 150, 75], hasOutline: false, hasKeypoints: true },
    ]);
    expect(read([yolo(line)]).objects).toMatchObject([{ hasOutline: true, hasKeypoints: false }]);
  });

  it('are counted and not drawn where parts are given of an image whose size nobody knows', () => {
    const found = read([yolo('0 0.5 0.5 0.5 0.5')], { size: null });
    expect(found).toMatchObject({ objects: [], total: 1, sources: [{ objects: [null] }] });
    expect(read([coco({ bbox: [1, 2, 3, 4] })], { size: null }).objects).toMatchObject([
      { box: [1, 2, 4, 6] },
    ]);
  });

  it('begin at pixel 0, as training counts, where VOC counts from 1', () => {
    const box = '<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>200</xmax><ymax>100</ymax></bndbox>';
    const voc = readVoc(`<annotation><object><name>x</name>${box}</object></annotation>`, 'a.xml');
    expect(read([voc]).objects).toMatchObject([{ box: [0, 0, 200, 100] }]);
  });

  it('are one where two files say the same, with what either has of it', () => {
    const found = read([
      coco(
        { bbox: [1, 1, 9, 9], segmentation: [[1, 1, 9, 1, 9, 9]] },
        { bbox: [2, 2, 5, 5] },
        { bbox: [2, 2, 5, 5] },
      ),
      coco({ bbox: [2, 2, 5, 5], category_id: 1 }, { bbox: [1, 1, 9, 9], keypoints: [3, 3, 2], iscrowd: 1 }),
    ]);
    expect(found.objects).toMatchObject([
      { label: 'cat', box: [1, 1, 10, 10], hasOutline: true, hasKeypoints: true, isCrowd: true },
      { label: 'cat', box: [2, 2, 7, 7] },
      { label: 'cat', box: [2, 2, 7, 7] },
      { label: 'dog', box: [2, 2, 7, 7] },
    ]);
    expect(found.sources.map(({ fileId, objects }) => [fileId, objects])).toEqual([
      ['0', [0, 1, 2]],
      ['1', [3, 0]],
    ]);
    expect(found.total).toBe(4);
  });

  it.each([
    [null, [[10, 20, 40, 60]]],
    [5, [[20, 10, 60, 40]]],
    [6, [[140, 10, 180, 40]]],
    [7, [[140, 60, 180, 90]]],
    [8, [[20, 60, 60, 90]]],
    [0, []],
  ])('are turned by orientation %s where their file states stored pixels', (turn, boxes) => {
    const found = read([coco({ bbox: [10, 20, 30, 40] })], { turn });
    expect(found.objects.map(({ box }) => box)).toEqual(boxes);
    expect([found.total, found.sources[0]?.isTurned]).toEqual([1, turn !== null]);
  });

  it('are left out beyond a number, and counted', () => {
    const lines = Array.from({ length: 5 }, (_, at) => `0 0.5 0.5 0.${at + 1} 0.5`);
    const found = read([yolo(...lines), yolo(...lines)], { most: 2, known: 3 });
    expect(found.objects).toHaveLength(2);
    expect(found.sources.map(({ objects }) => objects)).toEqual([
      [0, 1, null],
      [0, 1, null],
    ]);
    // What is not read is not compared.
    expect(found.total).toBe(7);
  });
});
