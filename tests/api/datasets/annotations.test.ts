import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { asTenantId } from '../../../core/security/ids.js';
import { findFrozenDataset } from '../../../models/datasets/catalog/frozen-dataset.queries.js';
import type { Manifest } from '../../../models/datasets/validation/manifest.types.js';
import { json, picture, settleAnnotated, text } from './support/annotated-dataset.js';
import type { DatasetKit } from './support/dataset-kit.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

describe('annotations of image datasets', () => {
  let lab: WorkingKit;
  let api: WorkingKit['api'];
  let kit: DatasetKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
    ({ api, kit } = lab);
  });
  afterAll(() => lab?.close());

  const settle = (name: string, files: Readonly<Record<string, Buffer>>) => settleAnnotated(lab, name, files);

  it('reports every way in which YOLO labels and images can miss each other', async () => {
    const train = await picture(1);
    const { id, body, stats, codes } = await settle('Yolo', {
      'data.yaml': text('path: .\ntrain: images/train\nval: images/val\nnames:\n  0: cat\n  1: dog\n'),
      'images/train/good.png': train,
      'labels/train/good.txt': text('0 0.5 0.5 0.5 0.5\n1 0.2 0.2 0.1 0.1\n'),
      'images/train/empty.png': await picture(2),
      'labels/train/empty.txt': text(''),
      'images/train/wild.png': await picture(3),
      'labels/train/wild.txt': text('7 0.5 0.5 0.1 0.1\n0 0.95 0.5 0.3 0.3\n1 0.5 0.5 0 0.2\n'),
      'images/train/bare.png': await picture(4),
      'images/train/bare.txt': text('0 0.5 0.5 0.5\n'),
      'images/train/notes.txt': text('0 0.5 0.5 0.5\n'),
      'labels/train/lonely.txt': text('0 0.5 0.5 0.5 0.5\n'),
      'images/train/Case.png': await picture(5),
      'labels/train/case.txt': text('0 0.5 0.5 0.5 0.5\n'),
      'images/train/twin.png': await picture(6),
      'images/train/twin.jpg': await sharp(await picture(7))
        .jpeg()
        .toBuffer(),
      'labels/train/twin.txt': text('0 0.5 0.5 0.5 0.5\n'),
      'images/val/same.png': train,
      'labels/val/same.txt': text('0 0.5 0.5 0.5 0.5\n'),
      'images/val/close.jpg': await sharp(train).resize(400, 200).jpeg({ quality: 70 }).toBuffer(),
      'labels/val/close.txt': text('1 0.5 0.5 0.001 0.001\n'),
    });
    expect(body).toMatchObject({
      status: 'FROZEN',
      annotation_format: 'yolo',
      tasks: ['detection'],
      manifest: {
        tasks: {
          detection: [
            { name: 'cat', count: 3 },
            { name: 'dog', count: 3 },
          ],
        },
        classes: [],
      },
    });
    expect(stats.annotations).toMatchObject({
      format: 'yolo',
      task: 'detection',
      objects: 7,
      objects_without_image: 3,
      matched: { count: 5 },
      match_rate: 0.5556,
      images_annotated: 5,
      images_without_annotation: {
        count: 4,
        examples: [
          'images/train/Case.png',
          'images/train/bare.png',
          'images/train/twin.jpg',
          'images/train/twin.png',
        ],
      },
      annotations_without_image: { count: 1, examples: ['labels/train/lonely.txt'] },
      case_mismatch: { count: 1, examples: ['labels/train/case.txt (there is images/train/Case.png)'] },
      ambiguous_stem: { count: 1, examples: ['labels/train/twin.txt'] },
      extension_mismatch: { count: 0, examples: [] },
      class_out_of_range: { count: 1, examples: ['images/train/wild.png: object 1 has class 7'] },
      boxes_outside_image: { count: 1, examples: ['images/train/wild.png: object 2'] },
      boxes_without_area: { count: 1, examples: ['images/train/wild.png: object 3'] },
      texts_beside_images: { count: 1, examples: ['images/train/bare.txt'] },
      images_without_objects: 1,
    });
    expect(stats.annotations.objects_by_class).toContainEqual({
      name: 'cat',
      train: 2,
      val: 1,
      test: 0,
      none: 0,
    });
    expect(stats.annotations.box_sizes).toMatchObject({
      small: 3,
      large: expect.any(Number),
      by_relative_area: expect.arrayContaining([{ below: 0.001, boxes: 1 }]),
    });
    expect(stats.duplicates).toMatchObject({
      exact: { groups: 1, images: 2, examples: [['images/train/good.png', 'images/val/same.png']] },
      near: { groups: 1, images: 2 },
    });
    expect(stats.leakage).toMatchObject({
      exact: { images: 1, examples: [['images/train/good.png', 'images/val/same.png']] },
      near: { images: 1, examples: [['images/train/good.png', 'images/val/close.jpg']] },
    });
    expect(stats.splits).toMatchObject({ train: { images: 7 }, val: { images: 2 } });
    expect(codes).toEqual(
      expect.arrayContaining([
        'images_without_annotation',
        'case_mismatch',
        'class_out_of_range',
        'boxes_outside_image',
        'texts_beside_images',
        'near_duplicate_images',
        'split_leakage',
      ]),
    );
    const found = await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) =>
      findFrozenDataset(tx, id),
    );
    expect(found).toMatchObject({
      format: 'yolo',
      classes: [],
      tasks: { detection: [{ name: 'cat' }, { name: 'dog' }] },
    });
  });

  it.each([
    {
      task: 'instance_segmentation',
      serves: ['detection', 'instance_segmentation'],
      yaml: 'names: [cat, dog]\n',
      // Outlines of three and four points; a box among them is an object too, but named.
      others: ['labels/train/a.txt: object 3 has 4 numbers after its class'],
      lines: ['0 0.1 0.1 0.6 0.1 0.6 0.6', '1 0.2 0.2 0.4 0.2 0.4 0.4 0.2 0.4', '1 0.5 0.5 0.2 0.2'],
      outside: '0 0.1 0.1 1.2 0.1 0.6 0.6',
    },
    {
      task: 'pose',
      serves: ['detection', 'pose'],
      others: [],
      yaml: 'kpt_shape: [2, 3]\nnames: [cat, dog]\n',
      lines: [
        '0 0.5 0.5 0.4 0.4 0.4 0.4 2 0.6 0.6 1',
        '1 0.5 0.5 0.2 0.2 0.4 0.4 2 0 0 0',
        '1 0.3 0.3 0.2 0.2 0.3 0.3 2 0.2 0.2 2',
      ],
      outside: '0 0.95 0.5 0.4 0.4 0.9 0.5 2 0.9 0.6 1',
    },
    {
      task: 'obb',
      serves: ['obb'],
      others: [],
      yaml: 'nc: 9\n',
      lines: [
        '0 0.5 0.1 0.9 0.5 0.5 0.9 0.1 0.5',
        '1 0.2 0.2 0.4 0.2 0.4 0.4 0.2 0.4',
        '1 0.5 0.5 0.7 0.5 0.7 0.7 0.5 0.7',
      ],
      outside: '0 0.5 0.1 1.3 0.5 0.5 0.9 0.1 0.5',
    },
  ])(
    'distinguishes YOLO labels for $task from others, measures them and states them in the manifest',
    async ({ task, serves, others, yaml, lines, outside }) => {
      const { body, stats, codes } = await settle(task, {
        'data.yaml': text(yaml),
        'classes.txt': text('cat\ndog\n'),
        'images/train/a.png': await picture(71),
        'labels/train/a.txt': text(`${lines.join('\n')}\n`),
        'images/val/b.png': await picture(72),
        'labels/val/b.txt': text(`${outside}\n`),
      });
      const classes = (served: string) => [
        { name: 'cat', count: 2 },
        // A box among outlines serves detection alone.
        { name: 'dog', count: served === 'instance_segmentation' ? 1 : 2 },
      ];
      expect(body).toMatchObject({ status: 'FROZEN', annotation_format: 'yolo' });
      expect([...body.tasks].sort()).toEqual(serves);
      expect(body.manifest.tasks).toEqual(
        Object.fromEntries(serves.map((served) => [served, classes(served)])),
      );
      expect(stats.annotations).toMatchObject({
        task,
        objects: 4,
        matched: { count: 2 },
        match_rate: 1,
        boxes_without_area: { count: 0 },
        boxes_outside_image: { count: 1, examples: ['images/val/b.png: object 1'] },
        class_out_of_range: { count: 0 },
        objects_of_other_kind: { count: others.length, examples: others },
      });
      expect(codes.includes('objects_of_other_kind')).toBe(others.length > 0);
    },
  );

  it('matches COCO files by name, folder and extension, and counts their objects', async () => {
    const images = [
      { id: 1, file_name: 'a.png', width: 200, height: 100 },
      { id: 2, file_name: 'b.jpg', width: 200, height: 100 },
      { id: 3, file_name: 'c.png', width: 640, height: 480 },
      { id: 4, file_name: 'gone.png', width: 200, height: 100 },
    ];
    const object = (id: number, image_id: number, bbox: number[], more = {}) => ({
      id,
      image_id,
      category_id: 3,
      bbox,
      area: 1,
      iscrowd: 0,
      ...more,
    });
    const { body, stats } = await settle('Coco', {
      'annotations/instances_train2017.json': json({
        info: { description: 'with "images": [ inside' },
        annotations: [
          object(1, 1, [10, 10, 50, 50], { segmentation: [[10, 10, 60, 10, 60, 60]] }),
          object(2, 1, [150, 50, 100, 20]),
          object(3, 2, [0, 0, 20, 20], {
            segmentation: { size: [100, 200], counts: [0, 400, 19_600] },
            iscrowd: 1,
          }),
          object(4, 3, [0, 0, 0, 20]),
          object(5, 99, [0, 0, 10, 20]),
          { ...object(6, 3, [5, 5, 5, 5]), category_id: 9 },
        ],
        images,
        categories: [{ id: 3, name: 'bolt' }],
      }),
      'train2017/a.png': await picture(11),
      'train2017/b.png': await picture(12),
      'train2017/c.png': await picture(13),
    });
    expect(body).toMatchObject({
      status: 'FROZEN',
      annotation_format: 'coco',
      tasks: ['detection', 'instance_segmentation'],
    });
    expect(stats.annotations).toMatchObject({
      matched: { count: 2 },
      extension_mismatch: {
        count: 1,
        examples: ['annotations/instances_train2017.json: b.jpg (there is train2017/b.png)'],
      },
      annotations_without_image: { count: 1, examples: ['annotations/instances_train2017.json: gone.png'] },
      objects_of_unlisted_images: 1,
      boxes_outside_image: { count: 1 },
      boxes_without_area: { count: 1 },
      class_out_of_range: { count: 1, examples: ['train2017/c.png: object 2 has class 9'] },
      image_size_mismatch: { count: 1, examples: ['train2017/c.png: 200 x 100, annotated as 640 x 480'] },
    });
  });

  it('reads Pascal VOC, and matches again without decoding images when asked', async () => {
    const voc = (file: string, name: string) =>
      text(
        `<?xml version="1.0"?><annotation><folder>x</folder><filename>${file}</filename><size><width>200</width><height>100</height><depth>3</depth></size><object><name>${name}</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>200</xmax><ymax>100</ymax></bndbox></object></annotation>`,
      );
    const { id, body, stats } = await settle('Voc', {
      'Annotations/a.xml': voc('a.png', 'cat &amp; dog'),
      'Annotations/b.xml': voc('b.png', 'bird'),
      'JPEGImages/a.png': await picture(21),
      // As phones store pictures: lying, to be turned by whoever shows them. Tools annotate them upright.
      'JPEGImages/b.png': await sharp(
        await sharp(await picture(22))
          .rotate(270)
          .toBuffer(),
      )
        .withMetadata({ orientation: 6 })
        .toBuffer(),
    });
    expect(body).toMatchObject({
      status: 'FROZEN',
      annotation_format: 'voc',
      tasks: ['detection'],
      manifest: {
        tasks: {
          detection: [
            { name: 'bird', count: 1 },
            { name: 'cat & dog', count: 1 },
          ],
        },
      },
    });
    expect(stats.annotations).toMatchObject({
      matched: { count: 2 },
      match_rate: 1,
      boxes_outside_image: { count: 0 },
      image_size_mismatch: { count: 0 },
    });
    const before = await kit.query<{ at: string }>(
      "select f.updated_at::text as at from dataset_file f join dataset d on d.id = f.dataset_id where d.key = $1 and f.kind = 'image' order by f.path",
      [id],
    );
    const again = await kit.call('POST', `/${id}/revalidate-annotations`);
    expect(again).toMatchObject({
      status: 200,
      body: {
        status: 'FROZEN',
        digest: body.digest,
        validation: { stats: { annotations: { match_rate: 1 } } },
      },
    });
    expect(again.body.validation.checked_at).not.toBe(body.validation.checked_at);
    await expect(
      kit.query(
        "select f.updated_at::text as at from dataset_file f join dataset d on d.id = f.dataset_id where d.key = $1 and f.kind = 'image' order by f.path",
        [id],
      ),
    ).resolves.toEqual(before);
    expect((await kit.call('POST', '/no-such/revalidate-annotations')).status).toBe(404);
    const image = (await kit.call('GET', `/${id}/files?q=a.png`)).body.items[0].id;
    await kit.call('DELETE', `/${id}/files/${image}`);
    expect((await kit.settled(id)).validation.stats.annotations).toMatchObject({
      matched: { count: 1 },
      annotations_without_image: { count: 1 },
    });
  });

  it('takes folders as classes, also below the parts of the dataset', async () => {
    const files: Record<string, Buffer> = {};
    for (const [at, part] of ['train', 'train', 'valid', 'test'].entries())
      for (const name of ['cats', 'dogs'])
        files[`pets/${part}/${name}/${at}.png`] = await picture(31 + 2 * at + (name === 'cats' ? 0 : 1));
    const parted = await settle('Parted', files);
    expect(parted.body).toMatchObject({
      annotation_format: 'class_folders',
      tasks: ['classification'],
      manifest: {
        classes: [
          { name: 'cats', count: 4 },
          { name: 'dogs', count: 4 },
        ],
      },
    });
    expect(parted.stats.splits).toEqual({
      train: { images: 4, classes: { cats: 2, dogs: 2 } },
      val: { images: 2, classes: { cats: 1, dogs: 1 } },
      test: { images: 2, classes: { cats: 1, dogs: 1 } },
    });
    const found = await api.container.db.inTenant(asTenantId(kit.tenant.id), (tx) =>
      findFrozenDataset(tx, parted.id),
    );
    const pieces: Buffer[] = [];
    for await (const piece of await api.container.objects.get(found?.manifestKey ?? ''))
      pieces.push(piece as Buffer);
    const manifest = JSON.parse(Buffer.concat(pieces).toString()) as Manifest;
    expect(manifest.files.filter(({ path }) => path.endsWith('cats/2.png'))).toMatchObject([
      { path: 'pets/valid/cats/2.png', label: 'cats', split: 'val' },
    ]);
    const plain = await settle('Plain', {
      'test/1.png': await picture(41),
      'train/x/2.png': await picture(42),
      'other/3.png': await picture(43),
    });
    expect(plain.body.manifest.classes.map(({ name }: { name: string }) => name)).toEqual([
      'other',
      'test',
      'train',
    ]);
    expect(plain.stats.splits).toBeNull();
  });

  it('takes parts from lists of images, also of many lines', async () => {
    const { id, body, stats } = await settle('Listed', {
      'data.yaml': text('train: train.txt\nval: val.txt\nnames: [cat]\n'),
      'train.txt': text(
        `./pictures/a.png\n${Array.from({ length: 20_000 }, (_, n) => `./pictures/gone-${n}.png`).join('\n')}`,
      ),
      'val.txt': text('/content/ds/pictures/b.png\n'),
      'pictures/a.png': await picture(46),
      'pictures/a.txt': text('0 0.5 0.5 0.1 0.1\n'),
      'pictures/b.png': await picture(47),
    });
    expect(body).toMatchObject({ status: 'FROZEN', annotation_format: 'yolo' });
    expect(stats.splits).toMatchObject({ train: { images: 1 }, val: { images: 1 } });
    expect(stats.annotations).toMatchObject({
      images_annotated: 1,
      objects_by_class: [{ name: 'cat', train: 1, val: 0 }],
    });
    const message =
      '20000 lines of lists of images name none that is here, first train.txt: pictures/gone-0.png.';
    expect(body.validation.warnings).toContainEqual({
      code: 'listed_images_not_here',
      message,
      file_id: null,
    });
    // Answered after five seconds at the latest, whether or not a busy machine has come that far.
    expect((await kit.call('POST', `/${id}/revalidate-annotations`)).status).toBe(200);
    expect(await kit.settled(id)).toMatchObject({ status: 'FROZEN', digest: body.digest });
  });
});
