import { randomBytes, randomUUID } from 'node:crypto';
import { openObjectStore } from '../../../../adapters/minio/open-object-store.js';
import { asTenantId } from '../../../../core/security/ids.js';
import { issueJobToken } from '../../../../core/security/job-token.js';
import { openRunForJob } from '../../../../models/tracker/run.commands.js';
import { freezeDataset } from '../../../builders/frozen-dataset.js';
import { type FactoryContext, randomName, type ResourceFactory } from '../../support/resource-factory.js';

const random = () => ({
  experiment_id: randomUUID(),
  dataset_id: randomName(),
  run_id: randomBytes(16).toString('hex'),
  name: 'acc',
});

/** An experiment that waits, with a run that holds a metric, a param and an artifact named after the canary. */
async function create({ api, tenant, user, canary }: FactoryContext): Promise<Record<string, string>> {
  const store = openObjectStore(api.container.settings);
  try {
    const files = ['0', '1'].map((label) => ({ path: `${label}/${canary}.png`, bytes: Buffer.from(canary) }));
    const dataset = await freezeDataset(
      api.container.db,
      store,
      tenant.id,
      `${canary}-grey-${randomName()}`,
      files,
    );
    const config = {
      task: 'classification',
      framework: 'sklearn',
      model: 'knn',
      dataset_id: dataset.key,
      experiment_name: canary,
      evaluation: { enabled: false },
    };
    const { body } = await api.call('POST', '/api/v1/training/experiments', {
      token: user.token,
      tenant: tenant.code,
      json: config,
    });
    const runId = body.tracker_run_id as string;
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) => openRunForJob(tx, runId));
    const job = {
      token: issueJobToken(api.container.settings.SERVICE_SECRET_KEYS, {
        tenantId: tenant.id,
        runId,
        attempt: 1,
      }),
    };
    const batch = {
      run_id: runId,
      metrics: [{ key: 'acc', value: 1, timestamp: 1, step: 1 }],
      params: [{ key: 'secret', value: canary }],
    };
    await api.call('POST', '/tracker/api/2.0/mlflow/runs/log-batch', { ...job, json: batch });
    await api.call('PUT', `/tracker/api/2.0/mlflow-artifacts/artifacts/${runId}/artifacts/${canary}.txt`, {
      ...job,
      body: canary,
    });
    return { experiment_id: body.id as string, dataset_id: dataset.key, run_id: runId, name: 'acc' };
  } finally {
    await store.close();
  }
}

export const EXPERIMENT_FACTORY: ResourceFactory = { prefix: '/api/v1/training/', create, random };
export const RUN_FACTORY: ResourceFactory = { prefix: '/api/v1/runs/', create, random };

/** A preset named after the canary. */
export const PRESET_FACTORY: ResourceFactory = {
  prefix: '/api/v1/training/presets/',
  async create({ api, tenant, user, canary }) {
    const { body } = await api.call('POST', '/api/v1/training/presets', {
      token: user.token,
      tenant: tenant.code,
      json: {
        name: `${canary}-preset-${randomName()}`,
        description: canary,
        config: { task: 'classification', framework: 'sklearn', model: 'knn' },
      },
    });
    return { preset_id: body.id as string };
  },
  random: () => ({ preset_id: randomUUID() }),
};
