import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/test-api.js';
import { MlflowClient, refusal } from './mlflow-client.js';

describe('logged models in an order', () => {
  let api: TestApi;
  let client: MlflowClient;
  let experiment: string;
  beforeAll(async () => {
    api = await startTestApi();
    client = await MlflowClient.of(api, await api.addTenant());
    experiment = await client.experiment('ordered');
    const run_id = await client.run(experiment);
    for (const [name, value] of [
      ['b', 0.2],
      ['a', 0.1],
      ['c', 0.3],
    ]) {
      const made = await client.post('logged-models', { experiment_id: experiment, name });
      const { model_id } = made.body.model.info;
      const metrics = [{ key: 'val loss', value, timestamp: 1, step: 0, model_id }];
      expect((await client.post('runs/log-batch', { run_id, metrics })).status).toBe(200);
    }
  });
  afterAll(() => api.close());

  const orderedBy = (field_name: string) =>
    client.post('logged-models/search', { experiment_ids: [experiment], order_by: [{ field_name }] });

  it.each(['metrics.val loss', 'name'])('by %s', async (field) => {
    const { body } = await orderedBy(field);
    expect(body.models.map(({ info }: { info: { name: string } }) => info.name)).toEqual(['a', 'b', 'c']);
  });

  it.each(['params.name', 'tags.status', 'metrics_of.a', 'colour'])('not by %s', async (field) => {
    expect(await orderedBy(field)).toMatchObject(refusal(400, 'INVALID_PARAMETER_VALUE'));
  });
});
