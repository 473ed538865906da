import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { json, picture, settleAnnotated, text } from './support/annotated-dataset.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

type Box = readonly [number, number, number, number];
interface Item {
  readonly file_id: string;
  readonly width: number;
  readonly height: number;
  readonly objects: ReadonlyArray<{ readonly label: string | null; readonly box: Box }>;
  readonly object_count: number;
  readonly sources: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

const coco = (
  images: readonly object[],
  ...boxes: ReadonlyArray<readonly [image: number, name: number, box: Box]>
) =>
  json({
    images,
    annotations: boxes.map(([image_id, category_id, bbox], id) => ({ id, image_id, category_id, bbox })),
    categories: ['cat', 'dog'].map((name, id) => ({ id, name })),
  });
/** Stored lying, to be turned by a quarter by whoever shows it: 100 x 200 upright. */
const turned = async (seed: number) =>
  sharp(await picture(seed))
    .withMetadata({ orientation: 6 })
    .toBuffer();

describe('annotations of images', () => {
  let lab: WorkingKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
  });
  afterAll(() => lab?.close());

  const idsOf = async (id: string): Promise<Readonly<Record<string, string>>> => {
    const { body } = await lab.kit.call('GET', `/${id}/files?page_size=200`);
    return Object.fromEntries(body.items.map((file: { path: string; id: string }) => [file.path, file.id]));
  };
  /** By path of the image. */
  const read = async (id: string): Promise<Readonly<Record<string, Item>>> => {
    const ids = await idsOf(id);
    const { status, body } = await lab.kit.call('GET', `/${id}/annotations?file_ids=${Object.values(ids)}`);
    expect(status).toBe(200);
    expect(body.items.map(({ file_id }: Item) => file_id)).toEqual(Object.values(ids));
    return Object.fromEntries(Object.keys(ids).map((path, at) => [path, body.items[at]]));
  };
  const labelled = ({ objects }: Item) => objects.map(({ label, box }) => [label, ...box]);

  it('are those of its own part where parts share names of files', async () => {
    const named = (name: string) => [
      { id: 1, file_name: 'other.png' },
      { id: 5, file_name: name },
    ];
    const { id } = await settleAnnotated(lab, 'Twins', {
      'images/train/0001.png': await picture(1),
      'images/val/0001.png': await picture(2),
      'annotations/instances_train.json': coco(named('0001.png'), [5, 0, [10, 20, 30, 40]]),
      'annotations/instances_val.json': coco(named('0001.png'), [5, 1, [1, 2, 3, 4]]),
    });
    const found = await read(id);
    expect(labelled(found['images/train/0001.png'] as Item)).toEqual([['cat', 10, 20, 40, 60]]);
    expect(labelled(found['images/val/0001.png'] as Item)).toEqual([['dog', 1, 2, 4, 6]]);
    const ids = await idsOf(id);
    expect(found['images/val/0001.png']?.sources).toEqual([
      {
        file_id: ids['annotations/instances_val.json'],
        path: 'annotations/instances_val.json',
        ...{ format: 'coco', entry: 1, turned: false, objects: [0], size_bytes: expect.any(Number) },
      },
    ]);
    expect(found['annotations/instances_val.json']).toMatchObject({ objects: [], sources: [] });
  });

  it('are in pixels of the upright image, whatever size their file states', async () => {
    const { id, codes } = await settleAnnotated(lab, 'Sizes', {
      'turned.png': await turned(3),
      'halved.png': await picture(4),
      'boxes.json': coco(
        [
          { id: 1, file_name: 'turned.png', width: 200, height: 100 },
          { id: 2, file_name: 'halved.png', width: 400, height: 200 },
        ],
        [1, 0, [110, 10, 60, 30]],
        [2, 1, [20, 20, 100, 50]],
      ),
    });
    expect(codes).toContain('image_size_mismatch');
    const found = await read(id);
    expect(found['turned.png']).toMatchObject({
      width: 100,
      height: 200,
      // Turned to the right: what was at the top is at the right.
      objects: [{ box: [60, 110, 90, 170] }],
      sources: [{ turned: true }],
    });
    expect(found['halved.png']).toMatchObject({
      width: 200,
      height: 100,
      objects: [{ box: [20, 20, 120, 70] }],
    });
  });

