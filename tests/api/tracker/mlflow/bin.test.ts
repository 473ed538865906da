import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { MlflowClient, refusal } from './mlflow-client.js';

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

  const rest = (path: string) =>
    api.call('DELETE', `/api/v1/${path}`, { token: api.admin.token, tenant: tenant.code });
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

  it('is an experiment that came back by its name, whose runs follow it when it is restored', async () => {
    const experiment_id = (await client.post('runs/create', {})).body.run.info.experiment_id;
    await client.post('experiments/delete', { experiment_id });
    const deleted = { experiment_ids: [experiment_id], run_view_type: 'DELETED_ONLY' };
    const binned = async () => (await client.post('runs/search', deleted)).body.runs.length;
    const again = await client.post('runs/create', {});
    expect([again.body.run.info.experiment_id, await binned()]).toEqual([experiment_id, 1]);
    expect((await client.post('experiments/restore', { experiment_id })).status).toBe(200);
    expect(await binned()).toBe(0);
    expect(await client.post('experiments/restore', { experiment_id })).toMatchObject(
      refusal(404, 'RESOURCE_DOES_NOT_EXIST'),
    );
  });

  it('is removed for good from the bin', async () => {
    const experiment_id = await client.experiment('for good');
    const [one, other] = [await client.run(experiment_id), await client.run(experiment_id)];
    await client.post('runs/delete', { run_id: one });
    expect((await rest(`runs/${one}`)).status).toBe(204);
    expect(await client.get('runs/get', { run_id: one })).toMatchObject(
      refusal(404, 'RESOURCE_DOES_NOT_EXIST'),
    );
    await client.post('experiments/delete', { experiment_id });
    expect((await rest(`experiments/${experiment_id}`)).status).toBe(204);
    expect((await client.get('runs/get', { run_id: other })).status).toBe(404);
    // Its name is free again.
    expect((await client.post('experiments/create', { name: 'for good' })).status).toBe(200);
  });
});
