import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readAnnotation } from '../../../activities/datasets/annotation-reader.js';
import { reportAnnotations } from '../../../activities/datasets/annotation-reporter.js';
import { asTenantId, type TenantId } from '../../../core/security/ids.js';
import { type ReadAnnotation, replaceAnnotations } from '../../../models/datasets/annotations/annotation-facts.repository.js';
import { recognizeFile } from '../../../models/datasets/file-type.rules.js';
import { startTestApi, type TestApi } from '../../api/support/test-api.js';

/** An image by what its bytes are, or the text of an annotation file. */
type Content = { readonly image: string; readonly tones?: Buffer } | string;
/** @param tones of a picture with little in it: those have hash 0 here */
const image = (bytes: string, tones?: Buffer): Content => ({ image: bytes, ...(tones && { tones }) });
/** White with one dark pixel of 9 x 8. */
const speck = (at: number, level = 40): Buffer => Buffer.alloc(216, 250).fill(level, at * 3, at * 3 + 3);
const coco = (names: readonly string[], more: { objects?: readonly object[]; classes?: readonly string[] } = {}): string =>
  JSON.stringify({
    images: names.map((file_name, id) => ({ id, file_name })),
    annotations: more.objects ?? names.map((_, id) => ({ id, image_id: id, category_id: 0, bbox: [1, 1, 50, 50] })),
    categories: (more.classes ?? ['bolt']).map((name, id) => ({ id, name })),
  });
const LABEL = '0 0.5 0.5 0.5 0.5\n';
const NOT_HERE = 'names folders or lists of images of train, val or test that are not here, or hold no image';

