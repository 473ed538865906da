import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { MlflowClient } from './mlflow-client.js';

describe('one metric of several runs', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let client: MlflowClient;
  let runs: string[];
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant);
    const experiment = await client.experiment('curves');
    runs = [await client.run(experiment), await client.run(experiment)].sort();
    for (const run_id of runs) {
      const metrics = [0, 1, 2].map((step) => ({ key: 'loss', value: step, timestamp: step, step }));
      await client.post('runs/log-batch', { run_id, metrics });
    }
  });
  afterAll(() => api.close());

  type Point = { readonly run_id: string; readonly step: number };
  const ask = async (path: string, query: ReadonlyArray<readonly [string, string]>): Promise<Point[]> => {
    const text = new URLSearchParams([['metric_key', 'loss'], ...query.map(([...pair]) => pair)]).toString();
    const { status, body } = await client.get(`metrics/${path}?${text}`);
    expect(status).toBe(200);
    return body.metrics;
  };

  it('comes by the ids of the runs, without those that do not exist', async () => {
    const asked = [...runs].reverse().concat('f'.repeat(32), 'no id');
    const names = asked.map((id) => ['run_id', id] as const);
    const found = await ask('get-history-bulk', names);
    expect(found.map(({ run_id, step }) => [run_id, step])).toEqual(
      runs.flatMap((id) => [0, 1, 2].map((step) => [id, step])),
    );
    const cut = await ask('get-history-bulk', [...names, ['max_results', '4']]);
    expect(cut).toEqual(found.slice(0, 4));
  });

  it('is sampled to as many points as are asked for, however many are NaN', async () => {
    const run_id = await client.run(await client.experiment('failed'));
    const metrics = Array.from({ length: 1000 }, (_each, step) => ({
      ...{ key: 'loss', value: step % 2 === 0 ? 'NaN' : step, timestamp: step, step },
    }));
    await client.post('runs/log-batch', { run_id, metrics });
    for (const [most, steps] of [
      [1, [999]],
      [2, [0, 999]],
      [100, [0, 999]],
    ] as const) {
      const points = await ask('get-history-bulk-interval', [
        ['run_ids', run_id],
        ['max_results', String(most)],
      ]);
      expect(points).toHaveLength(most);
      expect([points[0]?.step, points.at(-1)?.step]).toEqual([steps[0], steps.at(-1)]);
    }
  });

  const curve = async (points: ReadonlyArray<readonly [step: number, timestamp: number, value: unknown]>) => {
    const run_id = await client.run(await client.experiment('uneven'));
    for (let from = 0; from < points.length; from += 1000) {
      const some = points.slice(from, from + 1000);
      const metrics = some.map(([step, timestamp, value]) => ({ key: 'loss', step, timestamp, value }));
      expect((await client.post('runs/log-batch', { run_id, metrics })).status).toBe(200);
    }
    const path = `/api/v1/runs/${run_id}/metrics/loss?max_points=100`;
    const { body } = await api.call('GET', path, { token: api.admin.token, tenant: tenant.code });
    return body as { total: number; points: Array<{ step: number; value: number | null }> };
  };

  it('keeps its shape beside a step that is far away, with its peak and its NaN', async () => {
    const peaks = new Map<number, unknown>([
      [321, 50],
      [1234, 'NaN'],
    ]);
    const near = Array.from({ length: 2000 }, (_each, n) => [n, n, peaks.get(n) ?? Math.sin(n)] as const);
    const { total, points } = await curve([...near, [1e9, 1, 0]]);
    expect(total).toBe(2001);
    expect(points.length).toBeGreaterThan(80);
    expect(points.length).toBeLessThanOrEqual(101);
    expect([points[0]?.step, points.at(-1)?.step]).toEqual([0, 1e9]);
    for (const step of peaks.keys()) expect(points.map((point) => point.step)).toContain(step);
    // Each part of the many has a say.
    expect(points.filter(({ step }) => step >= 500 && step < 1000).length).toBeGreaterThan(15);
  });

  it('keeps its shape where all points but one have the same step and the same time', async () => {
    const same = Array.from({ length: 2000 }, (_each, n) => [0, 0, n] as const);
    const { points } = await curve([...same, [1, 0, 0]]);
    expect(points.length).toBeGreaterThan(45);
    expect(points.length).toBeLessThanOrEqual(100);
    expect(points[0]).toMatchObject({ step: 0, value: 0 });
    expect(points.at(-1)).toMatchObject({ step: 1, value: 0 });
    expect(points.map(({ value }) => value)).toContain(1999);
  });
});
