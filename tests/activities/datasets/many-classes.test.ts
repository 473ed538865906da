import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reportAnnotations } from '../../../activities/datasets/annotation-reporter.js';
import { asTenantId, type TenantId } from '../../../core/security/ids.js';
import { countClasses } from '../../../models/datasets/dataset-catalog.repository.js';
import { startTestApi, type TestApi } from '../../api/support/test-api.js';

describe('a dataset of very many class folders', () => {
  let api: TestApi;
  let tenantId: TenantId;
  beforeAll(async () => {
    api = await startTestApi();
    tenantId = asTenantId((await api.addTenant()).id);
  });
  afterAll(() => api?.close());

  /** Three images in each class of training, one in each of the first 100 of validation. */
  async function dataset(classes: number): Promise<string> {
    const id = randomUUID();
    await api.container.db.inTenant(tenantId, async (tx) => {
      await tx.execute("insert into dataset (id, tenant_id, key, name) values ($1, $2, $3, 'Many')", [id, tenantId, `many-${id}`]);
      const images = (part: string, count: number, each: number) =>
        tx.execute(
          `insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, status, width, height, split, added_revision)
           select $1, $2, path, encode(sha256(path::bytea), 'hex'), 10, gen_random_uuid()::text, 'image/png', 'image', 'valid', 10, 10, $3, 1
           from generate_series(1, $4::int) as c, generate_series(1, $5::int) as i, lateral (select $3::text || '/c' || c || '/' || i || '.png' as path) p`,
          [tenantId, id, part, count, each],
        );
      await images('train', classes, 3);
      await images('val', 100, 1);
    });
    return id;
  }
  const report = (id: string) => reportAnnotations(api.container.db, tenantId, id, new AbortController().signal);
  const counted = (id: string) => api.container.db.inTenant(tenantId, (tx) => countClasses(tx, id));

  it('has all its images counted in each part, with the largest classes', async () => {
    const { stats, splits, tasks, warnings } = await report(await dataset(10_000));
    const parts = stats.splits as Record<string, { images: number; classes: Record<string, number> }>;
    expect(splits).toEqual({ train: 30_000, val: 100 });
    expect([parts.train?.images, parts.val?.images]).toEqual([30_000, 100]);
    expect(Object.keys({ ...parts.train?.classes }).length + Object.keys({ ...parts.val?.classes }).length).toBe(1000);
    expect(tasks.classification).toHaveLength(10_000);
    expect(warnings).toEqual([]);
  });

  it('keeps none of more than 10,000 classes, and says so', async () => {
    const id = await dataset(10_001);
    const { tasks, warnings, splits } = await report(id);
    expect(tasks).toEqual({});
    expect(warnings).toEqual([{ code: 'too_many_classes', message: expect.stringMatching(/10001 classes\. More than 10000/), file_id: null }]);
    expect(splits.train).toBe(30_003);
    const { shown, total } = await counted(id);
    expect([shown.length, total]).toEqual([10_000, 10_001]);
  });
});
