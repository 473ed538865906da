import { describe, expect, it } from '@jest/globals';
import { CocoIndex } from '../../../web/src/datasets/annotations/coco-index';
import { maskPath, runMask } from '../../../web/src/shared/run-mask';
import { uprightSize } from '../../../web/src/datasets/annotations/upright';
import { colourOf, objectClasses } from '../../../web/src/shared/class-colours';
import { drawVoc, vocPaths } from '../../../web/src/datasets/annotations/voc-file';
import { drawYolo, labelPaths, yoloNames } from '../../../web/src/datasets/annotations/yolo-lines';

const coco = {
  images: [
    { id: 1, file_name: 'train/a.jpg', width: 200, height: 100 },
    { id: 2, file_name: 'b.jpg', width: 50, height: 50 },
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
    {
      image_id: 1,
      category_id: 9,
      bbox: [1, 2, 3, 4],
      iscrowd: 1,
      segmentation: { size: [2, 3], counts: [1, 2, 3] },
    },
  ],
};

describe('COCO objects over a picture', () => {
  const index = new CocoIndex();
  index.add('annotations/instances_train.json', coco);

  it('finds them by the end of the path and gives corners, outlines, masks and key points', () => {
    const drawing = index.find('data/train/a.jpg');
    expect(drawing).toMatchObject({ width: 200, height: 100, isWhole: true });
    expect(drawing?.objects[0]).toEqual({
      label: 'figure',
      box: [10, 20, 40, 60],
      polygons: [[0, 0, 10, 0, 10, 10]],
      mask: null,
      points: [[5, 6, true], [7, 8, false], null],
      skeleton: [[0, 1]],
      isCrowd: false,
    });
    expect(drawing?.objects[1]).toMatchObject({
      label: null,
      isCrowd: true,
      mask: { width: 3, height: 2, runs: [1, 2, 3] },
    });
    expect(index.find('data/train/b.jpg')?.objects).toEqual([]);
    expect(index.find('c.jpg')).toBeNull();
  });

  it('distinguishes pictures of one name by their folders, and shows what two files say of one only once', () => {
    const two = new CocoIndex();
    for (const part of ['train', 'val'])
      two.add(`${part}/_annotations.json`, {
        images: [{ id: 1, file_name: 'a.jpg' }],
        categories: [{ id: 1, name: part }],
        annotations: [{ image_id: 1, category_id: 1, bbox: [0, 0, 1, 1] }],
      });
    expect(two.find('val/a.jpg')?.objects.map(({ label }) => label)).toEqual(['val']);
    const twice = new CocoIndex();
    twice.add('boxes.json', coco);
    twice.add('again.json', {
      ...coco,
      annotations: coco.annotations.map(({ image_id, category_id, bbox }) => ({
        image_id,
        category_id,
        bbox,
      })),
    });
    expect(twice.find('train/a.jpg')?.objects).toHaveLength(2);
  });

  it('survives files that are not what they say', () => {
    const odd = new CocoIndex();
    for (const root of [
      null,
      5,
      [],
      { images: 'x' },
      { images: [{ file_name: 3 }], annotations: [{ image_id: 1, bbox: 'x' }] },
    ])
      odd.add('odd.json', root);
    expect(odd.find('a.jpg')).toBeNull();
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

describe('YOLO and Pascal VOC', () => {
  it('turns parts of the picture into pixels', () => {
    const names = new Map([[1, 'dog']]);
    expect(
      drawYolo('1 0.5 0.5 0.5 0.5\n\nx\n2 0.1 0.1 0.2 0.2', 'boxes', names, 200, 100).objects,
    ).toMatchObject([
      { label: 'dog', box: [50, 25, 150, 75] },
      { label: null, box: [0, 0, 40, 20] },
    ]);
    expect(drawYolo('0 0 0 1 0 1 1', 'outlines', null, 10, 20).objects[0]).toMatchObject({
      label: '0',
      polygons: [[0, 0, 10, 0, 10, 20]],
      box: [0, 0, 10, 20],
    });
    expect(drawYolo('0 .5 .5 1 1 .1 .2 2 0 0 0', 'points', null, 10, 10, 3).objects[0]?.points).toEqual([
      [1, 2, true],
      null,
    ]);
  });

  it('reads names of classes from plain YAML and leaves the rest', () => {
    expect(yoloNames('nc: 2\nnames:\n  0: cat\n  1: "big dog"\ntrain: x')).toEqual(
      new Map([
        [0, 'cat'],
        [1, 'big dog'],
      ]),
    );
    expect(yoloNames("names: ['a', b]")).toEqual(
      new Map([
        [0, 'a'],
        [1, 'b'],
      ]),
    );
    expect(yoloNames('names:\n- a\n- b\n')).toEqual(
      new Map([
        [0, 'a'],
        [1, 'b'],
      ]),
    );
    expect(yoloNames('train: x')).toBeNull();
  });

  it('knows where label files lie', () => {
    expect(labelPaths('set/images/train/1.tar.png')).toEqual([
      'set/labels/train/1.tar.txt',
      'set/images/train/1.tar.txt',
    ]);
    expect(labelPaths('1.png')).toEqual(['1.txt']);
    expect(vocPaths('v/JPEGImages/1.jpg')[0]).toBe('v/Annotations/1.xml');
  });

  it('reads boxes of Pascal VOC', () => {
    const xml =
      '<annotation><size><width>30</width><height>20</height></size><object><name>a &amp; b</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4.5</ymax></bndbox></object></annotation>';
    expect(drawVoc(xml)).toMatchObject({
      width: 30,
      height: 20,
      objects: [{ label: 'a & b', box: [1, 2, 3, 4.5] }],
    });
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
