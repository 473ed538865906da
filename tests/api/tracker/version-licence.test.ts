import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { findFrozenDataset } from '../../../models/datasets/catalog/frozen-dataset.queries.js';
import type { FrozenDataset } from '../../../models/datasets/catalog/dataset.types.js';
import { createExperiment } from '../../../models/training/experiment.commands.js';
import { findExperiment, type ExperimentRow } from '../../../models/training/experiment.queries.js';
import { closeRun, openRunForJob } from '../../../models/tracker/run.commands.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { MlflowClient } from './mlflow/mlflow-client.js';
import { putModelAsJob } from './support/job-model.js';

describe('the licence of a version', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let client: MlflowClient;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant);
    const store = openObjectStore(api.container.settings);
    const files = ['0', '1'].map((label) => ({ path: `${label}/a.png`, bytes: Buffer.from(label) }));
    await freezeDataset(api.container.db, store, tenant.id, 'grey', files);
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

  /** Run of a training by a framework that puts its models under a licence. */
  async function trained(): Promise<string> {
    const { body } = await call('POST', 'training/experiments', {
      ...{ task: 'classification', framework: 'sklearn', model: 'knn', dataset_id: 'grey' },
      evaluation: { enabled: false },
    });
    const id = await within(async (tx) => {
      const { config } = (await findExperiment(tx, body.id as string)) as ExperimentRow;
      const dataset = (await findFrozenDataset(tx, 'grey')) as FrozenDataset;
      return createExperiment(tx, SYSTEM_ACTOR, { config, dataset, licence: 'AGPL-3.0', preset: null });
    });
    const { trackerRunId } = (await within((tx) => findExperiment(tx, id))) as ExperimentRow;
    await within((tx) => openRunForJob(tx, trackerRunId));
    expect(await putModelAsJob(api, tenant, trackerRunId)).toBe(200);
    await within((tx) => closeRun(tx, trackerRunId, 'FINISHED'));
    return trackerRunId;
  }

  it('is that of the training, whatever becomes of the tag of its run', async () => {
    const runId = await trained();
    await client.post('runs/set-tag', { run_id: runId, key: 'licence', value: 'MIT' });
    await call('POST', `runs/${runId}/register`, { model_name: 'bound' });
    await client.post('runs/delete-tag', { run_id: runId, key: 'licence' });
    await client.post('model-versions/create', { name: 'bound', source: `runs:/${runId}/model` });
    for (const version of [1, 2])
      expect((await call('GET', `models/bound/versions/${version}`)).body.licence).toBe('AGPL-3.0');
  });

  it('is that of the files, whatever run a client names beside them', async () => {
    const runId = await trained();
    const other = await client.run(await client.experiment('other'));
    await client.post('runs/set-tag', { run_id: other, key: 'licence', value: 'MIT' });
    await call('POST', `runs/${runId}/register`, { model_name: 'copied' });
    for (const source of [`runs:/${runId}/model`, 'models:/copied/1'])
      await client.post('model-versions/create', { name: 'copied', source, run_id: other });
    const versions = [];
    for (const version of [1, 2, 3])
      versions.push((await call('GET', `models/copied/versions/${version}`)).body);
    expect(versions.map(({ licence }) => licence)).toEqual(['AGPL-3.0', 'AGPL-3.0', 'AGPL-3.0']);
    expect(versions[2].dataset_id).toBe('grey');
  });

  it('is what the tag of a run says that no training made', async () => {
    const runId = await client.run(await client.experiment('notebook'));
    await client.put(runId, 'model/MLmodel', 'flavors: {}');
    await client.post('runs/set-tag', { run_id: runId, key: 'licence', value: 'MIT' });
    await call('POST', `runs/${runId}/register`, { model_name: 'free' });
    expect((await call('GET', 'models/free/versions/1')).body.licence).toBe('MIT');
  });
});