describe('the report on images and their annotations', () => {
  let api: TestApi;
  let tenantId: TenantId;
  beforeAll(async () => {
    api = await startTestApi();
    tenantId = asTenantId((await api.addTenant()).id);
  });
  afterAll(() => api?.close());

  /** Adds files as their check leaves them. */
  async function add(id: string, files: Readonly<Record<string, Content>>): Promise<void> {
    const found: ReadAnnotation[] = [];
    const rows = Object.entries(files).map(([path, content]) => {
      const fileId = randomUUID();
      if (typeof content !== 'string') return { fileId, path, kind: 'image', bytes: content.image, tones: content.tones?.toString('hex') ?? null };
      const type = recognizeFile(Buffer.from(content), path);
      const facts = type.kind === 'annotation' ? readAnnotation(type, path, Buffer.from(content))?.facts : null;
      if (facts) found.push({ fileId, facts });
      return { fileId, path, kind: type.kind, bytes: content, tones: null };
    });
    await api.container.db.inTenant(tenantId, async (tx) => {
      await tx.execute(
        `insert into dataset_file (id, tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, status, width, height, added_revision, phash, tones)
         select i, $1, $2, p, s, 10, gen_random_uuid()::text, 'image/png', k, 'valid', 100, 100, 1, case when t is not null then 0 end, decode(t, 'hex')
         from unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[]) as f (i, p, s, k, t)`,
        [
          tenantId,
          id,
          rows.map((row) => row.fileId),
          rows.map((row) => row.path),
          rows.map((row) => createHash('sha256').update(row.bytes).digest('hex')),
          rows.map((row) => row.kind),
          rows.map((row) => row.tones),
        ],
      );
      await replaceAnnotations(tx, id, [], found);
    });
  }

  async function dataset(files: Readonly<Record<string, Content>>): Promise<string> {
    const id = randomUUID();
    await api.container.db.inTenant(tenantId, (tx) => tx.execute("insert into dataset (id, tenant_id, key, name) values ($1, $2, $3, 'Report')", [id, tenantId, `report-${id}`]));
    await add(id, files);
    return id;
  }
  const remove = (id: string, path: string) =>
    api.container.db.inTenant(tenantId, (tx) => tx.execute('delete from dataset_file where tenant_id = $1 and dataset_id = $2 and path = $3', [tenantId, id, path]));
  const report = async (id: string) => {
    const { stats, ...rest } = await reportAnnotations(api.container.db, tenantId, id, new AbortController().signal);
    // biome-ignore lint/suspicious/noExplicitAny: the figures are read by many paths
    return { ...rest, stats: stats as Record<string, any>, codes: rest.warnings.map(({ code }) => code) };
  };

  describe('finds the parts of a dataset whatever came first', () => {
    it('labels after images that were frozen without them', async () => {
      const id = await dataset({ 'images/train/a.png': image('same'), 'images/val/b.png': image('same') });
      expect(await report(id)).toMatchObject({ format: 'class_folders', splits: {} });
      await add(id, { 'labels/train/a.txt': LABEL, 'labels/val/b.txt': LABEL, 'data.yaml': 'names: [cat]\n' });
      const { stats, splits, codes } = await report(id);
      expect(splits).toEqual({ train: 1, val: 1 });
      expect(stats).toMatchObject({ splits: { train: { images: 1 }, val: { images: 1 } }, leakage: { exact: { images: 1 } } });
      expect(codes).toContain('split_leakage');
    });

    it('a COCO file after the images beside it', async () => {
      const id = await dataset({ 'train/x.jpg': image('x'), 'valid/y.jpg': image('y') });
      await report(id);
      await add(id, { 'train/_annotations.coco.json': coco(['x.jpg']), 'valid/_annotations.coco.json': coco(['y.jpg']) });
      expect(await report(id)).toMatchObject({ format: 'coco', splits: { train: 1, val: 1 } });
    });

    it('a stray image that came and went', async () => {
      const id = await dataset({ 'train/cats/1.png': image('1'), 'test2024/cats/2.png': image('2'), 'stray.png': image('3') });
      expect(await report(id)).toMatchObject({ splits: {}, tasks: {} });
      await remove(id, 'stray.png');
      expect(await report(id)).toMatchObject({ splits: { train: 1, test: 1 }, tasks: { classification: [{ name: 'cats', count: 2 }] } });
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
      listed: { images: 1, examples: [['images/b.png', 'annotations/instances_train.json', 'annotations/instances_val.json']] },
    });
    expect(warnings).toContainEqual({ code: 'split_leakage', message: expect.stringMatching(/^2 images/), file_id: null });
    // Nothing of the files stays with the images.
    await remove(id, 'annotations/instances_val.json');
    expect(await report(id)).toMatchObject({ splits: { train: 2 }, stats: { leakage: { exact: { images: 0 }, listed: { images: 0 } } } });
  });

  it('takes them from the folders that a YOLO configuration names', async () => {
    const id = await dataset({
      'data.yaml': 'path: ../sets\ntrain: [pictures/day, pictures/night/]\nval: ./pictures/night/held\ntest: test.txt\nnames: [cat]\n',
      'pictures/day/1.png': image('1'),
      'pictures/day/1.txt': LABEL,
      'pictures/night/2.png': image('2'),
      'pictures/night/held/3.png': image('1'),
      'pictures/night/val/4.png': image('4'),
      'pictures/days/5.png': image('5'),
    });
    expect(await report(id)).toMatchObject({ splits: { train: 2, val: 2 }, stats: { splits: { none: { images: 1 } }, leakage: { exact: { images: 1 } } } });
  });

  it('takes them from folders of another machine whose ending is here, and names those that are not', async () => {
    const files = { 'up/first/images/1.png': image('1'), 'up/first/labels/1.txt': LABEL, 'up/second/images/2.png': image('2'), 'up/third/images/3.png': image('3') };
    const of = async (config: string) => report(await dataset({ ...files, 'data.yaml': `${config}\nnames: [cat]\n` }));
    for (const root of ['/content/ds', 'C:/ds', 'D:\\work\\ds']) {
      const found = await of(`path: /content\ntrain: ${root}/first/images\nval: ${root}/second/images`);
      expect(found.splits).toEqual({ train: 1, val: 1 });
      expect(found.codes).not.toContain('parts_not_here');
    }
    const lost = await of('train: /content/ds/day/images\nval: /content/ds/night/images');
    expect(lost.splits).toEqual({});
    const message = 'data.yaml names folders or lists of images of train, val or test that are not here, or hold no image (2): content/ds/day/images, content/ds/night/images.';
    expect(lost.warnings).toContainEqual({ code: 'parts_not_here', message, file_id: null });
  });

  it('names relative folders and lists of a YOLO configuration that are not here', async () => {
    const files = { 'up/images/day/1.png': image('1'), 'up/labels/day/1.txt': LABEL, 'up/images/night/2.png': image('2') };
    const of = async (config: string) => {
      const { warnings, splits } = await report(await dataset({ ...files, 'up/data.yaml': `${config}\nnames: [cat]\n` }));
      return { splits, told: warnings.filter(({ code }) => code.startsWith('part')).map(({ code, message }) => [code, message]) };
    };
    expect(await of('path: ../sets/coco8\ntrain: images/day\nval: ../images/night\ntest:')).toEqual({ splits: { train: 1, val: 1 }, told: [] });
    expect(await of('path: ../sets/coco8\ntrain: images/dawn\nval: ["images/night", "images/dusk"]')).toEqual({
      splits: { val: 1 },
      told: [['parts_not_here', `up/data.yaml ${NOT_HERE} (2): images/dawn, images/dusk.`]],
    });
    expect((await of('train: images/day\nval: val.txt')).told).toEqual([['parts_not_here', `up/data.yaml ${NOT_HERE} (1): val.txt.`]]);
  });

  describe('takes them from lists of images that a YOLO configuration names', () => {
    const IMAGES = Object.fromEntries(['1', '2', '3', '4'].map((name) => [`up/images/${name}.jpg`, image(name)]));
    const of = async (files: Readonly<Record<string, string>>) => {
      const id = await dataset({ ...IMAGES, 'up/labels/1.txt': LABEL, ...files });
      const { splits, stats, warnings } = await report(id);
      const told = warnings.filter(({ code }) => code.startsWith('part') || code.startsWith('listed')).map(({ message }) => message);
      return { id, splits, told, annotations: stats.annotations, leakage: stats.leakage.listed };
    };
    const CONFIG = 'train: train.txt\nval: val.txt\nnames: [cat]\n';

    it.each([
      ['beside the list', './images/'],
      ['from the root of the dataset', 'up/images/'],
      ['from the root of another machine', '/content/ds/images/'],
      ['from a drive of another machine', 'C:\\\\ds\\\\images\\\\'],
    ])('with paths %s', async (_, at) => {
      const { splits, told, annotations } = await of({ 'up/data.yaml': CONFIG, 'up/train.txt': `${at}1.jpg\r\n${at}2.jpg\n\n`, 'up/val.txt': `\uFEFF${at}3.jpg` });
      expect({ splits, told }).toEqual({ splits: { train: 2, val: 1 }, told: [] });
      // A list annotates nothing.
      expect(annotations).toMatchObject({
        images_annotated: 1,
        matched: { count: 1, examples: ['up/labels/1.txt'] },
        images_without_annotation: { count: 3 },
        images_without_objects: 0,
      });
    });

    it('before folders, and says what is listed twice or not here', async () => {
      const { id, splits, told, leakage } = await of({
        'up/data.yaml': 'train: train.txt\nval: [val.txt, more/val.txt]\ntest: images\nnames: [cat]\n',
        'up/train.txt': 'images/1.jpg\nimages/9.jpg\nimages/2.png\n',
        'up/val.txt': 'images/1.jpg\nimages/2.jpg\n',
        'up/more/val.txt': '../images/3.jpg\n',
        'other/train.txt': 'up/images/4.jpg\n',
      });
      expect(splits).toEqual({ train: 1, val: 2, test: 1 });
      expect(told).toEqual(['2 lines of lists of images name none that is here, first up/train.txt: images/9.jpg.']);
      expect(leakage).toEqual({ images: 1, examples: [['up/images/1.jpg', 'up/train.txt', 'up/val.txt']] });
      // Nothing of the lists stays with the images.
      await remove(id, 'up/val.txt');
      expect(await report(id)).toMatchObject({ splits: { train: 1, val: 1, test: 2 }, stats: { leakage: { listed: { images: 0 } } } });
    });

    it('and of no others', async () => {
      const { splits, told } = await of({ 'up/data.yaml': 'names: [cat]\n', 'up/train.txt': 'images/1.jpg\nimages/9.jpg\n' });
      expect({ splits, told }).toEqual({ splits: {}, told: [] });
    });
  });

  describe('finds the folders of classes', () => {
    const of = async (...paths: string[]) => {
      const id = await dataset(Object.fromEntries(paths.map((path) => [path, image(path)])));
      const { stats, tasks, splits, warnings } = await report(id);
      const found = { at: stats.annotations.class_folders, classes: tasks.classification?.map(({ name, count }) => `${name} ${count}`), splits };
      const unclear = warnings.filter(({ code }) => code === 'unclear_class_folders').map(({ message }) => message.split(/, so|:/)[0]);
      return unclear.length > 0 ? { ...found, unclear: unclear.join(' & ') } : found;
    };
    const BESIDE = 'Images lie beside folders with other images';
    const CHAIN = 'All images lie in one folder below others';
    const NO_CLASS = 'Images lie in folders named as parts of the dataset and in no folder of a class below them';
    const NAMED = 'lies beside folders named as parts of the dataset';
    const BELOW = 'Folders named as parts of the dataset lie below those of classes';
    const LAYOUT = 'Folders are taken for classes though they have the customary names of folders of images or annotations';

    it.each([
      [['rose/1.jpg', 'tulip/a/2.jpg'], { at: '<class>/', classes: ['rose 1', 'tulip 1'], splits: {} }],
      [['flowers/rose/1.jpg', 'flowers/rose/2.jpg', 'flowers/tulip/1.jpg'], { at: 'flowers/<class>/', classes: ['rose 2', 'tulip 1'], splits: {} }],
      [['\u00fc\u{1f339}/b/r/1.jpg', '\u00fc\u{1f339}/b/ro/x/1.jpg'], { at: '\u00fc\u{1f339}/b/<class>/', classes: ['r 1', 'ro 1'], splits: {} }],
      [['flowers/1.jpg', 'flowers/2.jpg'], { at: '<class>/', classes: ['flowers 2'], splits: {} }],
      [['flowers/1.jpg', 'top.jpg'], { at: '<class>/', classes: ['flowers 1'], splits: {} }],
      [
        ['vehicles/train/1.jpg', 'vehicles/plane/2.jpg'],
        { at: 'vehicles/<class>/', classes: ['plane 1', 'train 1'], splits: {}, unclear: `vehicles/plane/ ${NAMED} (vehicles/train/)` },
      ],
      [['train/rose/1.jpg', 'val/rose/2.jpg'], { at: '<part>/<class>/', classes: ['rose 2'], splits: { train: 1, val: 1 } }],
      [['train/rose/1.jpg', 'train/tulip/2.jpg'], { at: '<part>/<class>/', classes: ['rose 1', 'tulip 1'], splits: { train: 2 } }],
      [['a/b/train2017/rose/1.jpg', 'a/b/test/tulip/2.jpg'], { at: 'a/b/<part>/<class>/', classes: ['rose 1', 'tulip 1'], splits: { train: 1, test: 1 } }],
      [['a/train/images/rose/1.jpg', 'a/valid/images/tulip/2.jpg'], { at: 'a/<part>/images/<class>/', classes: ['rose 1', 'tulip 1'], splits: { train: 1, val: 1 } }],
      [['flowers/1.jpg', 'flowers/rose/2.jpg', 'flowers/tulip/3.jpg'], { at: '<class>/', classes: ['flowers 3'], splits: {}, unclear: BESIDE }],
      [['top.jpg', 'flowers/rose/2.jpg', 'flowers/tulip/3.jpg'], { at: '<class>/', classes: ['flowers 2'], splits: {}, unclear: BESIDE }],
      [['train/a/1.jpg', 'val/a/b/2.jpg'], { at: '<part>/<class>/', classes: ['a 2'], splits: { train: 1, val: 1 }, unclear: BESIDE }],
      [['data/rose/1.jpg', 'data/rose/2.jpg'], { at: '<class>/', classes: ['data 2'], splits: {}, unclear: CHAIN }],
      [['images/train/1.jpg', 'images/val/2.jpg'], { at: '<class>/', classes: ['images 2'], splits: {}, unclear: `${NO_CLASS} (images/train/1.jpg) & ${LAYOUT}` }],
      [['train/1.jpg', 'val/2.jpg'], { at: '<class>/', classes: ['train 1', 'val 1'], splits: {}, unclear: `${NO_CLASS} (train/1.jpg)` }],
      [['train/x/1.jpg', 'val/2.jpg'], { at: '<class>/', classes: ['train 1', 'val 1'], splits: {}, unclear: `${NO_CLASS} (val/2.jpg)` }],
      [['train/x/1.jpg', 'val/x/2.jpg', 'top.jpg'], { at: '<class>/', classes: ['train 1', 'val 1'], splits: {}, unclear: `top.jpg ${NAMED} (train/)` }],
      [['train/x/1.jpg', 'val/x/2.jpg', 'extra/x/3.jpg'], { at: '<class>/', classes: ['extra 1', 'train 1', 'val 1'], splits: {}, unclear: `extra/ ${NAMED} (train/)` }],
      [
        ['ds/train/x/1.jpg', 'ds/val/x/2.jpg', 'ds/other/3.jpg'],
        { at: 'ds/<class>/', classes: ['other 1', 'train 1', 'val 1'], splits: {}, unclear: `ds/other/ ${NAMED} (ds/train/)` },
      ],
      [['ds/train/x/1.jpg', 'ds/val/x/2.jpg', 'ds/3.jpg'], { at: '<class>/', classes: ['ds 3'], splits: {}, unclear: `ds/3.jpg ${NAMED} (ds/train/)` }],
      [['rose/train/1.jpg', 'rose/val/2.jpg', 'tulip/3.jpg'], { at: '<class>/', classes: ['rose 2', 'tulip 1'], splits: {}, unclear: `${BELOW} (rose/train/)` }],
      [['images/1.jpg', 'Masks/1.png'], { at: '<class>/', classes: ['Masks 1', 'images 1'], splits: {}, unclear: LAYOUT }],
      [['train/images/1.jpg', 'train/masks/1.png'], { at: '<part>/<class>/', classes: ['images 1', 'masks 1'], splits: { train: 2 }, unclear: LAYOUT }],
      [['images/rose/1.jpg', 'images/tulip/1.jpg'], { at: 'images/<class>/', classes: ['rose 1', 'tulip 1'], splits: {} }],
    ])('%j', async (paths, expected) => {
      expect(await of(...paths)).toEqual(expected);
    });
  });

  describe('says aloud', () => {
    const told = async (files: Readonly<Record<string, Content>>, code: string) =>
      (await report(await dataset(files))).warnings.filter((one) => one.code === code).map(({ message }) => message);

    it('that annotation files hold no object', async () => {
      const nothing = [expect.stringMatching(/^The annotation files hold no object, so there is nothing to train/)];
      const images = { 'rose/a.png': image('a'), 'tulip/b.png': image('b') };
      expect(await told({ ...images, 'a.json': coco(['rose/a.png'], { objects: [] }) }, 'no_objects')).toEqual(nothing);
      expect(await told({ ...images, 'data.yaml': 'names: [cat]\n', 'rose/a.txt': '' }, 'no_objects')).toEqual(nothing);
      expect(await told({ 'a.png': image('a'), 'a.txt': '' }, 'no_objects')).toEqual(nothing);
      expect(await told({ ...images, 'a.json': coco(['rose/c.png']) }, 'no_objects')).toEqual([]);
      expect(await told({ ...images, 'notes.txt': '' }, 'no_objects')).toEqual([]);
    });

    it('that the same bytes are of two classes', async () => {
      const files = { 'b/2.png': image('same'), 'c/1.png': image('same'), 'c/3.png': image('same'), 'a/4.png': image('twin'), 'a/5.png': image('twin') };
      expect(await told(files, 'contradicting_labels')).toEqual(['3 images have the same bytes as one of another class, first b/2.png and c/1.png.']);
      expect(await told({ 'train/a/1.png': image('same'), 'val/a/1.png': image('same') }, 'contradicting_labels')).toEqual([]);
    });

    it('that a part is empty because its images are named for an earlier one', async () => {
      const files = { 'pictures/1.png': image('1'), 'pictures/1.txt': LABEL, 'more/2.png': image('2'), 'all.txt': 'pictures/1.png\n' };
      const of = (config: string) => told({ ...files, 'data.yaml': `${config}\nnames: [cat]\n` }, 'empty_part');
      expect(await of('path: ../set\ntrain: pictures\nval: pictures/')).toEqual(['data.yaml names pictures for train and for val: it counts for train, so val is empty.']);
      expect(await of('train: all.txt\nval: all.txt')).toEqual(['data.yaml names all.txt for train and for val: it counts for train, so val is empty.']);
      expect(await of('train: pictures\nval: [pictures, more]')).toEqual([]);
    });

    it('that lists of Pascal VOC name no parts', async () => {
      const files = { 'JPEGImages/1.png': image('1'), 'ImageSets/Main/train.txt': '1\n', 'ImageSets/Main/cat_train.txt': '1  1\n', 'ImageSets/Main/val.txt': '' };
      const voc = '<annotation><filename>1.png</filename></annotation>';
      expect(await told({ ...files, 'Annotations/1.xml': voc }, 'part_lists_not_read')).toEqual([
        '2 lists of images in ImageSets are not read, so they name no part; put images and annotations into folders named train and val, first ImageSets/Main/train.txt.',
      ]);
      expect(await told(files, 'part_lists_not_read')).toEqual([]);
    });
  });

  it('matches names that very many images share by their folders, and calls no other entry ambiguous', async () => {
    const frames = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`clips/c${n}/frame.png`, image(String(n))]));
    const id = await dataset({
      ...frames,
      'clips/c7/twice/frame.png': image('x'),
      'clips/c7/twice/frame.jpg': image('y'),
      'all.json': coco(['c5/frame.png', 'old/clips/c6/Frame.png', 'c7/twice/frame.gif', 'c999/frame.png', 'frame.png', '/data/clips/c8/frame.png', 'c9/frame.jpg']),
    });
    const { annotations } = (await report(id)).stats;
    expect(annotations).toMatchObject({
      matched: { count: 2, examples: ['all.json: c5/frame.png', 'all.json: data/clips/c8/frame.png'] },
      case_mismatch: { count: 1, examples: ['all.json: old/clips/c6/Frame.png (there is clips/c6/frame.png)'] },
      extension_mismatch: { count: 1, examples: ['all.json: c9/frame.jpg (there is clips/c9/frame.png)'] },
      annotations_without_image: { count: 1, examples: ['all.json: c999/frame.png'] },
      ambiguous_stem: { count: 2, examples: ['all.json: c7/twice/frame.gif', 'all.json: frame.png'] },
    });
  });

  it('tells plain pictures apart by what lies where in them, and names those that leak', async () => {
    const id = await dataset({
      'train/a/1.png': image('1', speck(20)),
      'train/a/2.png': image('2', speck(50)),
      'train/a/3.png': image('3', speck(21)),
      'val/a/4.png': image('4', speck(50, 45)),
      'val/a/5.png': image('5', speck(71)),
    });
    expect((await report(id)).stats).toMatchObject({
      duplicates: { near: { groups: 1, images: 2, is_complete: true } },
      leakage: { near: { images: 1, examples: [['train/a/2.png', 'val/a/4.png']] } },
    });
  });

  it('counts images and objects of several COCO files once', async () => {
    const person = { id: 5, image_id: 0, category_id: 0, bbox: [10, 10, 20, 40] };
    const id = await dataset({
      'images/a.png': image('a'),
      'annotations/instances.json': coco(['a.png'], { objects: [person, { ...person, id: 6, bbox: [50, 50, 20, 20] }], classes: ['person'] }),
      'annotations/person_keypoints.json': coco(['a.png'], { objects: [{ ...person, keypoints: [12, 12, 2] }], classes: ['person'] }),
      'annotations/captions.json': coco(['a.png'], { objects: [{ id: 9, image_id: 0, caption: 'someone' }], classes: [] }),
    });
    const { stats, tasks } = await report(id);
    expect(stats.annotations).toMatchObject({
      task: 'pose',
      objects: 2,
      matched: { count: 1 },
      images_without_objects: 0,
      objects_by_class: [{ name: 'person', none: 2 }],
      box_sizes: { small: 2, medium: 0 },
    });
    expect(tasks.detection).toEqual([{ name: 'person', count: 2 }]);
  });

  it('knows the shape of key points where another file names the classes', async () => {
    const files = { 'images/a.png': image('a'), 'labels/a.txt': '0 0.5 0.5 0.4 0.4 0.4 0.4 0.6 0.6\n' };
    const id = await dataset({ ...files, 'data.yaml': 'kpt_shape: [2, 2]\nnc: 1\n', 'classes.txt': 'cat\n' });
    expect((await report(id)).tasks).toEqual({ pose: [{ name: 'cat', count: 1 }], detection: [{ name: 'cat', count: 1 }] });
    const apart = await dataset({ ...files, 'data.yaml': 'names: [cat]\n', 'sets/pose.yaml': 'kpt_shape: [2, 2]\n' });
    expect((await report(apart)).tasks).toHaveProperty('pose');
  });

  it('shows declared classes that have no object', async () => {
    const yolo = await dataset({ 'data.yaml': 'names: [cat, dog, bird]\n', 'images/a.png': image('a'), 'labels/a.txt': `${LABEL}1 0.5 0.5 0.2 0.2\n` });
    const { stats, tasks } = await report(yolo);
    expect(stats.annotations.objects_by_class).toContainEqual({ name: 'bird', train: 0, val: 0, test: 0, none: 0 });
    expect(tasks.detection).toEqual([
      { name: 'bird', count: 0 },
      { name: 'cat', count: 1 },
      { name: 'dog', count: 1 },
    ]);
    const files = await dataset({ 'images/a.png': image('a'), 'a.json': coco(['a.png'], { classes: ['bolt', 'nut'] }) });
    expect((await report(files)).tasks.detection).toContainEqual({ name: 'nut', count: 0 });
    const bare = await dataset({ 'data.yaml': 'names: [cat]\n', 'images/a.png': image('a'), 'labels/a.txt': '' });
    expect((await report(bare)).tasks).toEqual({});
  });
});
