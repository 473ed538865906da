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
