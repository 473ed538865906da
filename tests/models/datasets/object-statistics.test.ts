import { describe, expect, it } from '@jest/globals';
import {
  annotationStats,
  type AnnotationFindings,
  taskClasses,
} from '../../../models/datasets/annotations/report/annotation-report.rules.js';
import { annotationWarnings } from '../../../models/datasets/annotations/report/annotation-warnings.rules.js';
import type { AnnotationEntry, AnnotationReading } from '../../../formats/annotations/annotation.types.js';
import { CocoReader } from '../../../formats/annotations/coco/coco-reader.js';
import { ObjectStatistics } from '../../../models/datasets/annotations/report/object-statistics.rules.js';
import { readYoloLabels } from '../../../formats/annotations/yolo/yolo-labels.js';

const NAMES = ['a', 'b'];
const BOX = { category_id: 0, bbox: [10, 10, 20, 20] };
const OUTLINE = [[10, 10, 30, 10, 30, 30]];
const MASK = { size: [80, 100], counts: [8000] };
const POINTS = [12, 12, 2];

function coco(objects: readonly object[]): AnnotationReading {
  const reader = new CocoReader();
  const file = {
    images: [{ id: 1, file_name: 'a.png' }],
    annotations: objects.map((one) => ({ image_id: 1, ...one })),
    categories: NAMES.map((name, id) => ({ id, name })),
  };
  reader.push(new TextEncoder().encode(JSON.stringify(file)));
  return reader.end('a.json') as AnnotationReading;
}

/** What files that all speak of one image of 100 x 80 pixels amount to. */
function findings(
  readings: readonly AnnotationReading[],
  poseValues: number | null = null,
): AnnotationFindings {
  const statistics = new ObjectStatistics(poseValues, NAMES);
  for (const [at, { facts, problem }] of readings.entries()) {
    if (facts === null) throw new Error(problem);
    const { objects } = [...facts.entries][0] as AnnotationEntry;
    const entry = {
      kind: facts.kind,
      path: `${at}.txt`,
      imagePath: 'a.png',
      split: null,
      width: 100,
      height: 80,
      isTurned: false,
      claimedWidth: null,
      claimedHeight: null,
      objects,
    };
    statistics.add(entry, (id) => NAMES[id] ?? null);
  }
  const none = { count: 0, examples: [] };
  const format = readings[0]?.facts?.kind === 'coco' ? 'coco' : 'yolo';
  const folderClasses = { shown: [], total: 0 };
  return {
    format,
    images: 1,
    statistics,
    matches: [],
    bare: none,
    empty: { objectsWithoutImage: 0, imagesWithoutObjects: 0 },
    orphans: 0,
    labelFiles: 0,
    partLists: { count: 0, examples: [] },
    texts: none,
    folderClasses,
    classFolders: null,
  };
}
const NEAR = { groups: 0, images: 0, leaked: 0, pairs: [], isComplete: true };
const codes = (found: AnnotationFindings) =>
  annotationWarnings(found, {
    exact: { groups: 0, images: 0, leaked: 0, examples: [], leakExamples: [] },
    near: NEAR,
    nearExamples: [],
    listed: { images: 0, examples: [] },
    contradicting: { images: 0, example: [] },
  });
/** Counts of `a` and `b` by task. */
const counts = (found: AnnotationFindings) =>
  Object.fromEntries(
    Object.entries(taskClasses(found)).map(([task, classes]) => [task, classes.map(({ count }) => count)]),
  );

