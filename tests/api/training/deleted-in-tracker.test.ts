import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import type { TenantTransaction } from '../../../models/orm/transaction.js';
import { closeRun } from '../../../models/tracker/run.commands.js';
import { retryExperiment } from '../../../models/training/attempt.commands.js';
import { until } from '../serving/digit-model.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { MlflowClient } from '../tracker/mlflow/mlflow-client.js';
import { EXPERIMENT_FACTORY } from './support/training-factories.js';

describe('a training whose run or experiment an MLflow client deletes and restores', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let client: MlflowClient;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant);
  });
  afterAll(() => api.close());

  const within = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
    api.container.db.inTenant(asTenantId(tenant.id), work);
  const call = (method: string, path: string) =>
    api.call(method, `/api/v1/training/experiments/${path}`, { token: api.admin.token, tenant: tenant.code });

  /** A training that has failed after it stored a checkpoint. */
  async function failed() {
    const canary = `t${randomUUID().slice(0, 8)}`;
    const made = await EXPERIMENT_FACTORY.create({ api, tenant, user: api.admin, canary });
    const [id, runId] = [made.experiment_id as string, made.run_id as string];
    await within(async (tx) => {
      await tx.execute(
        `insert into run_artifact (run, path, size_bytes, sha256, object_key, tenant_id)
         select id, 'checkpoints/latest.pt', 1, repeat('a', 64), $2, $3 from tracker_run where run_id = $1`,
        [runId, `t/${tenant.id}/runs/${randomUUID()}`, tenant.id],
      );
      await tx.execute(
        "update training_experiment set status = 'FAILED', finished_at = now() where id = $1",
        [id],
      );
    });
    await within((tx) => closeRun(tx, runId, 'FAILED'));
    const { body } = await client.get('experiments/get-by-name', { experiment_name: canary });
    return { canary, id, runId, experiment_id: body.experiment.experiment_id as string };
  }
  const seen = async (id: string) => {
    const [checkpoints, metrics, log] = await Promise.all(
      ['checkpoints', 'metrics', 'log'].map((part) => call('GET', `${id}/${part}`)),
    );
    const answers = [await call('GET', id), checkpoints, metrics, log];
    expect(answers.map((answer) => answer?.status)).toEqual([200, 200, 200, 200]);
    return { checkpoints: checkpoints?.body.items.length, metrics: metrics?.body };
  };

  it('shows nothing of a deleted run, and all of it once it is restored', async () => {
    const { id, runId, experiment_id } = await failed();
    const before = await seen(id);
    expect(before.checkpoints).toBe(1);
    for (const [what, given] of [
      ['runs', { run_id: runId }],
      ['experiments', { experiment_id }],
    ] as const) {
      expect((await client.post(`${what}/delete`, given)).status).toBe(200);
      expect((await seen(id)).checkpoints).toBe(0);
      expect((await call('GET', `${id}/artifacts`)).status).toBe(404);
      expect((await client.post(`${what}/restore`, given)).status).toBe(200);
      expect(await seen(id)).toEqual(before);
    }
  });

  it('is tried again from its checkpoint after it was restored', async () => {
    const { id, experiment_id } = await failed();
    await client.post('experiments/delete', { experiment_id });
    await client.post('experiments/restore', { experiment_id });
    const { status, body } = await call('POST', `${id}/retry`);
    expect([status, body.attempt, body.status_message]).toEqual([
      ...[202, 2, expect.stringContaining('checkpoint of attempt 1')],
    ]);
  });

  it('is tried again in an experiment that lies in the bin, which comes back for it', async () => {
    const { id, runId, experiment_id } = await failed();
    await client.post('experiments/delete', { experiment_id });
    const { status, body } = await call('POST', `${id}/retry`);
    expect([status, body.attempt]).toEqual([202, 2]);
    const { info } = (await client.get('runs/get', { run_id: body.tracker_run_id })).body.run;
    expect(info).toMatchObject({ experiment_id, lifecycle_stage: 'active' });
    const { experiment } = (await client.get('experiments/get', { experiment_id })).body;
    expect(experiment.lifecycle_stage).toBe('active');
    expect((await client.post('experiments/delete', { experiment_id })).status).toBe(409);
    expect((await client.post('experiments/restore', { experiment_id })).status).toBe(200);
    const first = (await client.get('runs/get', { run_id: runId })).body.run.info;
    expect(first).toMatchObject({ status: 'FAILED', lifecycle_stage: 'active' });
  });

  it('keeps its experiment while an attempt is being planned', async () => {
    const { id, experiment_id } = await failed();
    let plan = (): void => undefined;
    const isPlanned = new Promise<void>((resolve) => (plan = resolve));
    let commit = (): void => undefined;
    const isToCommit = new Promise<void>((resolve) => (commit = resolve));
    const planning = within(async (tx) => {
      await retryExperiment(tx, SYSTEM_ACTOR, id, true);
      plan();
      await isToCommit;
    });
    await isPlanned;
    const deletion = client.post('experiments/delete', { experiment_id });
    const isWaiting = until('the deletion', async () => {
      const found = await within((tx) =>
        tx.query(`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`),
      );
      return found.length > 0;
    });
    await Promise.race([deletion, isWaiting]);
    commit();
    await planning;
    expect((await deletion).status).toBe(409);
    const { experiment } = (await client.get('experiments/get', { experiment_id })).body;
    expect(experiment.lifecycle_stage).toBe('active');
  });
});