  it.each([
    ['data.yml', 'names: [cat, dog]\n', 'dog'],
    ['classes.txt', 'cat\ndog\n', 'dog'],
    ['obj.names', 'cat\ndog\n', 'dog'],
    ['data.yaml', 'nc: 2\n', 'class_1'],
  ])('of YOLO have the names of %s, also in flat folders of many files', async (file, names, name) => {
    const labels = Array.from({ length: 12 }, (_, at) => at);
    const files: Record<string, Buffer> = { [file]: text(names), 'turned.png': await turned(5) };
    for (const at of labels) {
      files[`${at}.png`] = await picture(50 + at);
      files[`${at}.txt`] = text(`1 0.5 0.5 0.5 0.0${at + 1}\n`);
    }
    files['turned.txt'] = text('0 0.25 0.25 0.5 0.5\n');
    const { id, body } = await settleAnnotated(lab, `Yolo ${file}`, files);
    expect(body.annotation_format).toBe('yolo');
    const found = await read(id);
    expect(found['3.png']).toMatchObject({
      objects: [{ label: name, box: [50, 48, 150, 52] }],
      sources: [{ path: '3.txt', format: 'yolo', entry: 0, objects: [0] }],
    });
    expect(found['turned.png']).toMatchObject({
      width: 100,
      height: 200,
      objects: [{ box: [0, 0, 50, 100] }],
    });
  });

  it('of VOC follow the name that the file states', async () => {
    const box = '<bndbox><xmin>11</xmin><ymin>21</ymin><xmax>40</xmax><ymax>60</ymax></bndbox>';
    const { id } = await settleAnnotated(lab, 'Voc', {
      'JPEGImages/street.png': await picture(71),
      'Annotations/000007.xml': text(
        `<annotation><filename>street.png</filename><object><name>car</name>${box}</object></annotation>`,
      ),
    });
    expect((await read(id))['JPEGImages/street.png']).toMatchObject({
      objects: [{ label: 'car', box: [10, 20, 40, 60], has_outline: false, crowd: false }],
      sources: [{ path: 'Annotations/000007.xml', format: 'voc' }],
    });
  });

  it('are as the last validation left them: none before it, the first 500 of many', async () => {
    const draft = await lab.kit.draft('Fresh');
    const image = (await lab.kit.upload(draft, 'a.png', await picture(81))).body.id as string;
    const asked = () => lab.kit.call('GET', `/${draft}/annotations?file_ids=${image}`);
    expect((await asked()).body).toMatchObject({
      items: [{ file_id: image, objects: [], object_count: 0, sources: [] }],
      keypoint_shape: null,
    });
    await lab.kit.upload(draft, 'a.txt', text('0 0.5 0.5 0.5 0.5\n'.repeat(510)));
    await lab.kit.settled(draft);
    const [item] = (await asked()).body.items as [Item];
    expect([item.object_count, item.objects.length]).toEqual([510, 500]);
    const added = (await lab.kit.upload(draft, 'b.png', await picture(82))).body.id as string;
    const both = await lab.kit.call('GET', `/${draft}/annotations?file_ids=${added},${image}`);
    expect(both.body.items.map((one: Item) => [one.file_id, one.object_count])).toEqual([
      [added, 0],
      [image, 510],
    ]);
  });

  it('are read for files of the dataset alone, at most 100', async () => {
    const [one, other] = [await lab.kit.draft('One'), await lab.kit.draft('Other')];
    const file = (await lab.kit.upload(other, 'a.png', await picture(91))).body.id as string;
    const ask = (id: string, ids: string) => lab.kit.call('GET', `/${id}/annotations?file_ids=${ids}`);
    expect((await ask(one, `${file},${randomUUID()}`)).body.items).toEqual([]);
    expect((await ask(other, `${file},${file.toUpperCase()}`)).body.items).toMatchObject([{ file_id: file }]);
    const ids = (count: number) => Array.from({ length: count }, () => randomUUID()).join();
    expect((await ask(one, ids(100))).status).toBe(200);
    for (const refused of [ids(101), '', 'a', `${file},`]) expect((await ask(one, refused)).status).toBe(422);
    expect((await ask('no-such', file)).status).toBe(404);
  });
});
