import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueJobToken } from '../../../core/security/job-token.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { MlflowClient, refusal } from '../tracker/mlflow/mlflow-client.js';
import { EXPERIMENT_FACTORY } from './support/training-factories.js';

describe('files of the run of a training, to the client of a person', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let owner: TestUser;
  let client: MlflowClient;
  let trainingId: string;
  let runId: string;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    owner = await api.addUser({ [tenant.code]: 'ADMIN' });
    client = await MlflowClient.for(api, tenant, owner);
    const made = await EXPERIMENT_FACTORY.create({ api, tenant, user: owner, canary: 'trained' });
    [trainingId, runId] = [made.experiment_id as string, made.run_id as string];
    const token = issueJobToken(api.container.settings.SERVICE_SECRET_KEYS, {
      ...{ tenantId: tenant.id, runId, attempt: 1 },
    });
    const path = `/tracker/api/2.0/mlflow-artifacts/artifacts/${runId}/artifacts/model/MLmodel`;
    expect((await api.call('PUT', path, { token, body: 'by the job' })).status).toBe(200);
  });
  afterAll(() => api?.close());

  const below = (path: string) => `artifacts/${runId}/artifacts/${path}`;
  const entries = async (action: string) =>
    api.container.db.inPlatform((tx) =>
      tx.query<Record<string, unknown>>(
        `select actor_id, target_kind, target_id, detail from audit_entry
         where tenant_id = $1 and action = $2 order by id`,
        [tenant.id, action],
      ),
    );

  it('keep the model as the job stored it: it is neither replaced nor removed', async () => {
    const refused = [
      await client.artifact('PUT', below('model/MLmodel'), 'by somebody'),
      await client.artifact('PUT', below('model/more'), 'by somebody'),
      await client.artifact('PUT', below('model'), 'by somebody'),
      await client.artifact('DELETE', below('model/MLmodel')),
      await client.artifact('DELETE', below('model')),
      await client.artifact('DELETE', below('')),
      await api.call('POST', `/tracker/api/2.0/mlflow-artifacts/mpu/create/${runId}/artifacts/model`, {
        token: client.token,
        json: { path: `${runId}/artifacts/model/MLmodel`, num_parts: 1 },
      }),
    ];
    for (const answer of refused) expect(answer).toMatchObject(refusal(403, 'PERMISSION_DENIED'));
    expect((await client.artifact('GET', below('model/MLmodel'))).text).toBe('by the job');
    // Beside it people note what they like.
    expect((await client.put(runId, 'notes/model.txt', 'mine')).status).toBe(200);
  });

  it('lend their lineage to no other files', async () => {
    const own = await client.run(await client.experiment('own'));
    await client.put(own, 'model/MLmodel', 'by somebody');
    await client.post('registered-models/create', { name: 'lent' });
    const version = async (source: string) => {
      const { body } = await client.post('model-versions/create', { name: 'lent', source, run_id: runId });
      const path = `/api/v1/models/lent/versions/${body.model_version.version}`;
      return (await api.call('GET', path, { token: owner.token, tenant: tenant.code })).body;
    };
    expect(await version(`runs:/${own}/model`)).toMatchObject({ training_experiment_id: null });
    expect(await version(`runs:/${runId}/notes`)).toMatchObject({ training_experiment_id: null });
    const trained = await version(`runs:/${runId}/model`);
    expect(trained).toMatchObject({ training_experiment_id: trainingId });
    expect(await version('models:/lent/3')).toMatchObject({ training_experiment_id: trainingId });
  });

  it('are replaced and removed with an entry in the audit trail', async () => {
    await client.put(runId, 'plots/a.txt', 'first');
    expect(await entries('run.artifact_replace')).toEqual([]);
    await client.put(runId, 'plots/a.txt', 'second');
    await client.put(runId, 'plots/b.txt', 'first');
    expect((await client.artifact('DELETE', below('plots'))).status).toBe(200);
    expect((await client.artifact('DELETE', below('plots'))).status).toBe(200);
    const run = { actor_id: owner.id, target_kind: 'run', target_id: runId };
    expect(await entries('run.artifact_replace')).toEqual([{ ...run, detail: { path: 'plots/a.txt' } }]);
    expect(await entries('run.artifacts_delete')).toEqual([{ ...run, detail: { path: 'plots', count: 2 } }]);
  });
});
