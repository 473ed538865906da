import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { holdLiveAttempt } from '../../../activities/training/attempt.activities.js';
import { asTenantId } from '../../../core/security/ids.js';
import { putArtifact } from '../../../models/tracker/artifact.commands.js';
import { closeRun } from '../../../models/tracker/run.commands.js';
import { findRun } from '../../../models/tracker/run.queries.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { end, lockExperiment } from '../../../models/training/experiment-state.commands.js';
import { reportTrainingProgress } from '../../../models/training/report-progress.commands.js';
import { closeSteps } from '../../../models/training/step.commands.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

describe('training experiments', () => {
  let api: TestApi;
  let store: ManagedObjectStore;
  let tenant: TestTenant;
  let token: string;

  beforeAll(async () => {
    api = await startTestApi();
    store = openObjectStore(api.container.settings);
    tenant = await api.addTenant();
    token = (await api.addUser({ [tenant.code]: 'ML_ENGINEER' })).token;
    await freezeDataset(
      api.container.db,
      store,
      tenant.id,
      'grey',
      ['0', '1', '1'].map((label, at) => ({
        path: `${label}/${at}.png`,
        bytes: Buffer.from(`${label}${at}`),
      })),
    );
  });
  afterAll(async () => {
    await store.close();
    await api.close();
  });

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/training${path}`, {
      token,
      tenant: tenant.code,
      ...(json === undefined ? {} : { json }),
    });
  const config = (over: Record<string, unknown> = {}) => ({
    task: 'classification',
    framework: 'sklearn',
    model: 'knn',
    dataset_id: 'grey',
    // No share of so few images comes to one.
    evaluation: { enabled: false },
    ...over,
  });

  it('are offered six tasks in order, with what this installation cannot train marked and explained', async () => {
    const tasks = await call('GET', '/catalog/tasks');
    expect(tasks.body.items.map((task: { name: string }) => task.name)).toEqual([
      'classification',
      'detection',
      'instance_segmentation',
      'semantic_segmentation',
      'pose',
      'obb',
    ]);
    expect(tasks.body.items[0]).toMatchObject({ available: true, reason: null });
    expect(tasks.body.items.at(-1)).toMatchObject({
      name: 'obb',
      available: false,
      reason: expect.stringMatching(/ultralytics \(AGPL-3\.0\) is off.*SERVICE_RUNTIMES/),
    });
    const frameworks = (await call('GET', '/catalog/frameworks?task=classification')).body.items;
    expect(frameworks[0]).toMatchObject({ name: 'sklearn', available: true, reason: null });
    expect(frameworks.map(({ name }: { name: string }) => name)).toEqual([
      'sklearn',
      'torchvision',
      'ultralytics',
    ]);
    expect(frameworks.at(-1)).toMatchObject({
      available: false,
      reason: expect.stringMatching(/SERVICE_RUNTIMES/),
      licence: 'AGPL-3.0',
    });
    const obb = await call('GET', '/catalog/models?task=obb&q=11n');
    expect(obb.body).toMatchObject({
      total: 1,
      page: 1,
      items: [
        { framework: 'ultralytics', parameters_m: 2.7, map: 78.4, licence: 'AGPL-3.0', available: false },
      ],
    });
    expect((await call('GET', '/catalog/models?task=classification&framework=sklern')).status).toBe(422);
    expect((await call('GET', '/catalog/frameworks')).status).toBe(422);
  });

  it('have default hyperparameters as YAML text', async () => {
    const yaml = await call('GET', '/catalog/hyperparameters?framework=sklearn&model=knn');
    expect([yaml.status, yaml.headers.get('content-type')]).toEqual([200, 'application/yaml; charset=utf-8']);
    expect(yaml.text).toContain('neighbors: 3');
    expect(
      (await call('GET', '/catalog/hyperparameters?framework=sklearn&model=kn')).body.detail[0].msg,
    ).toContain('did you mean knn?');
    const torch = await call('GET', '/catalog/hyperparameters?framework=torchvision&model=resnet18');
    expect(torch.text).toContain('precision: float32');
    const yolo = await call('GET', '/catalog/hyperparameters?framework=ultralytics&model=yolo11n-obb');
    expect(yolo.text).toContain('image_size: 640');
  });

  it('are offered frozen datasets with their classes, and presets', async () => {
    expect((await call('GET', '/datasets')).body).toMatchObject({
      total: 1,
      items: [{ id: 'grey', class_count: 2 }],
    });
    expect((await call('GET', '/datasets/grey/classes?task=classification')).body.items).toEqual([
      { name: '0', count: 1 },
      { name: '1', count: 2 },
    ]);
    expect((await call('GET', '/datasets/none/classes?task=classification')).status).toBe(404);
    expect((await call('GET', '/presets')).body.items[0]).toMatchObject({ id: 'quick-look', built_in: true });
  });

  it('are refused with every wrong field named, before anything starts', async () => {
    const answer = await call(
      'POST',
      '/experiments',
      config({ splt: {}, split: { train: 0.9, vall: 0.1 }, gpu: 0.5 }),
    );
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ code: 'unprocessable_entity', error_id: expect.any(String) });
    const unknown = await call('POST', '/experiments', config({ splt: {}, split: { vall: 0.1 } }));
    expect(
      unknown.body.detail.map((item: { loc: string[]; msg: string }) => [item.loc.join('.'), item.msg]),
    ).toEqual([
      ['body.splt', expect.stringContaining('did you mean "split"')],
      ['body.split.vall', expect.stringContaining('did you mean "val"')],
    ]);
    expect((await call('GET', '/experiments')).body.total).toBe(0);
  });

  it('name the presets there are when they are said to come from an unknown one', async () => {
    const answer = await call(
      'POST',
      '/experiments?preset=fastest',
      config({ evaluation: { enabled: false, metrics: ['map'] } }),
    );
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      [
        {
          loc: ['body', 'evaluation', 'metrics', 0],
          msg: expect.stringContaining('accuracy'),
          type: 'value_error',
        },
        {
          loc: ['query', 'preset'],
          msg: expect.stringContaining('quick-look, small-images'),
          type: 'value_error',
        },
      ],
    ]);
  });

  it('are checked without being started', async () => {
    // None of three images would be tested.
    const whole = { split: { stratify: true }, evaluation: { enabled: false } };
    expect((await call('POST', '/experiments:validate', config(whole))).body).toMatchObject({
      valid: true,
      errors: [],
      warnings: [],
    });
    expect((await call('POST', '/experiments:validate', config({ ...whole, gpu: 1 }))).body).toMatchObject({
      valid: false,
      errors: [{ loc: ['body', 'gpu'], type: 'not_available' }],
    });
    const description = JSON.parse((await api.call('GET', '/openapi.json')).text).components.schemas
      .ExperimentConfig.properties.gpu;
    expect(description).toMatchObject({
      description: 'GPU slots. Default 1; 0 where the installation has none. More than it has are refused',
    });
    expect(description).not.toHaveProperty('default');
    expect((await call('POST', '/experiments:validate', config({ dataset_id: 'none' }))).body).toMatchObject({
      valid: false,
      errors: [{ loc: ['body', 'dataset_id'] }],
    });
    expect((await call('GET', '/experiments')).body.total).toBe(0);
  });

  it('are written with plan, run and start in one go, listed and canceled', async () => {
    const created = await call(
      'POST',
      '/experiments?preset=quick-look',
      config({ experiment_name: 'shop/alpha' }),
    );
    expect(created.status).toBe(202);
    expect(created.body).toMatchObject({
      name: 'shop/alpha',
      status: 'QUEUED',
      progress: 0,
      preset: 'quick-look',
      gpu: 0,
      attempt: 1,
      config: { split: { train: 0.8 } },
      steps: [{ key: 'prepare', status: 'pending' }, { key: 'train' }, { key: 'finalize' }],
    });
    await call('POST', '/experiments', config({ experiment_name: 'beta' }));
    const { id, tracker_run_id: runId } = created.body;
    expect(
      (await api.call('GET', `/api/v1/runs/${runId}`, { token, tenant: tenant.code })).body,
    ).toMatchObject({ status: 'SCHEDULED', project: 'shop', experiment_name: 'alpha' });
    expect((await call('GET', '/experiments')).body.items.map((item: { name: string }) => item.name)).toEqual(
      ['beta', 'shop/alpha'],
    );
    expect((await call('GET', '/experiments?sort=name&order=desc&q=ALPHA&status=QUEUED')).body).toMatchObject(
      { total: 1, items: [{ id }] },
    );
    expect(await call('GET', '/experiments?sort=secret')).toMatchObject({
      status: 400,
      body: { detail: { allowed: expect.arrayContaining(['name']) } },
    });
    expect((await call('GET', '/experiments?status=DONE')).status).toBe(422);
    expect((await call('GET', `/experiments/${id}/steps`)).body).toMatchObject({ total: 3, attempt: 1 });
    expect(await call('GET', `/experiments/${id}/log`)).toMatchObject({ status: 200, text: '' });
    expect((await call('GET', `/experiments/${id}/metrics`)).body).toMatchObject({
      run_id: runId,
      keys: [],
      items: [],
      max_points: 1000,
    });
    expect((await call('DELETE', `/experiments/${id}`)).status).toBe(409);
    expect(await call('POST', `/experiments/${id}/cancel`)).toMatchObject({
      status: 202,
      body: { status: 'QUEUED', status_message: 'Canceling.' },
    });
    expect((await call('POST', `/experiments/${id}/cancel`)).status).toBe(202);
    const waiting = await api.container.db.inPlatform((tx) =>
      tx.query<{ kind: string; n: number }>(
        "select kind, count(*) as n from dispatch where workflow_id like 'training:%' || $1 || '%' group by kind order by kind",
        [id],
      ),
    );
    expect(waiting).toEqual([
      { kind: 'cancel', n: 1 },
      { kind: 'start', n: 1 },
    ]);
  });

  it('are tried again with a new attempt, run, plan and start, once they have failed or were canceled', async () => {
    const { id, tracker_run_id: first } = (
      await call('POST', '/experiments', config({ experiment_name: 'again' }))
    ).body;
    expect(await call('POST', `/experiments/${id}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: expect.stringContaining('QUEUED') },
    });
    await call('POST', `/experiments/${id}/cancel`);
    const setStatus = (status: string) =>
      api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
        await closeRun(tx, first, 'KILLED');
        await tx.execute(
          'update training_experiment set status = $2, started_at = now(), finished_at = now(), progress = 0.4 where id = $1',
          [id, status],
        );
        await tx.execute(
          "update training_step set status = 'skipped' where experiment_id = $1 and attempt = 1",
          [id],
        );
      });
    await setStatus('SUCCEEDED');
    expect(await call('POST', `/experiments/${id}/retry`)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('Start a new one') },
    });
    await setStatus('CANCELED');
    const again = await call('POST', `/experiments/${id}/retry`, { resume: false });
    expect(again).toMatchObject({
      status: 202,
      body: {
        id,
        status: 'QUEUED',
        status_message: 'Waiting for a worker.',
        attempt: 2,
        progress: 0,
        started_at: null,
        finished_at: null,
        steps: [{ status: 'pending' }, {}, {}],
      },
    });
    const second = again.body.tracker_run_id;
    expect(second).not.toBe(first);
    expect(
      (await api.call('GET', `/api/v1/runs/${second}`, { token, tenant: tenant.code })).body,
    ).toMatchObject({ status: 'SCHEDULED', training_experiment_id: id });
    expect(
      (await api.call('GET', `/api/v1/runs/${first}`, { token, tenant: tenant.code })).body,
    ).toMatchObject({ status: 'KILLED', training_experiment_id: id });
    expect((await call('POST', `/experiments/${id}/retry`)).status).toBe(409);
    expect((await call('POST', `/experiments/${id}/cancel`)).status).toBe(202);
    const ids = await api.container.db.inPlatform((tx) =>
      tx.query<{ kind: string; workflow_id: string }>(
        "select kind, workflow_id from dispatch where workflow_id like 'training:%' || $1 || '%' order by id",
        [id],
      ),
    );
    expect(ids.map(({ kind, workflow_id: workflow }) => [kind, workflow.split(':').at(-1)])).toEqual([
      ['start', '1'],
      ['cancel', '1'],
      ['start', '2'],
      ['cancel', '2'],
    ]);
    const audited = await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      tx.query<{ detail: unknown }>(
        "select detail from audit_entry where action = 'experiment.retry' and target_id = $1",
        [id],
      ),
    );
    expect(audited).toEqual([{ detail: { attempt: 2, after: 'CANCELED', resumed_from_attempt: null } }]);
  });

  it('go on from the newest checkpoint that an attempt has stored, unless they shall not', async () => {
    const { id, tracker_run_id: first } = (
      await call('POST', '/experiments', config({ experiment_name: 'resumed' }))
    ).body;
    const endAs = (runId: string) =>
      api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
        await closeRun(tx, runId, 'FAILED');
        await tx.execute(
          "update training_experiment set status = 'FAILED', finished_at = now() where id = $1",
          [id],
        );
      });
    await api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      const run = await findRun(tx, first);
      await putArtifact(tx, run?.row as number, {
        path: 'checkpoints/latest.skops',
        sizeBytes: 1,
        sha256: 'a'.repeat(64),
        objectKey: `t/${tenant.id}/run/${first}/x`,
      });
    });
    await endAs(first);
    const second = (await call('POST', `/experiments/${id}/retry`)).body;
    expect(second).toMatchObject({
      attempt: 2,
      status_message: 'Waiting for a worker; goes on from the checkpoint of attempt 1.',
    });
    await endAs(second.tracker_run_id);
    expect((await call('POST', `/experiments/${id}/retry`, { resume: true })).body).toMatchObject({
      attempt: 3,
      status_message: expect.stringContaining('attempt 1.'),
    });
    const stored = await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      tx.query<{ resume_run_id: string }>('select resume_run_id from training_experiment where id = $1', [
        id,
      ]),
    );
    expect(stored).toEqual([{ resume_run_id: first }]);
    expect((await call('POST', `/experiments/${id}/retry`, { resume: 'yes' })).status).toBe(422);
  });

  it('let the end of an attempt wait for what is written for it, and refuse what comes after', async () => {
    const { id } = (await call('POST', '/experiments', config({ experiment_name: 'held' }))).body;
    const ref = { tenantId: tenant.id, experimentId: id as string, attempt: 1 };
    const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) =>
      api.container.db.inTenant(asTenantId(tenant.id), work);
    await inTenant((tx) =>
      tx.execute("update training_step set status = 'running' where experiment_id = $1 and key = 'train'", [
        id,
      ]),
    );
    const order: string[] = [];
    let ending: Promise<void> = Promise.resolve();
    await inTenant(async (tx) => {
      await holdLiveAttempt(tx, ref);
      ending = inTenant(async (other) => {
        await lockExperiment(other, id);
        await closeSteps(other, ref, 'over');
        await end(other, ref, 'FAILED', 'over');
      }).then(() => void order.push('ended'));
      await new Promise((resolve) => setTimeout(resolve, 300));
      // Takes the steps after the experiment: in the other order the two would wait for each other.
      await reportTrainingProgress(tx, ref, 0.5);
      order.push('written');
    });
    await ending;
    expect(order).toEqual(['written', 'ended']);
    await expect(inTenant((tx) => holdLiveAttempt(tx, ref))).rejects.toThrow('This attempt is over.');
  });

  it('need the right to develop', async () => {
    const viewer = await api.addUser({ [tenant.code]: 'VIEWER' });
    expect(
      (
        await api.call('POST', '/api/v1/training/experiments', {
          token: viewer.token,
          tenant: tenant.code,
          json: config(),
        })
      ).status,
    ).toBe(403);
    expect(
      (await api.call('GET', '/api/v1/training/experiments', { token: viewer.token, tenant: tenant.code }))
        .status,
    ).toBe(200);
  });
});
