import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { createAttemptActivities } from '../../../activities/training/attempt.activities.js';
import { createOutcomeActivities } from '../../../activities/training/outcome.activities.js';
import { asTenantId } from '../../../core/security/ids.js';
import { restartRestoredExperiment } from '../../../models/training/restored-experiment.commands.js';
import type { AttemptEnd } from '../../../models/training/training-work.types.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { putModelAsJob } from '../tracker/support/job-model.js';

const CANCELED: AttemptEnd = { status: 'CANCELED', message: 'Canceled on request.' };

describe('a cancel while a model is registered', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let objects: ManagedObjectStore;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    objects = openObjectStore(api.container.settings);
    const files = ['0', '1'].map((label) => ({ path: `${label}/a.png`, bytes: Buffer.from(label) }));
    await freezeDataset(api.container.db, objects, tenant.id, 'grey', files);
  });
  afterAll(async () => {
    await objects?.close();
    await api?.close();
  });

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1${path}`, {
      ...{ token: api.admin.token, tenant: tenant.code },
      ...(json === undefined ? {} : { json }),
    });

  /** An attempt whose job has stored its model; what comes next is its registration. */
  async function finalized() {
    const name = `net-${randomUUID().slice(0, 8)}`;
    const { body } = await call('POST', '/training/experiments', {
      ...{ task: 'classification', framework: 'sklearn', model: 'knn', dataset_id: 'grey' },
      ...{ register_model: true, register_model_name: name, serving: { build_image: true } },
      evaluation: { enabled: false },
    });
    const { id, tracker_run_id: runId } = body as { id: string; tracker_run_id: string };
    const ref = { tenantId: tenant.id, experimentId: id, attempt: 1 };
    const deps = { database: api.container.db, objects, events: api.container.events };
    const work = {
      ...createAttemptActivities({ ...deps, remote: {} as never, weights: {} as never }),
      ...createOutcomeActivities(deps),
    };
    const run = <T>(activity: (of: typeof ref) => Promise<T>) =>
      new MockActivityEnvironment().run(activity, ref);
    await work.beginAttempt(ref);
    await run(work.prepareAttempt);
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      tx.execute("update training_experiment set status = 'RUNNING' where id = $1", [id]),
    );
    expect(await putModelAsJob(api, tenant, runId)).toBe(200);
    await run(work.finalizeAttempt);
    // Its job has ended: what is left of it writes no more.
    expect(await putModelAsJob(api, tenant, runId, 'late')).not.toBe(200);
    const cancel = async () =>
      expect((await call('POST', `/training/experiments/${id}/cancel`)).status).toBe(202);
    /** What experiment, run and registry say. */
    const said = async () => [
      (await call('GET', `/training/experiments/${id}`)).body.status,
      (await call('GET', `/runs/${runId}`)).body.status,
      (await call('GET', `/models/${name}/versions/1`)).status,
    ];
    const read = async () => (await call('GET', `/training/experiments/${id}`)).body;
    return { ref, work, name, cancel, said, read, register: () => run(work.registerTrainedModel) };
  }

  it('leaves a run that fails with what follows', async () => {
    const { ref, work, name, said, register } = await finalized();
    await register();
    expect(await said()).toEqual(['FINALIZING', 'RUNNING', 200]);
    await work.endAttempt(ref, { status: 'FAILED', message: 'The model image could not be built.' });
    expect(await said()).toEqual(['FAILED', 'FAILED', 200]);
    expect((await call('GET', `/models/${name}/versions/1`)).body.stage).toBe('None');
    const lost = await finalized();
    await lost.register();
    await lost.work.endAttempt(lost.ref, { status: 'LOST', message: 'Its workflow is gone.' });
    expect(await lost.said()).toEqual(['FAILED', 'FAILED', 200]);
  });

  const SUCCEEDED = ['SUCCEEDED', 'FINISHED', 200];
  const UNDONE = ['CANCELED', 'KILLED', 404];

  it('ends only what would follow when it comes after', async () => {
    const { ref, work, name, cancel, said, read, register } = await finalized();
    await register();
    await cancel();
    await work.endAttempt(ref, CANCELED);
    expect(await said()).toEqual(SUCCEEDED);
    const { status_message: message, steps } = await read();
    expect(message).toBe(`Canceled after its model was registered: ${name} version 1.`);
    const states = Object.fromEntries(
      (steps as Array<{ key: string; status: string }>).map(({ key, status }) => [key, status]),
    );
    expect(states).toMatchObject({ register: 'done', image: 'skipped' });
  });

  it('stops it when it comes before', async () => {
    const { ref, work, cancel, said, register } = await finalized();
    await cancel();
    await work.endAttempt(ref, CANCELED);
    await expect(register()).rejects.toThrow('This attempt is over.');
    expect(await said()).toEqual(UNDONE);
  });

  it('leaves one of both ends when both come at once', async () => {
    const { ref, work, cancel, said, register } = await finalized();
    await cancel();
    const [registered] = await Promise.allSettled([register(), work.endAttempt(ref, CANCELED)]);
    expect(await said()).toEqual(registered.status === 'fulfilled' ? SUCCEEDED : UNDONE);
  });

  it('says the same where its workflow was lost, and where it is restored', async () => {
    const lost = await finalized();
    await lost.register();
    await lost.cancel();
    await lost.work.endAttempt(lost.ref, { status: 'LOST', message: 'Its workflow is gone.' });
    expect(await lost.said()).toEqual(SUCCEEDED);
    const restored = await finalized();
    await restored.register();
    await restored.cancel();
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      restartRestoredExperiment(tx, restored.ref, 'Its job is gone.'),
    );
    expect(await restored.said()).toEqual(SUCCEEDED);
  });
});
