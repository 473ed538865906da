import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { asTenantId } from '../../../core/security/ids.js';
import { trainingClasses } from '../../../models/monitoring/model-metrics.queries.js';
import type { ModelVersionRow } from '../../../models/registry/model.types.js';
import { findTrainingClasses, findVersion } from '../../../models/registry/version.queries.js';
import { closeRun, openRunForJob } from '../../../models/tracker/run.commands.js';
import { type BuiltDataset, freezeDataset } from '../../builders/frozen-dataset.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { MlflowClient } from './mlflow/mlflow-client.js';
import { putModelAsJob } from './support/job-model.js';

describe('the classes that a version was trained with', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let client: MlflowClient;
  let dataset: BuiltDataset;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant);
    const store = openObjectStore(api.container.settings);
    const files = ['cat', 'cat', 'dog', 'cow'].map((label, at) => ({
      ...{ path: `${label}/${at}.png`, bytes: Buffer.from(String(at)) },
    }));
    dataset = await freezeDataset(api.container.db, store, tenant.id, 'zoo', files);
    await store.close();
  });
  afterAll(() => api.close());

  const within = <T>(work: Parameters<typeof api.container.db.inTenant<T>>[1]) =>
    api.container.db.inTenant(asTenantId(tenant.id), work);
  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/${path}`, {
      ...{ token: api.admin.token, tenant: tenant.code },
      ...(json === undefined ? {} : { json }),
    });
  const sql = (text: string, values: unknown[]) =>
    api.container.db.inPlatform((tx) => tx.execute(text, values));

  /** A training that has ended, with its model, limited to two of the three classes. */
  async function trained() {
    const { body } = await call('POST', 'training/experiments', {
      ...{ task: 'classification', framework: 'sklearn', model: 'knn', dataset_id: 'zoo' },
      evaluation: { enabled: false },
    });
    const { id, tracker_run_id: runId } = body as { id: string; tracker_run_id: string };
    await within((tx) => openRunForJob(tx, runId));
    expect(await putModelAsJob(api, tenant, runId)).toBe(200);
    await within((tx) => closeRun(tx, runId, 'FINISHED'));
    await sql(
      `update training_experiment set status = 'SUCCEEDED', finished_at = now(),
         config = jsonb_set(config, '{classes}', '["cat", "dog"]') where id = $1`,
      [id],
    );
    return { id, runId };
  }

  const version = async (name: string, number: number) =>
    (await within((tx) => findVersion(tx, name, number))) as ModelVersionRow;
  const kept = async (name: string, number: number) => {
    const { id } = await version(name, number);
    return within((tx) => findTrainingClasses(tx, id));
  };

  it('stay with it and its copies when training and data are gone', async () => {
    const { id, runId } = await trained();
    await call('POST', `runs/${runId}/register`, { model_name: 'pets' });
    await client.post('model-versions/create', { name: 'pets', source: `runs:/${runId}/model` });
    expect((await call('DELETE', `training/experiments/${id}`)).status).toBe(200);
    await sql('update dataset set version_id = null where tenant_id = $1 and key = $2', [tenant.id, 'zoo']);
    await sql('delete from dataset_version where id = $1', [dataset.versionId]);
    await client.post('model-versions/create', { name: 'pets', source: 'models:/pets/1' });
    for (const number of [1, 2, 3]) {
      const row = await version('pets', number);
      const found = await within((tx) => trainingClasses(tx, row));
      expect(Object.fromEntries(found)).toEqual({ cat: 2, dog: 1 });
    }
    // Made from its run when nothing says any more what it learned.
    await call('POST', `runs/${runId}/register`, { model_name: 'pets' });
    expect(await kept('pets', 4)).toBeNull();
  });

  it('are not kept of what no training made', async () => {
    const runId = await client.run(await client.experiment('notebook'));
    await client.put(runId, 'model/MLmodel', 'flavors: {}');
    await client.post('runs/set-tag', { run_id: runId, key: 'dataset.digest', value: dataset.digest });
    await call('POST', `runs/${runId}/register`, { model_name: 'free' });
    expect(await kept('free', 1)).toBeNull();
  });
});
