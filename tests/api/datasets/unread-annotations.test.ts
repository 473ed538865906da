import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json, picture, settleAnnotated, text } from './support/annotated-dataset.js';
import type { DatasetKit } from './support/dataset-kit.js';
import { openWorkingKit, type WorkingKit } from './support/open-dataset-kit.js';

describe('annotation files that cannot be used', () => {
  let lab: WorkingKit;
  let kit: DatasetKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
    ({ kit } = lab);
  });
  afterAll(() => lab?.close());

  const settle = (name: string, files: Readonly<Record<string, Buffer>>) => settleAnnotated(lab, name, files);

  it('names formats that are not read, and counts the boxes of panoptic segments', async () => {
    const labelMe = json({
      version: '5.4.1',
      flags: {},
      shapes: [{ label: 'cat', points: [[1, 2]] }],
      imagePath: 'a.png',
    });
    const { id, body, stats } = await settle('Unread', {
      'images/a.png': await picture(45),
      'labelme/a.json': labelMe,
      'labelme/b.json': Buffer.concat([
        labelMe.subarray(0, -1),
        text(`,"imageData":"${'A'.repeat(100_000)}"}`),
      ]),
      'create.json': json([
        { image: 'a.png', annotations: [{ label: 'cat', coordinates: { x: 1, y: 1, width: 2, height: 2 } }] },
      ]),
      'via.json': json({ 'a.png1': { filename: 'a.png', size: 1, regions: [], file_attributes: {} } }),
      'panoptic.json': json({
        images: [{ id: 1, file_name: 'a.png' }],
        annotations: [
          { image_id: 1, file_name: 'a.png', segments_info: [{ id: 9, category_id: 1, bbox: [1, 1, 9, 9] }] },
        ],
        categories: [{ id: 1, name: 'cat', isthing: 1 }],
      }),
    });
    const reported = body.validation.warnings.map(
      ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
    );
    const ending = 'which is not read; convert them to COCO, YOLO or Pascal VOC';
    expect(reported).toEqual(
      expect.arrayContaining([
        `unread_annotations 2 files look like LabelMe, ${ending}: labelme/a.json, labelme/b.json.`,
        `unread_annotations 1 files look like CreateML, ${ending}: create.json.`,
        `unread_annotations 1 files look like VIA, ${ending}: via.json.`,
        'panoptic_masks_not_read 1 files are COCO panoptic: the boxes of their segments are their objects, the masks are not read: panoptic.json.',
      ]),
    );
    expect(stats.annotations).toMatchObject({
      format: 'coco',
      objects: 1,
      objects_by_class: [{ name: 'cat', none: 1 }],
    });
    const [file] = (await kit.call('GET', `/${id}/files?q=create`)).body.items;
    expect(file).toMatchObject({
      status: 'valid',
      kind: 'annotation',
      reason: 'it looks like CreateML, which is not read; convert it to COCO, YOLO or Pascal VOC',
    });
  });

  it('refuses files of two formats by name', async () => {
    const { body } = await settle('Mixed', {
      'a.png': await picture(51),
      'a.txt': text('0 0.5 0.5 0.1 0.1\n'),
      'coco.json': json({ images: [{ id: 1, file_name: 'a.png' }], annotations: [], categories: [] }),
    });
    expect(body).toMatchObject({ status: 'FAILED', annotation_format: null });
    expect(body.validation.errors).toEqual([
      {
        code: 'mixed_annotation_formats',
        message: expect.stringMatching(/a\.txt \(yolo\)|coco\.json \(coco\)/),
        file_id: null,
      },
    ]);
  });

  it('says of every unreadable annotation file what is wrong with it', async () => {
    const lol = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">]><annotation>&lol;</annotation>`;
    const { body } = await settle('Hostile', {
      'images/a.png': await picture(61),
      'labels/a.txt': text('0 nan 0.5 0.5 0.5\n'),
      'labels/b.txt': text('0 0.5 0.5 0.1 0.1\n0 0.5 inf 0.1 0.1\n'),
      'labels/c.txt': text('cat 0.5 0.5 0.1 0.1\n'),
      'voc.xml': text(`<annotation>${lol}</annotation>`),
      'data.yaml': text(`names: [${'a, '.repeat(30_000)}b]`),
      'coco.json': text(
        '{"images":[{"id":1,"file_name":"a.png"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[0,0,1e999,1]}],"categories":[]}',
      ),
      'mask.json': json({
        images: [{ id: 1, file_name: 'a.png' }],
        annotations: [
          {
            image_id: 1,
            category_id: 1,
            bbox: [0, 0, 1, 1],
            segmentation: { size: [80, 100], counts: 'garbage!!' },
          },
        ],
      }),
      'deep.json': text(`{"annotations":${'['.repeat(5000)}`),
      // No database takes such texts, so they must not get into the reason as they are.
      'ids.json': text(
        '{"images":[{"id":"x\\u0000\\ud800","file_name":"a.png"},{"id":"x\\u0000\\ud800","file_name":"b.png"}],"annotations":[]}',
      ),
    });
    expect(body.status).toBe('FAILED');
    const reasons = Object.fromEntries(
      (await kit.call('GET', `/${body.id}/files?status=invalid&page_size=50`)).body.items.map(
        (file: { path: string; reason: string }) => [file.path, file.reason],
      ),
    );
    expect(reasons).toEqual({
      'labels/a.txt': expect.stringContaining('line 1'),
      'labels/b.txt': expect.stringContaining('line 2'),
      'labels/c.txt': expect.stringContaining('class number'),
      'voc.xml': expect.stringContaining('document type'),
      'data.yaml': expect.stringContaining('larger than 65536 bytes'),
      'coco.json': expect.stringContaining('finite'),
      'mask.json': expect.stringContaining('annotation 1 of its list has a mask whose run lengths'),
      'deep.json': expect.stringContaining('nested deeper'),
      'ids.json': 'two of its images have the id x??',
    });
  });
});