describe('classes of a task', () => {
  it('count objects of COCO files that have an outline or mask for segmentation, and all for detection', () => {
    const found = findings([
      coco([
        { ...BOX, bbox: [1, 1, 5, 5] },
        { ...BOX, segmentation: [] },
        { ...BOX, category_id: 1, segmentation: OUTLINE },
      ]),
    ]);
    expect(taskClasses(found)).toEqual({
      instance_segmentation: [
        { name: 'a', count: 0 },
        { name: 'b', count: 1 },
      ],
      detection: [
        { name: 'a', count: 2 },
        { name: 'b', count: 1 },
      ],
    });
  });

  it('count objects with key points for pose', () => {
    const found = findings([
      coco([
        { ...BOX, keypoints: POINTS },
        { ...BOX, category_id: 1 },
        { ...BOX, category_id: 1, bbox: [1, 1, 2, 2], segmentation: MASK, keypoints: [] },
      ]),
    ]);
    expect(counts(found)).toEqual({ pose: [1, 0], instance_segmentation: [0, 1], detection: [1, 2] });
  });

  it('count an object once that several files give outlines and key points', () => {
    const found = findings([
      coco([BOX]),
      coco([{ ...BOX, segmentation: OUTLINE }]),
      coco([{ ...BOX, keypoints: POINTS, segmentation: MASK }]),
      coco([{ ...BOX, keypoints: POINTS, segmentation: OUTLINE }]),
    ]);
    expect(counts(found)).toEqual({ pose: [1, 0], instance_segmentation: [1, 0], detection: [1, 0] });
  });

  it('leave a task out that only objects of unlisted classes could serve', () => {
    expect(counts(findings([coco([BOX, { ...BOX, category_id: 7, segmentation: OUTLINE }])]))).toEqual({
      detection: [1, 0],
    });
    expect(counts(findings([coco([{ ...BOX, category_id: 7 }])]))).toEqual({});
  });

  it.each([
    ['boxes', '0 0.5 0.5 0.2 0.2\n0 0.4 0.4 0.1 0.1\n1 0.1 0.1 0.5 0.1 0.5 0.9', null, { detection: [2, 0] }],
    [
      'outlines',
      '0 0.1 0.1 0.5 0.1 0.5 0.9\n0 0.1 0.2 0.5 0.1 0.5 0.9 0.1 0.9\n1 0.5 0.5 0.2 0.2',
      null,
      { instance_segmentation: [2, 0], detection: [2, 1] },
    ],
    [
      'key points',
      '0 0.5 0.5 0.2 0.2 0.5 0.5 2\n1 0.5 0.5 0.2 0.2\n1 0.1 0.1 0.5 0.1 0.5 0.9',
      7,
      { pose: [1, 0], detection: [1, 1] },
    ],
    ['corners', '0 0.1 0.1 0.5 0.1 0.5 0.9 0.1 0.9\n1 0.5 0.5 0.2 0.2 0.5 0.5 2', null, { obb: [1, 0] }],
  ])('count YOLO lines that are written for it: %s', (_, lines, poseValues, expected) => {
    const found = findings([readYoloLabels(lines, 'a.txt')], poseValues);
    expect(counts(found)).toEqual(expected);
    // The report on all objects still counts each.
    expect((annotationStats(found) as { objects: number }).objects).toBe(lines.split('\n').length);
  });
});

describe('objects repeated within one file', () => {
  it('are named', () => {
    const found = findings([
      coco([BOX, { ...BOX, category_id: 1 }, BOX, { ...BOX, bbox: [10, 10, 20, 21] }, BOX]),
    ]);
    expect(annotationStats(found)).toMatchObject({
      objects: 5,
      repeated_objects: { count: 2, examples: ['a.png: object 3', 'a.png: object 5'] },
    });
    expect(codes(found)).toEqual([
      {
        code: 'repeated_objects',
        message: '2 objects are written more than once in their file, first a.png: object 3.',
        file_id: null,
      },
    ]);
    const lines = '0 0.1 0.1 0.5 0.1 0.5 0.9\n0 0.1 0.1 0.5 0.1 0.5 0.8\n0 0.1 0.1 0.5 0.1 0.5 0.9\n';
    expect(annotationStats(findings([readYoloLabels(lines, 'a.txt')]))).toMatchObject({
      repeated_objects: { count: 1, examples: ['a.png: object 3'] },
    });
  });

  it('are not those that other files repeat', () => {
    const found = findings([coco([BOX]), coco([BOX])]);
    expect(annotationStats(found)).toMatchObject({
      objects: 1,
      repeated_objects: { count: 0, examples: [] },
    });
    expect(codes(found)).toEqual([]);
  });
});

describe('annotations of an image that is stored lying', () => {
  /** An image of 80 x 100 pixels upright, annotated with a box that only fits upright or only lying. */
  function measured(box: readonly number[], claimed: readonly [number, number] | null, isTurned = true) {
    const [entry] = [...(coco([{ category_id: 0, bbox: box }]).facts?.entries ?? [])] as [AnnotationEntry];
    const statistics = new ObjectStatistics(null, NAMES);
    const [claimedWidth, claimedHeight] = claimed ?? [null, null];
    const image = {
      kind: 'coco' as const,
      path: 'a.json',
      imagePath: 'a.jpg',
      split: null,
      width: 80,
      height: 100,
      isTurned,
    };
    statistics.add(
      { ...image, claimedWidth, claimedHeight, objects: entry.objects },
      (id) => NAMES[id] ?? null,
    );
    return { outside: statistics.outside.count, otherSize: statistics.otherSize.examples };
  }
  const [tall, broad] = [
    [10, 10, 20, 85],
    [10, 10, 85, 20],
  ];

  it('are compared with the size that they state, upright or as stored, otherwise with the upright one', () => {
    const fits = { outside: 0, otherSize: [] };
    expect(measured(tall, [80, 100])).toEqual(fits);
    expect(measured(tall, null)).toEqual(fits);
    expect(measured(broad, [100, 80])).toEqual(fits);
    expect(measured(broad, [80, 100])).toEqual({ ...fits, outside: 1 });
    expect(measured(tall, [100, 80])).toEqual({ ...fits, outside: 1 });
    expect(measured(broad, null)).toEqual({ ...fits, outside: 1 });
  });

  it('are of another size where they state neither, or the image is stored upright', () => {
    expect(measured(tall, [90, 100]).otherSize).toEqual(['a.jpg: 80 x 100, annotated as 90 x 100']);
    expect(measured(broad, [100, 80], false)).toEqual({
      outside: 1,
      otherSize: ['a.jpg: 80 x 100, annotated as 100 x 80'],
    });
  });
});
