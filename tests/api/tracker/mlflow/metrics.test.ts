import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/test-api.js';
import { MlflowClient } from './mlflow-client.js';

describe('one metric of several runs', () => {
  let api: TestApi;
  let client: MlflowClient;
  let runs: string[];
  beforeAll(async () => {
    api = await startTestApi();
    client = await MlflowClient.of(api, await api.addTenant());
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
});
