import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json, picture, settleAnnotated } from '../datasets/support/annotated-dataset.js';
import { openWorkingKit, type WorkingKit } from '../datasets/support/open-dataset-kit.js';

describe('a training whose annotations name images that nobody uploaded', () => {
  let lab: WorkingKit;
  beforeAll(async () => {
    lab = await openWorkingKit();
  });
  afterAll(() => lab?.close());

  const coco = (names: readonly string[]) =>
    json({
      images: names.map((file_name, at) => ({ id: at + 1, file_name, width: 200, height: 100 })),
      annotations: names.map((_, at) => ({
        ...{ id: at + 1, image_id: at + 1, category_id: 1, bbox: [10, 10, 30, 30], area: 900, iscrowd: 0 },
      })),
      categories: [{ id: 1, name: 'cat' }],
    });
  const call = (path: string, datasetId: string) =>
    lab.api.call('POST', `/api/v1/training/experiments${path}`, {
      token: lab.kit.token,
      tenant: lab.kit.tenant.code,
      json: {
        ...{ task: 'detection', framework: 'torchvision', model: 'fcos_resnet18_fpn_small' },
        dataset_id: datasetId,
        pretrained: { enabled: false },
      },
    });

  it('is refused when it is submitted, with their names', async () => {
    const { id } = await settleAnnotated(lab, 'Half', {
      'train.json': coco(['a.png', 'b.png', 'gone.png', 'lost.png']),
      'images/a.png': await picture(1),
      'images/b.png': await picture(2),
    });
    const problem = {
      loc: ['body', 'dataset_id'],
      type: 'images_missing',
      msg: expect.stringMatching(
        /^2 images .* \(50 % are\): train\.json: gone\.png, train\.json: lost\.png;/,
      ),
    };
    const refused = await call('', id);
    expect([refused.status, refused.body.detail]).toEqual([422, expect.arrayContaining([problem])]);
    expect((await call(':validate', id)).body).toMatchObject({
      ...{ valid: false, errors: expect.arrayContaining([problem]) },
    });
  });

  it('is not refused for images that are all there', async () => {
    const { id } = await settleAnnotated(lab, 'Whole', {
      'train.json': coco(['a.png', 'b.png']),
      'images/a.png': await picture(3),
      'images/b.png': await picture(4),
    });
    const { body } = await call(':validate', id);
    expect(JSON.stringify(body)).not.toContain('images_missing');
  });
});
