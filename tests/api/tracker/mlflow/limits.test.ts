import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/test-api.js';
import { MlflowClient, refusal } from './mlflow-client.js';

/** The limits of MLflow 3 (`mlflow/utils/validation.py`): what its clients log there is taken here. */
describe('values of tags', () => {
  let api: TestApi;
  let client: MlflowClient;
  let experiment: string;
  beforeAll(async () => {
    api = await startTestApi();
    client = await MlflowClient.of(api, await api.addTenant());
    experiment = await client.experiment('long');
    await client.post('registered-models/create', { name: 'long' });
  });
  afterAll(() => api.close());

  it.each([
    ['an experiment', 20_000, 'experiments/set-experiment-tag'],
    ['a registered model', 100_000, 'registered-models/set-tag'],
  ])('of %s have up to %i characters', async (_what, most, path) => {
    const set = (length: number) =>
      client.post(path, { experiment_id: experiment, name: 'long', key: 'note', value: 'x'.repeat(length) });
    expect(await set(most)).toMatchObject({ status: 200 });
    expect(await set(most + 1)).toMatchObject(refusal(400, 'INVALID_PARAMETER_VALUE'));
    const { body } = await client.get(`${path.split('/')[0] as string}/get`, {
      ...{ experiment_id: experiment, name: 'long' },
    });
    const [tag] = (body.experiment ?? body.registered_model).tags;
    expect(tag.value).toHaveLength(most);
  });
});

describe('what a client says of a kind that is rare', () => {
  let api: TestApi;
  let client: MlflowClient;
  let experiment_id: string;
  beforeAll(async () => {
    api = await startTestApi();
    client = await MlflowClient.of(api, await api.addTenant());
    experiment_id = await client.experiment('rare');
    await client.post('registered-models/create', { name: 'rare' });
  });
  afterAll(() => api.close());

  it('are more than 100 tags, of whatever begins', async () => {
    const tags = Array.from({ length: 120 }, (_each, n) => ({ key: `k${n}`, value: 'x'.repeat(9000) }));
    const short = tags.map(({ key }) => ({ key, value: 'x' }));
    const { run } = (await client.post('runs/create', { experiment_id, tags: short })).body;
    // With the tag of its name.
    expect(run.data.tags).toHaveLength(121);
    const [long] = tags;
    const cut = await client.post('runs/create', { experiment_id, run_name: 'n', tags: [long] });
    expect(cut.body.run.data.tags[0].value).toHaveLength(8000);
    await client.put(run.info.run_id, 'nets/MLmodel', 'flavors: {}');
    const source = `runs:/${run.info.run_id}/nets`;
    for (const [path, body] of [
      ['experiments/create', { name: 'tagged' }],
      ['registered-models/create', { name: 'tagged' }],
      ['model-versions/create', { name: 'rare', source }],
      ['logged-models', { experiment_id, name: 'tagged' }],
    ] as const)
      expect([path, (await client.post(path, { ...body, tags: short })).status]).toEqual([path, 200]);
    const { status } = await client.post('runs/log-batch', { run_id: run.info.run_id, tags: short });
    expect(status).toBe(400);
  });

  it('are the greatest numbers of 64 bits', async () => {
    const run_id = await client.run(experiment_id);
    await client.post('runs/log-metric', { run_id, key: 'a', value: 1, timestamp: 1, step: 3 });
    const bounds = { start_step: '-9223372036854775808', end_step: '9223372036854775807' };
    const query = { run_ids: run_id, metric_key: 'a', ...bounds };
    const { status, body } = await client.get('metrics/get-history-bulk-interval', query);
    expect([status, body.metrics]).toEqual([200, [expect.objectContaining({ step: 3 })]]);
    const logged = await client.post('logged-models', { experiment_id, name: 'm' });
    const models = [{ model_id: logged.body.model.info.model_id, step: '9223372036854775807' }];
    expect((await client.post('runs/outputs', { run_id, models })).status).toBe(200);
  });

  it('is the id of a version that cannot be one', async () => {
    const source = `mlflow-artifacts:/versions/${'-'.repeat(36)}`;
    expect(await client.post('model-versions/create', { name: 'rare', source })).toMatchObject(
      refusal(400, 'INVALID_PARAMETER_VALUE'),
    );
  });
});
