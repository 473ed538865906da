import { describe, expect, it } from '@jest/globals';
import { CocoFile } from '../../../web/src/datasets/annotations/coco-file';
import { byObject, drawingOf, hasOutlines } from '../../../web/src/datasets/annotations/drawing';
import { NO_OUTLINE } from '../../../web/src/datasets/annotations/drawn.types';
import { groupOf } from '../../../web/src/datasets/annotations/groups';
import { maskPath, runMask } from '../../../web/src/shared/run-mask';
import { uprightSize } from '../../../web/src/datasets/annotations/upright';
import { colourOf, objectClasses } from '../../../web/src/shared/class-colours';
import { yoloOutlines } from '../../../web/src/datasets/annotations/yolo-outlines';

const coco = {
  images: [
    { id: 1, file_name: 'train/a.jpg', width: 200, height: 100 },
    { id: '1', file_name: 'b.jpg', width: 50, height: 50 },
  ],
  categories: [{ id: 7, name: 'figure', skeleton: [[1, 2]] }],
  annotations: [
    {
      image_id: 1,
      category_id: 7,
      bbox: [10, 20, 30, 40],
      segmentation: [[0, 0, 10, 0, 10, 10]],
      keypoints: [5, 6, 2, 7, 8, 1, 0, 0, 0],
    },
    { image_id: 1, caption: 'a figure in front of a wall' },
    { image_id: 1, segments_info: [{ category_id: 7, bbox: [1, 1, 2, 2] }, { category_id: 7 }] },
    {
      image_id: 1,
      category_id: 9,
      bbox: [1, 2, 3, 4],
      iscrowd: 1,
      segmentation: { size: [2, 3], counts: [1, 2, 3] },
    },
  ],
};
const BARE = { has_outline: false, has_keypoints: false };

describe('outlines of COCO', () => {
  it('are those of an entry, one for each object that the validation reads there', () => {
    const file = new CocoFile(coco);
    expect(file.outlinesOf(0)).toEqual([
      {
        polygons: [[0, 0, 10, 0, 10, 10]],
        mask: null,
        points: [[5, 6, true], [7, 8, false], null],
        skeleton: [[0, 1]],
      },
      NO_OUTLINE,
      { ...NO_OUTLINE, mask: { width: 3, height: 2, runs: [1, 2, 3] } },
    ]);
    expect(file.outlinesOf(1)).toEqual([]);
    expect(file.outlinesOf(2)).toEqual([]);
  });

  it('survive files that are not what they say', () => {
    for (const root of [
      null,
      5,
      [],
      { images: 'x' },
      { images: [{ file_name: 3 }], annotations: [{ image_id: 1, bbox: 'x' }, 5] },
    ])
      expect(new CocoFile(root).outlinesOf(0)).toEqual([]);
  });
});

describe('the drawing of a picture', () => {
  const object = { label: 'figure', box: [1, 2, 3, 4], crowd: false };
  const source = {
    file_id: 'f',
    path: 'a.json',
    size_bytes: 9,
    format: 'coco' as const,
    entry: 0,
    turned: false,
  };
  const image = {
    ...{ file_id: 'i', width: 20, height: 10, object_count: 3 },
    objects: [
      { ...object, ...BARE },
      { ...object, has_outline: true, has_keypoints: true },
    ],
    sources: [
      { ...source, objects: [0, 1, null] },
      { ...source, objects: [1] },
    ],
  };
  const outline = { ...NO_OUTLINE, polygons: [[0, 0, 1, 0, 1, 1]] };
  const points = { ...NO_OUTLINE, points: [[1, 1, true] as const], skeleton: [[0, 0] as const] };
  const [first, second] = image.sources as [(typeof image.sources)[0], (typeof image.sources)[0]];

  it('has the boxes of the platform, and what files hold of each object', () => {
    const found = byObject([
      [first, [NO_OUTLINE, outline, outline]],
      [second, [points]],
    ]);
    expect(drawingOf(image, found)).toMatchObject({
      objects: [
        { box: [1, 2, 3, 4], polygons: [] },
        { polygons: outline.polygons, points: points.points, skeleton: points.skeleton },
      ],
      total: 3,
      size: { width: 20, height: 10 },
      isWhole: true,
    });
  });

  it('has boxes alone where nothing was read, and nothing of a file that has fewer objects', () => {
    expect(hasOutlines(image)).toBe(true);
    expect(drawingOf(image, null)).toMatchObject({ objects: [{ box: [1, 2, 3, 4] }, {}], isWhole: false });
    expect(byObject([[first, [outline, outline]]]).size).toBe(0);
    expect(drawingOf({ ...image, objects: [] }, null).isWhole).toBe(true);
  });

  it('has turned boxes where four corners are a box of the task, and outlines elsewhere', () => {
    const corners = { ...NO_OUTLINE, polygons: [[0, 0, 4, 1, 3, 5, -1, 4]] };
    const isTurned = (areTurned: boolean, found = corners) =>
      drawingOf(image, new Map([[0, found]]), areTurned).objects[0]?.isTurned;
    expect([isTurned(true), isTurned(false)]).toEqual([true, false]);
    expect(isTurned(true, { ...corners, polygons: [[0, 0, 4, 1, 3, 5]] })).toBe(false);
  });

  it('is asked for together with a hundred others of its page', () => {
    const page = Array.from({ length: 150 }, (_, at) => ({ id: `${at}` })) as never[];
    expect(groupOf(page, 99)).toBe(groupOf(page, 0));
    expect(groupOf(page, 0)).toHaveLength(100);
    expect([groupOf(page, 149).length, groupOf(page, 100)[0], groupOf([], 0)]).toEqual([50, '100', []]);
  });
});

