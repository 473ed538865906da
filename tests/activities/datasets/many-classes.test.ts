import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reportAnnotations } from '../../../activities/datasets/annotation-reporter.js';
import { asTenantId, type TenantId } from '../../../core/security/ids.js';
import { countClasses } from '../../../models/datasets/catalog/dataset-list.queries.js';
import { sampleFiles } from '../../../models/datasets/files/dataset-file.queries.js';
import { startTestApi, type TestApi } from '../../api/support/test-api.js';

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Rows of tables that a plan looked at. */
const rowsRead = (node: PlanNode): number =>
  (node['Relation Name'] === undefined
    ? 0
    : (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']) +
  (node.Plans ?? []).reduce((sum, inner) => sum + rowsRead(inner), 0);

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
      await tx.execute("insert into dataset (id, tenant_id, key, name) values ($1, $2, $3, 'Many')", [
        id,
        tenantId,
        `many-${id}`,
      ]);
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
  const report = (id: string) =>
    reportAnnotations(api.container.db, tenantId, id, new AbortController().signal);
  const counted = (id: string) => api.container.db.inTenant(tenantId, (tx) => countClasses(tx, id));

  it('has all its images counted in each part, with the largest classes', async () => {
    const { stats, splits, tasks, warnings } = await report(await dataset(10_000));
    const parts = stats.splits as Record<string, { images: number; classes: Record<string, number> }>;
    expect(splits).toEqual({ train: 30_000, val: 100 });
    expect([parts.train?.images, parts.val?.images]).toEqual([30_000, 100]);
    expect(
      Object.keys({ ...parts.train?.classes }).length + Object.keys({ ...parts.val?.classes }).length,
    ).toBe(1000);
    expect(tasks.classification).toHaveLength(10_000);
    expect(warnings).toEqual([]);
  });

  it('shows samples of its first classes without walking over their images', async () => {
    const id = await dataset(500);
    const sample = async () => {
      const rows = await api.container.db.inTenant(tenantId, (tx) => sampleFiles(tx, id, 20));
      return rows.map(({ path }) => path);
    };
    const labels = Array.from({ length: 500 }, (_, at) => `c${at + 1}`)
      .sort()
      .slice(0, 20);
    expect(await sample()).toEqual(
      labels.flatMap((label) => [1, 2, 3].map((n) => `train/${label}/${n}.png`)).slice(0, 20),
    );
    await report(id);
    expect(await sample()).toEqual(labels.map((label) => `train/${label}/1.png`));
    const visited = await api.container.db.inTenant(tenantId, async (tx) => {
      const plans: PlanNode[] = [];
      const query = async (sql: string, params: readonly unknown[]) => {
        const [row] = await tx.query<{ 'QUERY PLAN': Array<{ Plan: PlanNode }> }>(
          `explain (analyze, format json) ${sql}`,
          params,
        );
        plans.push(...(row?.['QUERY PLAN'].map(({ Plan }) => Plan) ?? []));
        return [];
      };
      await sampleFiles(
        { tenantId, rows: query, execute: tx.execute.bind(tx) } as unknown as typeof tx,
        id,
        20,
      );
      return plans.reduce((sum, plan) => sum + rowsRead(plan), 0);
    });
    expect(visited).toBeGreaterThan(20);
    expect(visited).toBeLessThan(200);
  });

  it('keeps none of more than 10,000 classes, and says so', async () => {
    const id = await dataset(10_001);
    const { tasks, warnings, splits } = await report(id);
    expect(tasks).toEqual({});
    expect(warnings).toEqual([
      {
        code: 'too_many_classes',
        message: expect.stringMatching(/10001 classes\. More than 10000/),
        file_id: null,
      },
    ]);
    expect(splits.train).toBe(30_003);
    const { shown, total } = await counted(id);
    expect([shown.length, total]).toEqual([10_000, 10_001]);
  });
});
