import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { MlflowClient } from './mlflow-client.js';

describe('what clients delete', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let client: MlflowClient;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant);
  });
  afterAll(() => api.close());

  const entries = (id: string) =>
    api.container.db.inPlatform((tx) =>
      tx.query<{ action: string }>('select action from audit_entry where target_id = $1 order by id', [id]),
    );

  it('is deleted and restored as often as they ask, with one entry of the audit trail', async () => {
    const run_id = await client.run(await client.experiment('repeated'));
    for (const call of ['restore', 'delete', 'delete', 'restore', 'restore'])
      expect([call, (await client.post(`runs/${call}`, { run_id })).status]).toEqual([call, 200]);
    expect((await entries(run_id)).map(({ action }) => action)).toEqual(['run.delete', 'run.restore']);
  });

  it('is a logged model that may be changed and deleted again', async () => {
    const experiment_id = await client.experiment('models');
    const { model_id } = (await client.post('logged-models', { experiment_id, name: 'm' })).body.model.info;
    const path = `logged-models/${model_id}`;
    for (let n = 0; n < 2; n += 1) expect((await client.send('DELETE', path, {})).status).toBe(200);
    expect((await entries(model_id)).map(({ action }) => action)).toEqual(['logged_model.delete']);
    const tags = [{ key: 'k', value: 'v' }];
    expect((await client.send('PATCH', `${path}/tags`, { tags })).body.model.info).toMatchObject({ tags });
    const ended = await client.send('PATCH', path, { model_id, status: 'LOGGED_MODEL_READY' });
    expect(ended.body.model.info.status).toBe('LOGGED_MODEL_READY');
    expect((await client.get(path)).status).toBe(404);
  });
});