describe('masks', () => {
  it('are read counted and compressed, and only where they fill their size', () => {
    expect(runMask([2, 3], [1, 2, 3])?.runs).toEqual([1, 2, 3]);
    // As COCO's mask API writes the runs 6, 1, 40, 4, 5, 4, 5, 4, 21 of a mask of 9 x 10.
    expect(runMask([9, 10], '61X13mN000`0')?.runs.slice(0, 3)).toEqual([6, 1, 40]);
    expect(runMask([2, 3], [1, 2])).toBeNull();
    expect(runMask([2], [2])).toBeNull();
    expect(runMask([2, 3], 'zzz')).toBeNull();
  });

  it('are read as pycocotools wrote them', () => {
    const counts = 'Pg05P16K4M2N2N2O0O2O000O2O00000001N10001N101N2N2N3L5J]8NhG0000000000000^2';
    const runs = runMask([40, 60], counts)?.runs ?? [];
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    expect(runs.slice(0, 5)).toEqual([736, 5, 32, 11, 27]);
    expect(runs.at(-1)).toBe(115);
    expect(sum(runs)).toBe(40 * 60);
    expect(sum(runs.filter((_, place) => place % 2 === 1))).toBe(505);
    expect(runMask([4, 5], 'd0')?.runs).toEqual([20]);
  });

  it('become strips, those of equal height joined', () => {
    expect(maskPath({ width: 3, height: 2, runs: [0, 6] })).toBe('M0 0H3V2H0Z');
    expect(maskPath({ width: 3, height: 2, runs: [1, 2, 3] })).toBe('M0 1H1V2H0ZM1 0H2V1H1Z');
    expect(maskPath({ width: 3, height: 2, runs: [6] })).toBe('');
    expect(maskPath({ width: 5, height: 4, runs: [4, 8, 8] })).toBe('M1 0H3V4H1Z');
    expect(maskPath({ width: 5, height: 4, runs: [2, 7, 11] })).toBe('M0 2H1V4H0ZM1 0H2V4H1ZM2 0H3V1H2Z');
  });
});

describe('outlines of YOLO', () => {
  const size = { width: 10, height: 20 };
  const [outline, points] = [
    { ...BARE, has_outline: true },
    { ...BARE, has_keypoints: true },
  ];

  it('are in pixels, in the forms that the validation found', () => {
    const lines = '1 0.5 0.5 0.5 0.5\n\n0 0 0 1 0 1 1\r\n0 .5 .5 1 1 .1 .2 2 0 0 0\n0 x 0 1 0 1 1';
    expect(yoloOutlines(lines, (at) => [BARE, outline, points, outline][at], size, [2, 3])).toEqual([
      NO_OUTLINE,
      { ...NO_OUTLINE, polygons: [[0, 0, 10, 0, 10, 20]] },
      { ...NO_OUTLINE, points: [[1, 4, true], null] },
      NO_OUTLINE,
    ]);
  });

  it('have points of as many numbers as the dataset says', () => {
    const line = '0 .5 .5 1 1 .1 .2 .3 .4 .5 .6';
    expect(yoloOutlines(line, () => points, size, [3, 2])[0]?.points).toHaveLength(3);
    expect(yoloOutlines(line, () => points, size, null)[0]?.points).toHaveLength(2);
    expect(yoloOutlines(line, () => undefined, size, null)).toEqual([NO_OUTLINE]);
  });
});

describe('the size of a picture', () => {
  it('is that of the upright one', () => {
    expect(uprightSize({ width: 600, height: 400 }, null)).toEqual({ width: 600, height: 400 });
    expect(uprightSize({ width: 600, height: 400 }, { width: 341, height: 512 })).toEqual({
      width: 400,
      height: 600,
    });
    expect(uprightSize({ width: 600, height: 400 }, { width: 512, height: 341 })).toEqual({
      width: 600,
      height: 400,
    });
    expect(uprightSize({ width: null, height: null }, { width: 5, height: 6 })).toEqual({
      width: 5,
      height: 6,
    });
  });

  it('gives each class one colour', () => {
    expect(colourOf('b', ['a', 'b'])).not.toBe(colourOf('a', ['a', 'b']));
    expect(colourOf('z', [])).toBe(colourOf('z', []));
  });

  it('takes the classes of the objects where pictures have classes of their own', () => {
    const [whole, objects] = [[{ name: 'street' }], [{ name: 'b' }, { name: 'a' }]];
    const manifest = { classes: whole, tasks: { detection: objects } };
    expect(objectClasses({ tasks: ['classification', 'detection'], manifest })).toEqual(['b', 'a']);
    expect(objectClasses({ tasks: ['classification'], manifest })).toEqual(['street']);
  });
});
