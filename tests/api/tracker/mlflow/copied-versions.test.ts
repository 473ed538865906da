import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { MlflowClient, refusal } from './mlflow-client.js';

/** As `copy_model_version` and `register_model("models:/NAME/VERSION", ...)` of the client make them. */
describe('versions that are made of other versions', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let client: MlflowClient;
  let experiment: string;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant);
    experiment = await client.experiment('copied');
    for (const name of ['first', 'second', 'third']) await client.post('registered-models/create', { name });
  });
  afterAll(() => api.close());

  const create = (name: string, source: string, more: Record<string, string> = {}) =>
    client.post('model-versions/create', { name, source, ...more });
  const weightsOf = (name: string, version: string) =>
    client.page(`model-versions/get-artifact?name=${name}&version=${version}&path=data/w.bin`);
  const modelOfRun = async (): Promise<string> => {
    const runId = await client.run(experiment);
    await client.put(runId, 'model/data/w.bin', `weights of ${runId}`);
    return runId;
  };

  it('have its files and its run, and say what they were made of', async () => {
    const runId = await modelOfRun();
    const made = await create('first', `runs:/${runId}/model`);
    const { version } = made.body.model_version;
    const copied = await create('second', `models:/first/${version}`);
    expect(copied).toMatchObject({
      status: 200,
      body: { model_version: { version: '1', run_id: runId, source: `models:/first/${version}` } },
    });
    expect((await create('second', 'models:/second/1')).body.model_version.version).toBe('2');
    await client.send('DELETE', 'model-versions/delete', { name: 'first', version });
    await client.send('DELETE', 'model-versions/delete', { name: 'second', version: '1' });
    expect((await weightsOf('second', '2')).text).toBe(`weights of ${runId}`);
  });

  it('and of logged models keep the id of a run that is deleted, which others may not name', async () => {
    const runId = await modelOfRun();
    await client.post('runs/log-batch', {
      ...{ run_id: runId, metrics: [{ key: 'map', value: 0.5, timestamp: 1, step: 0 }] },
    });
    const made = await create('first', `runs:/${runId}/model`);
    const { body } = await client.post('logged-models', {
      ...{ experiment_id: experiment, name: 'm', source_run_id: runId },
    });
    const logged = body.model.info.model_id as string;
    await client.artifact('PUT', `artifacts/models/${logged}/artifacts/data/w.bin`, 'logged');
    await client.post('runs/delete', { run_id: runId });
    const ofModel = await create('third', `models:/${logged}`, { run_id: runId });
    expect(ofModel.body.model_version).toMatchObject({ version: '1', run_id: runId });
    const source = `models:/first/${made.body.model_version.version}`;
    const ofVersion = await create('third', source, { run_id: runId });
    expect(ofVersion.body.model_version).toMatchObject({ version: '2', run_id: runId });
    const { body: copy } = await api.call('GET', '/api/v1/models/third/versions/2', {
      ...{ token: api.admin.token, tenant: tenant.code },
    });
    expect(copy.metrics).toEqual({ map: 0.5 });
    const other = await create('third', source, { run_id: 'f'.repeat(32) });
    expect(other).toMatchObject(refusal(404, 'RESOURCE_DOES_NOT_EXIST'));
  });

  it('are not made of a version that is not there, nor of one by a name that moves', async () => {
    expect(await create('third', 'models:/first/99')).toMatchObject(refusal(404, 'RESOURCE_DOES_NOT_EXIST'));
    for (const source of ['models:/first@champion', 'models:/first/Production'])
      expect(await create('third', source)).toMatchObject(refusal(400, 'INVALID_PARAMETER_VALUE'));
  });
});
