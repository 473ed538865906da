import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { issueJobToken } from '../../../../core/security/job-token.js';
import { NOTIFICATION_FACTORY } from '../../notifications/support/notification-factory.js';
import { MODEL_FACTORY } from '../../registry/support/model-factory.js';
import { PROMOTION_FACTORY } from '../../registry/support/promotion-factory.js';
import { ENDPOINT_FACTORY } from '../../serving/endpoint-factory.js';
import { randomName } from '../../support/resource-factory.js';
import { TRACKER_EXPERIMENT_FACTORY } from '../../tracker/support/tracker-experiment-factory.js';
import { EXPERIMENT_FACTORY, PRESET_FACTORY } from '../../training/support/training-factories.js';
import {
  type AuditedCase,
  type AuditPlace,
  leaving,
  onNew,
  type Prepare,
  type UnauditedCase,
} from './audit-case.js';

const experimentThat =
  (status: string): Prepare =>
  async (at) => {
    const values = await at.make(EXPERIMENT_FACTORY);
    await at.set('update training_experiment set status = $2, finished_at = now() where id = $1', [
      values.experiment_id,
      status,
    ]);
    return { values };
  };

/** One that has stored a model of a framework that exports. */
const trainedExperiment: Prepare = async (at) => {
  const { experiment_id = '', run_id = '' } = await at.make(EXPERIMENT_FACTORY);
  const token = issueJobToken(at.api.container.settings.SERVICE_SECRET_KEYS, {
    tenantId: at.tenant.id,
    runId: run_id,
    attempt: 1,
  });
  await at.api.call('PUT', `/tracker/api/2.0/mlflow-artifacts/artifacts/${run_id}/artifacts/model/MLmodel`, {
    token,
    body: 'x',
  });
  await at.set(
    "update training_experiment set status = 'SUCCEEDED', framework = 'torchvision', finished_at = now() where id = $1",
    [experiment_id],
  );
  return { values: { experiment_id } };
};

const endpointThat =
  (status: string, json: Readonly<Record<string, unknown>> = {}): Prepare =>
  async (at) => {
    const values = await at.make(ENDPOINT_FACTORY);
    await at.set(
      "update serving_endpoint set status = $2, wish = case when $2 = 'STOPPED' then 'stop' else 'run' end where tenant_id = $3 and name = $1",
      [values.name, status, at.tenant.id],
    );
    return { values, json };
  };

const config = async (at: AuditPlace) => ({
  task: 'classification',
  framework: 'sklearn',
  model: 'knn',
  evaluation: { enabled: false },
  dataset_id: (await at.make(EXPERIMENT_FACTORY)).dataset_id,
  experiment_name: randomName(),
});

/** A run whose job logged a model. */
const runWithModel: Prepare = async (at) => {
  const { run_id = '' } = await at.make(EXPERIMENT_FACTORY);
  const token = issueJobToken(at.api.container.settings.SERVICE_SECRET_KEYS, {
    tenantId: at.tenant.id,
    runId: run_id,
    attempt: 1,
  });
  await at.api.call('PUT', `/tracker/api/2.0/mlflow-artifacts/artifacts/${run_id}/artifacts/model/MLmodel`, {
    token,
    body: 'x',
  });
  return { values: { run_id }, json: { model_name: randomName() } };
};

/** The run of a training that has ended. */
const endedRun: Prepare = async (at) => {
  const { run_id = '' } = await at.make(EXPERIMENT_FACTORY);
  await at.set(
    "update tracker_run set status = 'FINISHED', is_job_open = false, finished_at = now() where run_id = $1",
    [run_id],
  );
  return { values: { run_id } };
};

/** A run that no training drives. */
const plainRun: Prepare = async (at) => {
  const { run_id = '' } = await at.make(EXPERIMENT_FACTORY);
  await at.set('update tracker_run set training_id = null, training_attempt = null where run_id = $1', [
    run_id,
  ]);
  return { values: { run_id } };
};

const readyImage = async (at: AuditPlace): Promise<string> => {
  const id = randomUUID();
  await at.set(
    "insert into image (id, tenant_id, kind, repository, status, manifest_digest, runtime) values ($1, $2, 'import', $3, 'READY', $4, 'sklearn')",
    [id, at.tenant.id, randomName(), `sha256:${'a'.repeat(64)}`],
  );
  return id;
};

