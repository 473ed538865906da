import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json, picture, settleAnnotated, text } from '../datasets/support/annotated-dataset.js';
import { openWorkingKit, type WorkingKit } from '../datasets/support/open-dataset-kit.js';

describe('the preview of a dataset', () => {
  let lab: WorkingKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
  });
  afterAll(() => lab?.close());

  const preview = (id: string, query: string) =>
    lab.api.call('GET', `/api/v1/training/datasets/${id}/preview?${query}`, {
      token: lab.kit.token,
      tenant: lab.kit.tenant.code,
    });

  it('shows boxes of YOLO labels in pixels, and how often each class occurs', async () => {
    const { id } = await settleAnnotated(lab, 'Yolo', {
      'data.yaml': text('path: .\ntrain: images\nnames:\n  0: cat\n  1: dog\n'),
      'images/a.png': await picture(1),
      'labels/a.txt': text('0 0.5 0.5 0.5 0.5\n1 0.25 0.25 0.1 0.1\n'),
      'images/b.png': await picture(2),
      'labels/b.txt': text('1 0.5 0.5 1 1\n'),
    });
    const { status, body } = await preview(id, 'task=detection');
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ dataset_id: id, task: 'detection', usable: true, reason: null, format: 'yolo', total: 2 },
        classes: [
          { name: 'cat', count: 1 },
          { name: 'dog', count: 2 },
        ],
        class_count: 2,
        splits: { train: 2 },
      },
    ]);
    const image = body.items.find((item: { path: string }) => item.path === 'images/a.png');
    expect(image).toMatchObject({
      ...{ width: 200, height: 100, object_count: 2 },
      objects: [
        { label: 'cat', box: [50, 25, 150, 75], has_outline: false, crowd: false },
        { label: 'dog', box: [40, 20, 60, 30] },
      ],
    });
    const shown = await lab.api.call('GET', image.preview_url, {
      token: lab.kit.token,
      tenant: lab.kit.tenant.code,
    });
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^image/)]);
    expect((await preview(id, 'task=detection&limit=1')).body.items).toHaveLength(1);
    expect((await preview(id, 'task=pose')).body).toMatchObject({
      ...{ usable: false, items: [], classes: [] },
      reason: expect.stringMatching(/pose needs key points.*detection/),
    });
  });

  it('shows boxes and outlines of COCO', async () => {
    const { id } = await settleAnnotated(lab, 'Coco', {
      'images/a.png': await picture(3),
      'coco.json': json({
        images: [{ id: 1, file_name: 'images/a.png', width: 200, height: 100 }],
        categories: [{ id: 4, name: 'bird' }],
        annotations: [
          {
            ...{ id: 1, image_id: 1, category_id: 4, bbox: [10, 20, 30, 40], area: 600, iscrowd: 0 },
            segmentation: [[10, 20, 40, 20, 40, 60]],
          },
        ],
      }),
    });
    expect((await preview(id, 'task=instance_segmentation')).body.items).toMatchObject([
      { path: 'images/a.png', objects: [{ label: 'bird', box: [10, 20, 40, 60], has_outline: true }] },
    ]);
  });

  it('shows images of every class for classification, and is refused before the dataset is frozen', async () => {
    const { id } = await settleAnnotated(lab, 'Folders', {
      'a/1.png': await picture(5),
      'a/2.png': await picture(6),
      'b/1.png': await picture(7),
    });
    const { body } = await preview(id, 'task=classification&limit=2');
    expect(body.items.map(({ label }: { label: string }) => label)).toEqual(['a', 'b']);
    expect((await preview(await lab.kit.draft('Empty'), 'task=classification')).status).toBe(409);
    expect((await preview('none', 'task=classification')).status).toBe(404);
    expect((await preview(id, 'task=sorting')).status).toBe(422);
    expect((await preview(id, '')).status).toBe(422);
    expect((await preview(id, 'task=classification&limit=101')).status).toBe(422);
  });
});
