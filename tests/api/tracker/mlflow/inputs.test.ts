import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/test-api.js';
import { MlflowClient } from './mlflow-client.js';

describe('data that a run used', () => {
  let api: TestApi;
  let client: MlflowClient;
  let experiment: string;
  beforeAll(async () => {
    api = await startTestApi();
    client = await MlflowClient.of(api, await api.addTenant());
    experiment = await client.experiment('inputs');
  });
  afterAll(() => api.close());

  it.each([
    ['one after the other', [['train'], ['eval']]],
    ['at once', [['train', 'eval']]],
  ])('keeps what it was used for first, of what clients say %s', async (name, calls) => {
    const run_id = await client.run(experiment);
    const dataset = { name, digest: 'd1', source_type: 'local', source: '{}' };
    for (const contexts of calls) {
      const datasets = contexts.map((value) => ({ tags: [{ key: 'mlflow.data.context', value }], dataset }));
      expect((await client.post('runs/log-inputs', { run_id, datasets })).status).toBe(200);
    }
    const { run } = (await client.get('runs/get', { run_id })).body;
    expect(run.inputs.dataset_inputs).toEqual([
      { tags: [{ key: 'mlflow.data.context', value: 'train' }], dataset },
    ]);
  });
});