export const WORK_CASES: Readonly<Record<string, AuditedCase>> = {
  'POST /api/v1/training/experiments': {
    action: 'experiment.create',
    prepare: async (at) => ({ json: await config(at) }),
  },
  'POST /api/v1/training/experiments/{experiment_id}/cancel': {
    action: 'experiment.cancel',
    prepare: onNew(EXPERIMENT_FACTORY),
  },
  'POST /api/v1/training/experiments/{experiment_id}/retry': {
    action: 'experiment.retry',
    prepare: experimentThat('FAILED'),
  },
  'DELETE /api/v1/training/experiments/{experiment_id}': {
    action: 'experiment.delete',
    prepare: experimentThat('CANCELED'),
  },
  'POST /api/v1/training/experiments/{experiment_id}/export': {
    action: 'experiment.export',
    prepare: trainedExperiment,
  },
  'POST /api/v1/training/experiments/{experiment_id}/export/cancel': {
    action: 'experiment.export_cancel',
    prepare: async (at) => {
      const values = await at.make(EXPERIMENT_FACTORY);
      await at.set(
        `insert into training_export (tenant_id, experiment_id, tracker_run_id, formats)
         values ($1, $2, $3, '["onnx"]')`,
        [at.tenant.id, values.experiment_id, values.run_id],
      );
      return { values };
    },
  },
  'POST /api/v1/training/presets': {
    action: 'preset.create',
    prepare: () => ({
      json: {
        name: randomName(),
        config: { task: 'classification', framework: 'sklearn', model: 'knn' },
      },
    }),
  },
  'DELETE /api/v1/training/presets/{preset_id}': {
    action: 'preset.delete',
    prepare: onNew(PRESET_FACTORY),
  },
  'POST /api/v1/runs/{run_id}/register': { action: 'model.register', prepare: runWithModel },
  'POST /api/v1/models/{name}/{version}/promote': {
    action: 'promotion.request',
    prepare: async (at) => ({
      values: await at.make(MODEL_FACTORY),
      json: { to_version: 1, reason: 'It is better.' },
    }),
  },
  'POST /api/v1/promotions/{promotion_id}/approve': {
    action: 'promotion.approve',
    prepare: leaving(onNew(PROMOTION_FACTORY)),
  },
  'POST /api/v1/promotions/{promotion_id}/reject': {
    action: 'promotion.reject',
    prepare: leaving(onNew(PROMOTION_FACTORY)),
  },
  'POST /api/v1/models/{name}/{version}/comments': {
    action: 'model.comment',
    prepare: onNew(MODEL_FACTORY),
  },
  'POST /api/v1/experiments': {
    action: 'tracker.experiment_create',
    prepare: () => ({ json: { name: randomName(), project: randomName() } }),
  },
  'DELETE /api/v1/experiments/{experiment_id}': {
    action: 'tracker.experiment_delete',
    prepare: onNew(TRACKER_EXPERIMENT_FACTORY),
  },
  'DELETE /api/v1/runs/{run_id}': { action: 'run.delete', prepare: endedRun },
  'POST /api/v1/runs/{run_id}/terminate': { action: 'run.terminate', prepare: plainRun },
  'POST /api/v1/models/{name}/{version}/stage': { action: 'model.stage', prepare: onNew(MODEL_FACTORY) },
  'POST /api/v1/models/{name}/{version}/image': { action: 'image.build', prepare: onNew(MODEL_FACTORY) },
  'DELETE /api/v1/models/{name}/{version}': { action: 'model.version_delete', prepare: onNew(MODEL_FACTORY) },
  'DELETE /api/v1/models/{name}': { action: 'model.delete', prepare: onNew(MODEL_FACTORY) },
  'POST /api/v1/serving/endpoints': {
    action: 'serving.create',
    prepare: async (at) => ({ json: { name: randomName(), image_id: await readyImage(at) } }),
  },
  'PATCH /api/v1/serving/endpoints/{name}': {
    action: 'serving.scale',
    prepare: endpointThat('RUNNING', { replicas: 3 }),
  },
  'POST /api/v1/serving/endpoints/{name}/start': {
    action: 'serving.start',
    prepare: leaving(endpointThat('STOPPED')),
  },
  'POST /api/v1/serving/endpoints/{name}/stop': {
    action: 'serving.stop',
    prepare: leaving(endpointThat('RUNNING')),
  },
  'DELETE /api/v1/serving/endpoints/{name}': {
    action: 'serving.delete',
    prepare: leaving(endpointThat('RUNNING')),
  },
};

export const UNAUDITED_WORK_CASES: Readonly<Record<string, UnauditedCase>> = {
  'POST /api/v1/training/experiments:validate': {
    because: 'checks and changes nothing',
    prepare: async (at) => ({ json: await config(at) }),
  },
  'POST /api/v1/training/experiments:estimate': {
    because: 'checks and changes nothing',
    prepare: async (at) => ({ json: await config(at) }),
  },
  'POST /api/v1/serving/endpoints/{name}/heartbeat': {
    because: 'heartbeats',
    prepare: leaving(endpointThat('RUNNING')),
  },
  'POST /api/v1/serving/endpoints/{name}/proxy/{path}': {
    because: 'inference',
    prepare: async (at) => {
      const values = await at.make(ENDPOINT_FACTORY);
      const server = createServer((_, answer) => answer.end('{}'));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      await at.set(
        "update serving_endpoint set status = 'RUNNING', instances = $3 where tenant_id = $2 and name = $1",
        [
          values.name,
          at.tenant.id,
          JSON.stringify([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]),
        ],
      );
      return { values: { ...values, path: 'invocations' }, end: () => server.close() };
    },
  },
  'POST /api/v1/notifications/read-all': {
    because: "marks in one's own feed",
    prepare: onNew(NOTIFICATION_FACTORY),
  },
  'POST /api/v1/notifications/{notification_id}/read': {
    because: "a mark in one's own feed",
    prepare: onNew(NOTIFICATION_FACTORY),
  },
};
