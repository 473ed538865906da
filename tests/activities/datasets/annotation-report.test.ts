import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Content, coco, image, LABEL, openReportKit, type ReportKit } from './support/report-kit.js';

/** White with one dark pixel of 9 x 8. */
const speck = (at: number, level = 40): Buffer => Buffer.alloc(216, 250).fill(level, at * 3, at * 3 + 3);

describe('the report on images and their annotations', () => {
  let kit: ReportKit;
  let api: ReportKit['api'];
  let tenantId: ReportKit['tenantId'];
  let dataset: ReportKit['dataset'];
  let report: ReportKit['report'];
  beforeAll(async () => {
    kit = await openReportKit();
    ({ api, tenantId, dataset, report } = kit);
  });
  afterAll(() => kit?.close());

  describe('says aloud', () => {
    const reported = async (files: Readonly<Record<string, Content>>, code: string) =>
      (await report(await dataset(files))).warnings
        .filter((one) => one.code === code)
        .map(({ message }) => message);

    it('that annotation files hold no object', async () => {
      const nothing = [
        expect.stringMatching(/^The annotation files hold no object, so there is nothing to train/),
      ];
      const images = { 'rose/a.png': image('a'), 'tulip/b.png': image('b') };
      expect(
        await reported({ ...images, 'a.json': coco(['rose/a.png'], { objects: [] }) }, 'no_objects'),
      ).toEqual(nothing);
      expect(
        await reported({ ...images, 'data.yaml': 'names: [cat]\n', 'rose/a.txt': '' }, 'no_objects'),
      ).toEqual(nothing);
      expect(await reported({ 'a.png': image('a'), 'a.txt': '' }, 'no_objects')).toEqual(nothing);
      expect(await reported({ ...images, 'a.json': coco(['rose/c.png']) }, 'no_objects')).toEqual([]);
      expect(await reported({ ...images, 'notes.txt': '' }, 'no_objects')).toEqual([]);
    });

    it('that the same bytes are of two classes', async () => {
      const files = {
        'b/2.png': image('same'),
        'c/1.png': image('same'),
        'c/3.png': image('same'),
        'a/4.png': image('twin'),
        'a/5.png': image('twin'),
      };
      expect(await reported(files, 'contradicting_labels')).toEqual([
        '3 images have the same bytes as one of another class, first b/2.png and c/1.png.',
      ]);
      expect(
        await reported(
          { 'train/a/1.png': image('same'), 'val/a/1.png': image('same') },
          'contradicting_labels',
        ),
      ).toEqual([]);
    });

    it('that a part is empty because its images are named for an earlier one', async () => {
      const files = {
        'pictures/1.png': image('1'),
        'pictures/1.txt': LABEL,
        'more/2.png': image('2'),
        'all.txt': 'pictures/1.png\n',
      };
      const of = (config: string) =>
        reported({ ...files, 'data.yaml': `${config}\nnames: [cat]\n` }, 'empty_part');
      expect(await of('path: ../set\ntrain: pictures\nval: pictures/')).toEqual([
        'data.yaml names pictures for train and for val: it counts for train, so val is empty.',
      ]);
      expect(await of('train: all.txt\nval: all.txt')).toEqual([
        'data.yaml names all.txt for train and for val: it counts for train, so val is empty.',
      ]);
      expect(await of('train: pictures\nval: [pictures, more]')).toEqual([]);
    });

    it('that lists of Pascal VOC name no parts', async () => {
      const files = {
        'JPEGImages/1.png': image('1'),
        'ImageSets/Main/train.txt': '1\n',
        'ImageSets/Main/cat_train.txt': '1  1\n',
        'ImageSets/Main/val.txt': '',
      };
      const voc = '<annotation><filename>1.png</filename></annotation>';
      expect(await reported({ ...files, 'Annotations/1.xml': voc }, 'part_lists_not_read')).toEqual([
        '2 lists of images in ImageSets are not read, so they name no part; put images and annotations into folders named train and val, first ImageSets/Main/train.txt.',
      ]);
      expect(await reported(files, 'part_lists_not_read')).toEqual([]);
    });
  });

  it('takes empty texts for no annotations where other files are', async () => {
    const empty = { 'notes.txt': '', 'a.txt': '', 'lists/b.txt': '' };
    const images = { 'a.png': image('a'), 'b.png': image('b') };
    const voc = '<annotation><filename>a.png</filename></annotation>';
    for (const [path, content] of [
      ['a.xml', voc],
      ['all.json', coco(['a.png'])],
    ] as const) {
      const id = await dataset({ ...images, [path]: content, ...empty });
      for (const pass of ['first', 'again'])
        expect({ pass, path, stats: (await report(id)).stats.annotations }).toMatchObject({
          pass,
          path,
          stats: {
            match_rate: 0.5,
            images_annotated: 1,
            matched: { count: 1, examples: [expect.stringMatching(`^${path}`)] },
            images_without_annotation: { count: 1, examples: ['b.png'] },
            annotations_without_image: { count: 0 },
            ambiguous_stem: { count: 0 },
          },
        });
    }
  });

  it('forgets what labels meant once files of another format are there instead of their lines', async () => {
    const id = await dataset({ 'a.png': image('a'), 'b.png': image('b'), 'a.txt': '', 'b.txt': LABEL });
    expect((await report(id)).stats.annotations).toMatchObject({ format: 'yolo', images_annotated: 2 });
    await kit.remove(id, 'b.txt');
    await kit.add(id, { 'b.xml': '<annotation><filename>b.png</filename></annotation>' });
    expect((await report(id)).stats.annotations).toMatchObject({
      format: 'voc',
      images_annotated: 1,
      images_without_annotation: { examples: ['a.png'] },
    });
  });

  it('matches names that very many images share by their folders, and calls no other entry ambiguous', async () => {
    const frames = Object.fromEntries(
      Array.from({ length: 120 }, (_, n) => [`clips/c${n}/frame.png`, image(String(n))]),
    );
    const id = await dataset({
      ...frames,
      'clips/c7/twice/frame.png': image('x'),
      'clips/c7/twice/frame.jpg': image('y'),
      'all.json': coco([
        'c5/frame.png',
        'old/clips/c6/Frame.png',
        'c7/twice/frame.gif',
        'c999/frame.png',
        'frame.png',
        '/data/clips/c8/frame.png',
        'c9/frame.jpg',
      ]),
    });
    const { annotations } = (await report(id)).stats;
    expect(annotations).toMatchObject({
      matched: { count: 2, examples: ['all.json: c5/frame.png', 'all.json: data/clips/c8/frame.png'] },
      case_mismatch: {
        count: 1,
        examples: ['all.json: old/clips/c6/Frame.png (there is clips/c6/frame.png)'],
      },
      extension_mismatch: { count: 1, examples: ['all.json: c9/frame.jpg (there is clips/c9/frame.png)'] },
      annotations_without_image: { count: 1, examples: ['all.json: c999/frame.png'] },
      ambiguous_stem: { count: 2, examples: ['all.json: c7/twice/frame.gif', 'all.json: frame.png'] },
    });
  });

  it('distinguishes plain pictures by what lies where in them, and names those that leak', async () => {
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

  it('compares no likenesses that were made in different ways, and says that some were not compared', async () => {
    const id = await dataset({
      'train/a/1.png': image('1', speck(20)),
      'val/a/2.png': image('2', speck(20, 45)),
    });
    await api.container.db.inTenant(tenantId, (tx) =>
      tx.execute(
        "update dataset_file set likeness_version = null where dataset_id = $1 and path like 'val/%'",
        [id],
      ),
    );
    expect((await report(id)).stats).toMatchObject({
      duplicates: { near: { groups: 0, images: 0, is_complete: false } },
      leakage: { near: { images: 0 } },
    });
  });

  it('counts images and objects of several COCO files once', async () => {
    const person = { id: 5, image_id: 0, category_id: 0, bbox: [10, 10, 20, 40] };
    const id = await dataset({
      'images/a.png': image('a'),
      'annotations/instances.json': coco(['a.png'], {
        objects: [person, { ...person, id: 6, bbox: [50, 50, 20, 20] }],
        classes: ['person'],
      }),
      'annotations/person_keypoints.json': coco(['a.png'], {
        objects: [{ ...person, keypoints: [12, 12, 2] }],
        classes: ['person'],
      }),
      'annotations/captions.json': coco(['a.png'], {
        objects: [{ id: 9, image_id: 0, caption: 'someone' }],
        classes: [],
      }),
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
    expect((await report(id)).tasks).toEqual({
      pose: [{ name: 'cat', count: 1 }],
      detection: [{ name: 'cat', count: 1 }],
    });
    const apart = await dataset({
      ...files,
      'data.yaml': 'names: [cat]\n',
      'sets/pose.yaml': 'kpt_shape: [2, 2]\n',
    });
    expect((await report(apart)).tasks).toHaveProperty('pose');
  });

  it('shows declared classes that have no object', async () => {
    const yolo = await dataset({
      'data.yaml': 'names: [cat, dog, bird]\n',
      'images/a.png': image('a'),
      'labels/a.txt': `${LABEL}1 0.5 0.5 0.2 0.2\n`,
    });
    const { stats, tasks } = await report(yolo);
    expect(stats.annotations.objects_by_class).toContainEqual({
      name: 'bird',
      train: 0,
      val: 0,
      test: 0,
      none: 0,
    });
    expect(tasks.detection).toEqual([
      { name: 'bird', count: 0 },
      { name: 'cat', count: 1 },
      { name: 'dog', count: 1 },
    ]);
    const files = await dataset({
      'images/a.png': image('a'),
      'a.json': coco(['a.png'], { classes: ['bolt', 'nut'] }),
    });
    expect((await report(files)).tasks.detection).toContainEqual({ name: 'nut', count: 0 });
    const bare = await dataset({
      'data.yaml': 'names: [cat]\n',
      'images/a.png': image('a'),
      'labels/a.txt': '',
    });
    expect((await report(bare)).tasks).toEqual({});
  });
});
