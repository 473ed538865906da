import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/test-api.js';
import { MlflowClient, refusal } from './mlflow-client.js';

describe('versions of a model by alias', () => {
  let api: TestApi;
  let client: MlflowClient;
  beforeAll(async () => {
    api = await startTestApi();
    client = await MlflowClient.of(api, await api.addTenant());
    for (const name of ['net', 'empty']) await client.post('registered-models/create', { name });
    const runId = await client.run(await client.experiment('aliases'));
    await client.put(runId, 'nets/MLmodel', 'flavors: {}');
    const source = `runs:/${runId}/nets`;
    for (let n = 0; n < 2; n += 1)
      expect((await client.post('model-versions/create', { name: 'net', source })).status).toBe(200);
    const staged = { name: 'net', version: '1', stage: 'Staging' };
    await client.post('model-versions/transition-stage', staged);
  });
  afterAll(() => api.close());

  const byAlias = (alias: string, name = 'net') => client.get('registered-models/alias', { name, alias });

  it('have the highest one as the latest, whatever its stage', async () => {
    for (const alias of ['latest', 'Latest'])
      expect((await byAlias(alias)).body).toMatchObject({ model_version: { version: '2' } });
    const move = { name: 'net', version: '2', stage: 'Archived' };
    await client.post('model-versions/transition-stage', move);
    expect((await byAlias('latest')).body).toMatchObject({ model_version: { version: '2' } });
  });

  it('that the model lacks are a bad parameter; a model or a version that is not there is not found', async () => {
    expect(await byAlias('best')).toMatchObject(refusal(400, 'INVALID_PARAMETER_VALUE'));
    for (const [alias, name] of [
      ['best', 'unknown'],
      ['latest', 'unknown'],
      ['latest', 'empty'],
    ] as const)
      expect(await byAlias(alias, name)).toMatchObject(refusal(404, 'RESOURCE_DOES_NOT_EXIST'));
  });
});
