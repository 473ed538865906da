import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../../core/security/ids.js';
import { startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { MlflowClient } from './mlflow-client.js';

/** Files that clients remove or replace while versions are made of them. */
describe('files of registered versions', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let client: MlflowClient;
  let experiment: string;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant);
    experiment = await client.experiment('kept');
    await client.post('registered-models/create', { name: 'kept' });
  });
  afterAll(() => api.close());

  const rows = <T extends object>(sql: string, values: readonly unknown[] = []): Promise<T[]> =>
    api.container.db.inTenant(asTenantId(tenant.id), (tx) => tx.query<T>(sql, values));
  const loggedModel = async (experiment_id: string): Promise<string> => {
    const { body } = await client.post('logged-models', { experiment_id, name: 'm' });
    const id = body.model.info.model_id as string;
    await client.artifact('PUT', `artifacts/models/${id}/artifacts/MLmodel`, id);
    return id;
  };
  const textOf = async (version: string): Promise<string> => {
    const query = { name: 'kept', version };
    const { body } = await client.get('model-versions/get-download-uri', query);
    const root = (body.artifact_uri as string).replace('mlflow-artifacts:/', '');
    return (await client.artifact('GET', `artifacts/${root}/MLmodel`)).text;
  };

  it('are never given up, whatever happens to them meanwhile', async () => {
    const made: Array<[version: string, contents: readonly string[]]> = [];
    for (let round = 0; round < 12; round += 1) {
      const runId = await client.run(experiment);
      const [first, second] = [`first ${round}`, `second ${round}`];
      await client.put(runId, 'model/MLmodel', first);
      const source = `runs:/${runId}/model`;
      const [version] = await Promise.all([
        client.post('model-versions/create', { name: 'kept', source }),
        round % 2 === 0
          ? client.put(runId, 'model/MLmodel', second)
          : client.artifact('DELETE', `artifacts/${runId}/artifacts/model`),
      ]);
      // Who removed the files first leaves nothing to be registered.
      expect([200, 400]).toContain(version.status);
      if (version.status === 200) made.push([version.body.model_version.version, [first, second]]);
    }
    expect(made.length).toBeGreaterThan(0);
    for (const [version, contents] of made) expect(contents).toContain(await textOf(version));
    const freed = await rows(
      'select 1 from model_version_file f join orphaned_object o on o.object_key = f.object_key',
    );
    expect(freed).toEqual([]);
  });

  it('stay when their experiment is removed with its logged models, whose other files go', async () => {
    const passing = await client.experiment('passing');
    const [kept, gone] = [await loggedModel(passing), await loggedModel(passing)];
    const made = await client.post('model-versions/create', { name: 'kept', source: `models:/${kept}` });
    const keysOf = async (id: string) =>
      (
        await rows<{ key: string }>(
          'select a.object_key as key from logged_model_artifact a join logged_model l on l.id = a.model where l.model_id = $1',
          [id],
        )
      ).map(({ key }) => key);
    const [keptKeys, goneKeys] = [await keysOf(kept), await keysOf(gone)];
    const removed = await api.call('DELETE', `/api/v1/experiments/${passing}`, {
      ...{ token: api.admin.token, tenant: tenant.code },
    });
    expect(removed.status).toBe(204);
    expect((await client.get(`logged-models/${gone}`)).status).toBe(404);
    expect(await textOf(made.body.model_version.version)).toBe(kept);
    const orphans = await rows<{ key: string }>(
      'select object_key as key from orphaned_object where object_key = any($1)',
      [[...keptKeys, ...goneKeys]],
    );
    expect(orphans.map(({ key }) => key)).toEqual(goneKeys);
  });
});
