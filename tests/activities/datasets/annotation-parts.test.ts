import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { coco, image, LABEL, openReportKit, type ReportKit } from './support/report-kit.js';

const NOT_HERE = 'names folders or lists of images of train, val or test that are not here, or hold no image';

describe('the parts and classes of images in the report', () => {
  let kit: ReportKit;
  let add: ReportKit['add'];
  let dataset: ReportKit['dataset'];
  let remove: ReportKit['remove'];
  let report: ReportKit['report'];
  beforeAll(async () => {
    kit = await openReportKit();
    ({ add, dataset, remove, report } = kit);
  });
  afterAll(() => kit?.close());

  describe('finds the parts of a dataset whatever came first', () => {
    it('labels after images that were frozen without them', async () => {
      const id = await dataset({ 'images/train/a.png': image('same'), 'images/val/b.png': image('same') });
      expect(await report(id)).toMatchObject({ format: 'class_folders', splits: {} });
      await add(id, {
        'labels/train/a.txt': LABEL,
        'labels/val/b.txt': LABEL,
        'data.yaml': 'names: [cat]\n',
      });
      const { stats, splits, codes } = await report(id);
      expect(splits).toEqual({ train: 1, val: 1 });
      expect(stats).toMatchObject({
        splits: { train: { images: 1 }, val: { images: 1 } },
        leakage: { exact: { images: 1 } },
      });
      expect(codes).toContain('split_leakage');
    });

    it('a COCO file after the images beside it', async () => {
      const id = await dataset({ 'train/x.jpg': image('x'), 'valid/y.jpg': image('y') });
      await report(id);
      await add(id, {
        'train/_annotations.coco.json': coco(['x.jpg']),
        'valid/_annotations.coco.json': coco(['y.jpg']),
      });
      expect(await report(id)).toMatchObject({ format: 'coco', splits: { train: 1, val: 1 } });
    });

    it('an orphan image that came and went', async () => {
      const id = await dataset({
        'train/cats/1.png': image('1'),
        'test2024/cats/2.png': image('2'),
        'orphan.png': image('3'),
      });
      expect(await report(id)).toMatchObject({ splits: {}, tasks: {} });
      await remove(id, 'orphan.png');
      expect(await report(id)).toMatchObject({
        splits: { train: 1, test: 1 },
        tasks: { classification: [{ name: 'cats', count: 2 }] },
      });
    });
  });

  it('takes the parts of images from COCO files where no folder names one, and sees images in two of them', async () => {
    const id = await dataset({
      'images/a.png': image('a'),
      'images/b.png': image('b'),
      'images/c.png': image('c'),
      'images/twin.png': image('a'),
      'images/none.png': image('d'),
      'annotations/instances_train.json': coco(['a.png', 'b.png']),
      'annotations/instances_val.json': coco(['b.png', 'c.png', 'twin.png']),
    });
    const { stats, splits, warnings } = await report(id);
    expect(splits).toEqual({ train: 2, val: 2 });
    expect(stats.splits).toMatchObject({ none: { images: 1 } });
    expect(stats.leakage).toMatchObject({
      exact: { images: 1, examples: [['images/a.png', 'images/twin.png']] },
      listed: {
        images: 1,
        examples: [['images/b.png', 'annotations/instances_train.json', 'annotations/instances_val.json']],
      },
    });
    expect(warnings).toContainEqual({
      code: 'split_leakage',
      message: expect.stringMatching(/^2 images/),
      file_id: null,
    });
    // Nothing of the files stays with the images.
    await remove(id, 'annotations/instances_val.json');
    expect(await report(id)).toMatchObject({
      splits: { train: 2 },
      stats: { leakage: { exact: { images: 0 }, listed: { images: 0 } } },
    });
  });

  it('takes them from the folders that a YOLO configuration names', async () => {
    const id = await dataset({
      'data.yaml':
        'path: ../sets\ntrain: [pictures/day, pictures/night/]\nval: ./pictures/night/held\ntest: test.txt\nnames: [cat]\n',
      'pictures/day/1.png': image('1'),
      'pictures/day/1.txt': LABEL,
      'pictures/night/2.png': image('2'),
      'pictures/night/held/3.png': image('1'),
      'pictures/night/val/4.png': image('4'),
      'pictures/days/5.png': image('5'),
    });
    expect(await report(id)).toMatchObject({
      splits: { train: 2, val: 2 },
      stats: { splits: { none: { images: 1 } }, leakage: { exact: { images: 1 } } },
    });
  });

  it('takes them from folders of another machine whose ending is here, and names those that are not', async () => {
    const files = {
      'up/first/images/1.png': image('1'),
      'up/first/labels/1.txt': LABEL,
      'up/second/images/2.png': image('2'),
      'up/third/images/3.png': image('3'),
    };
    const of = async (config: string) =>
      report(await dataset({ ...files, 'data.yaml': `${config}\nnames: [cat]\n` }));
    for (const root of ['/content/ds', 'C:/ds', 'D:\\work\\ds']) {
      const found = await of(`path: /content\ntrain: ${root}/first/images\nval: ${root}/second/images`);
      expect(found.splits).toEqual({ train: 1, val: 1 });
      expect(found.codes).not.toContain('parts_not_here');
    }
    const lost = await of('train: /content/ds/day/images\nval: /content/ds/night/images');
    expect(lost.splits).toEqual({});
    const message =
      'data.yaml names folders or lists of images of train, val or test that are not here, or hold no image (2): content/ds/day/images, content/ds/night/images.';
    expect(lost.warnings).toContainEqual({ code: 'parts_not_here', message, file_id: null });
  });

  it('names relative folders and lists of a YOLO configuration that are not here', async () => {
    const files = {
      'up/images/day/1.png': image('1'),
      'up/labels/day/1.txt': LABEL,
      'up/images/night/2.png': image('2'),
    };
    const of = async (config: string) => {
      const { warnings, splits } = await report(
        await dataset({ ...files, 'up/data.yaml': `${config}\nnames: [cat]\n` }),
      );
      return {
        splits,
        reported: warnings
          .filter(({ code }) => code.startsWith('part'))
          .map(({ code, message }) => [code, message]),
      };
    };
    expect(await of('path: ../sets/coco8\ntrain: images/day\nval: ../images/night\ntest:')).toEqual({
      splits: { train: 1, val: 1 },
      reported: [],
    });
    expect(await of('path: ../sets/coco8\ntrain: images/dawn\nval: ["images/night", "images/dusk"]')).toEqual(
      {
        splits: { val: 1 },
        reported: [['parts_not_here', `up/data.yaml ${NOT_HERE} (2): images/dawn, images/dusk.`]],
      },
    );
    expect((await of('train: images/day\nval: val.txt')).reported).toEqual([
      ['parts_not_here', `up/data.yaml ${NOT_HERE} (1): val.txt.`],
    ]);
  });

  describe('takes them from lists of images that a YOLO configuration names', () => {
    const IMAGES = Object.fromEntries(
      ['1', '2', '3', '4'].map((name) => [`up/images/${name}.jpg`, image(name)]),
    );
    const of = async (files: Readonly<Record<string, string>>) => {
      const id = await dataset({ ...IMAGES, 'up/labels/1.txt': LABEL, ...files });
      const { splits, stats, warnings } = await report(id);
      const reported = warnings
        .filter(({ code }) => code.startsWith('part') || code.startsWith('listed'))
        .map(({ message }) => message);
      return { id, splits, reported, annotations: stats.annotations, leakage: stats.leakage.listed };
    };
    const CONFIG = 'train: train.txt\nval: val.txt\nnames: [cat]\n';

    it.each([
      ['beside the list', './images/'],
      ['from the root of the dataset', 'up/images/'],
      ['from the root of another machine', '/content/ds/images/'],
      ['from a drive of another machine', 'C:\\\\ds\\\\images\\\\'],
    ])('with paths %s', async (_, at) => {
      const { splits, reported, annotations } = await of({
        'up/data.yaml': CONFIG,
        'up/train.txt': `${at}1.jpg\r\n${at}2.jpg\n\n`,
        'up/val.txt': `\uFEFF${at}3.jpg`,
      });
      expect({ splits, reported }).toEqual({ splits: { train: 2, val: 1 }, reported: [] });
      // A list annotates nothing.
      expect(annotations).toMatchObject({
        images_annotated: 1,
        matched: { count: 1, examples: ['up/labels/1.txt'] },
        images_without_annotation: { count: 3 },
        images_without_objects: 0,
      });
    });

    it('before folders, and says what is listed twice or not here', async () => {
      const { id, splits, reported, leakage } = await of({
        'up/data.yaml': 'train: train.txt\nval: [val.txt, more/val.txt]\ntest: images\nnames: [cat]\n',
        'up/train.txt': 'images/1.jpg\nimages/9.jpg\nimages/2.png\n',
        'up/val.txt': 'images/1.jpg\nimages/2.jpg\n',
        'up/more/val.txt': '../images/3.jpg\n',
        'other/train.txt': 'up/images/4.jpg\n',
      });
      expect(splits).toEqual({ train: 1, val: 2, test: 1 });
      expect(reported).toEqual([
        '2 lines of lists of images name none that is here, first up/train.txt: images/9.jpg.',
      ]);
      expect(leakage).toEqual({ images: 1, examples: [['up/images/1.jpg', 'up/train.txt', 'up/val.txt']] });
      // Nothing of the lists stays with the images.
      await remove(id, 'up/val.txt');
      expect(await report(id)).toMatchObject({
        splits: { train: 1, val: 1, test: 2 },
        stats: { leakage: { listed: { images: 0 } } },
      });
    });

    it('and of no others', async () => {
      const { splits, reported } = await of({
        'up/data.yaml': 'names: [cat]\n',
        'up/train.txt': 'images/1.jpg\nimages/9.jpg\n',
      });
      expect({ splits, reported }).toEqual({ splits: {}, reported: [] });
    });
  });

  describe('finds the folders of classes', () => {
    const of = async (...paths: string[]) => {
      const id = await dataset(Object.fromEntries(paths.map((path) => [path, image(path)])));
      const { stats, tasks, splits, warnings } = await report(id);
      const found = {
        at: stats.annotations.class_folders,
        classes: tasks.classification?.map(({ name, count }) => `${name} ${count}`),
        splits,
      };
      const unclear = warnings
        .filter(({ code }) => code === 'unclear_class_folders')
        .map(({ message }) => message.split(/, so|:/)[0]);
      return unclear.length > 0 ? { ...found, unclear: unclear.join(' & ') } : found;
    };
    const BESIDE = 'Images lie beside folders with other images';
    const CHAIN = 'All images lie in one folder below others';
    const NO_CLASS =
      'Images lie in folders named as parts of the dataset and in no folder of a class below them';
    const NAMED = 'lies beside folders named as parts of the dataset';
    const BELOW = 'Folders named as parts of the dataset lie below those of classes';
    const LAYOUT =
      'Folders are taken for classes though they have the customary names of folders of images or annotations';

    it.each([
      [['rose/1.jpg', 'tulip/a/2.jpg'], { at: '<class>/', classes: ['rose 1', 'tulip 1'], splits: {} }],
      [
        ['flowers/rose/1.jpg', 'flowers/rose/2.jpg', 'flowers/tulip/1.jpg'],
        { at: 'flowers/<class>/', classes: ['rose 2', 'tulip 1'], splits: {} },
      ],
      [
        ['\u00fc\u{1f339}/b/r/1.jpg', '\u00fc\u{1f339}/b/ro/x/1.jpg'],
        { at: '\u00fc\u{1f339}/b/<class>/', classes: ['r 1', 'ro 1'], splits: {} },
      ],
      [['flowers/1.jpg', 'flowers/2.jpg'], { at: '<class>/', classes: ['flowers 2'], splits: {} }],
      [['flowers/1.jpg', 'top.jpg'], { at: '<class>/', classes: ['flowers 1'], splits: {} }],
      [
        ['vehicles/train/1.jpg', 'vehicles/plane/2.jpg'],
        {
          at: 'vehicles/<class>/',
          classes: ['plane 1', 'train 1'],
          splits: {},
          unclear: `vehicles/plane/ ${NAMED} (vehicles/train/)`,
        },
      ],
      [
        ['train/rose/1.jpg', 'val/rose/2.jpg'],
        { at: '<part>/<class>/', classes: ['rose 2'], splits: { train: 1, val: 1 } },
      ],
      [
        ['train/rose/1.jpg', 'train/tulip/2.jpg'],
        { at: '<part>/<class>/', classes: ['rose 1', 'tulip 1'], splits: { train: 2 } },
      ],
      [
        ['a/b/train2017/rose/1.jpg', 'a/b/test/tulip/2.jpg'],
        { at: 'a/b/<part>/<class>/', classes: ['rose 1', 'tulip 1'], splits: { train: 1, test: 1 } },
      ],
      [
        ['a/train/images/rose/1.jpg', 'a/valid/images/tulip/2.jpg'],
        { at: 'a/<part>/images/<class>/', classes: ['rose 1', 'tulip 1'], splits: { train: 1, val: 1 } },
      ],
      [
        ['flowers/1.jpg', 'flowers/rose/2.jpg', 'flowers/tulip/3.jpg'],
        { at: '<class>/', classes: ['flowers 3'], splits: {}, unclear: BESIDE },
      ],
      [
        ['top.jpg', 'flowers/rose/2.jpg', 'flowers/tulip/3.jpg'],
        { at: '<class>/', classes: ['flowers 2'], splits: {}, unclear: BESIDE },
      ],
      [
        ['train/a/1.jpg', 'val/a/b/2.jpg'],
        { at: '<part>/<class>/', classes: ['a 2'], splits: { train: 1, val: 1 }, unclear: BESIDE },
      ],
      [
        ['data/rose/1.jpg', 'data/rose/2.jpg'],
        { at: '<class>/', classes: ['data 2'], splits: {}, unclear: CHAIN },
      ],
      [
        ['images/train/1.jpg', 'images/val/2.jpg'],
        {
          at: '<class>/',
          classes: ['images 2'],
          splits: {},
          unclear: `${NO_CLASS} (images/train/1.jpg) & ${LAYOUT}`,
        },
      ],
      [
        ['train/1.jpg', 'val/2.jpg'],
        { at: '<class>/', classes: ['train 1', 'val 1'], splits: {}, unclear: `${NO_CLASS} (train/1.jpg)` },
      ],
      [
        ['train/x/1.jpg', 'val/2.jpg'],
        { at: '<class>/', classes: ['train 1', 'val 1'], splits: {}, unclear: `${NO_CLASS} (val/2.jpg)` },
      ],
      [
        ['train/x/1.jpg', 'val/x/2.jpg', 'top.jpg'],
        { at: '<class>/', classes: ['train 1', 'val 1'], splits: {}, unclear: `top.jpg ${NAMED} (train/)` },
      ],
      [
        ['train/x/1.jpg', 'val/x/2.jpg', 'extra/x/3.jpg'],
        {
          at: '<class>/',
          classes: ['extra 1', 'train 1', 'val 1'],
          splits: {},
          unclear: `extra/ ${NAMED} (train/)`,
        },
      ],
      [
        ['ds/train/x/1.jpg', 'ds/val/x/2.jpg', 'ds/other/3.jpg'],
        {
          at: 'ds/<class>/',
          classes: ['other 1', 'train 1', 'val 1'],
          splits: {},
          unclear: `ds/other/ ${NAMED} (ds/train/)`,
        },
      ],
      [
        ['ds/train/x/1.jpg', 'ds/val/x/2.jpg', 'ds/3.jpg'],
        { at: '<class>/', classes: ['ds 3'], splits: {}, unclear: `ds/3.jpg ${NAMED} (ds/train/)` },
      ],
      [
        ['rose/train/1.jpg', 'rose/val/2.jpg', 'tulip/3.jpg'],
        { at: '<class>/', classes: ['rose 2', 'tulip 1'], splits: {}, unclear: `${BELOW} (rose/train/)` },
      ],
      [
        ['images/1.jpg', 'Masks/1.png'],
        { at: '<class>/', classes: ['Masks 1', 'images 1'], splits: {}, unclear: LAYOUT },
      ],
      [
        ['train/images/1.jpg', 'train/masks/1.png'],
        { at: '<part>/<class>/', classes: ['images 1', 'masks 1'], splits: { train: 2 }, unclear: LAYOUT },
      ],
      [
        ['images/rose/1.jpg', 'images/tulip/1.jpg'],
        { at: 'images/<class>/', classes: ['rose 1', 'tulip 1'], splits: {} },
      ],
    ])('%j', async (paths, expected) => {
      expect(await of(...paths)).toEqual(expected);
    });
  });
});
