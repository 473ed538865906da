import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { asTenantId } from '../../../core/security/ids.js';
import { MetricKeys } from '../../../models/tracker/metric-keys.js';
import { writeBatch } from '../../../models/tracker/run-batch.commands.js';
import { advance } from '../../../models/training/experiment-state.commands.js';
import { jobSettings, jobSpec } from '../../../models/training/jobs/job-spec.js';
import { findExperiment } from '../../../models/training/experiment.queries.js';
import { findRunningTraining } from '../../../models/training/forecast/running-training.queries.js';
import { startStep } from '../../../models/training/step.commands.js';
import { beatHost } from '../../../models/workloads/host.platform.js';
import { placeWaiting } from '../../../models/workloads/placement.platform.js';
import { startWorkload } from '../../../models/workloads/workload.commands.js';
import { ABLE, aHost } from '../../builders/a-host.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

/** No worker runs here: what it would have written stands in the rows. */
describe('what is expected of trainings', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let token: string;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    token = (await api.addUser({ [tenant.code]: 'ML_ENGINEER' })).token;
    const store = openObjectStore(api.container.settings);
    const files = ['0', '1'].flatMap((label) =>
      Array.from({ length: 10 }, (_, at) => ({ path: `${label}/${at}.png`, bytes: Buffer.from(label + at) })),
    );
    await freezeDataset(api.container.db, store, tenant.id, 'grey', files);
    await store.close();
  });
  afterAll(() => api.close());
  beforeEach(() =>
    api.container.db.inPlatform(async (tx) => {
      await tx.execute('delete from workload');
      await tx.execute('delete from host');
    }),
  );

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/training${path}`, {
      token,
      tenant: tenant.code,
      ...(json === undefined ? {} : { json }),
    });
  const config = (over: Record<string, unknown> = {}) => ({
    ...{ task: 'classification', framework: 'sklearn', model: 'knn', dataset_id: 'grey' },
    ...over,
  });
  const created = async (): Promise<string> => (await call('POST', '/experiments', config())).body.id;

  /** As the worker does it. */
  async function prepared(id: string): Promise<void> {
    const ref = { tenantId: tenant.id, experimentId: id, attempt: 1 };
    await api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      await advance(tx, ref, 'PREPARING', 'Preparing.');
      await startStep(tx, ref, 'prepare', '');
      const experiment = await findExperiment(tx, id);
      if (!experiment) throw new Error('it is gone');
      const settings = jobSettings(api.container.settings);
      await startWorkload(tx, settings.keys, jobSpec(experiment, null, settings));
    });
  }
  const host = (maxJobs: number | null) => beatHost(api.container.db, aHost({ maxJobs }), ABLE);
  const stepsOf = async (id: string) => (await call('GET', `/experiments/${id}/steps`)).body.items;

  it('estimates slots, memory, duration and start of a config, and starts nothing', async () => {
    await host(1);
    const { total } = (await call('GET', '/experiments')).body;
    const { status, body } = await call('POST', '/experiments:estimate', config());
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ gpu_slots: 0, gpu_available: 0, images: 20, training_images: 16, epochs: 1 },
        duration: { basis: 'catalog', samples: 0, expected_s: expect.any(Number) },
        queue: { position: null, reason: null, message: null, predicted_start_at: expect.any(String) },
      },
    ]);
    expect(body.memory_bytes).toBeGreaterThan(10 ** 8);
    expect(body.memory_limit_bytes).toBe(api.container.settings.SERVICE_TRAINING_MEMORY_MB * 2 ** 20);
    expect((await call('GET', '/experiments')).body.total).toBe(total);
    const refused = await call('POST', '/experiments:estimate', config({ model: 'kn', dataset_id: 'none' }));
    expect([refused.status, refused.body.detail.map(({ loc }: { loc: string[] }) => loc[1])]).toEqual([
      422,
      ['model', 'dataset_id'],
    ]);
  });

  it('takes durations from trainings of this tenant that ended well', async () => {
    const id = await created();
    const ended = async (table: string, set: string, where: string) =>
      api.container.db.inPlatform((tx) => tx.execute(`update ${table} set ${set} where ${where} = $1`, [id]));
    await ended('training_experiment', "status = 'SUCCEEDED', finished_at = now()", 'id');
    await ended(
      'training_step',
      "status = 'done', started_at = now() - interval '70 seconds', finished_at = now()",
      'experiment_id',
    );
    expect((await call('POST', '/experiments:estimate', config())).body.duration).toMatchObject({
      ...{ basis: 'history', samples: 1, expected_s: 70 },
    });
    expect((await call('DELETE', `/experiments/${id}`)).status).toBe(200);
  });

  it('says why a training waits, its place in the queue, and when it begins and ends', async () => {
    const [first, second, third] = [await created(), await created(), await created()];
    expect((await stepsOf(first))[0]).toMatchObject({ reason: 'worker', queue_position: null });
    for (const id of [first, second, third]) await prepared(id);
    expect((await stepsOf(second))[0]).toMatchObject({
      ...{ key: 'prepare', reason: 'no_host', queue_position: 2, eta: null },
    });
    await host(1);
    await placeWaiting(api.container.db);
    expect((await stepsOf(first))[0]).toMatchObject({ reason: 'starting', queue_position: null });
    const [prepare, train, finalize] = await stepsOf(third);
    expect(prepare).toMatchObject({ reason: 'turn', queue_position: 2, eta: train.predicted_start_at });
    expect(train).toMatchObject({ reason: 'turn', queue_position: 2, status: 'pending' });
    expect(Date.parse(train.eta)).toBeGreaterThan(Date.parse(train.predicted_start_at));
    expect(Date.parse(train.predicted_start_at)).toBeGreaterThan(
      Date.parse((await stepsOf(second))[1].predicted_start_at),
    );
    expect(finalize).toMatchObject({ reason: null, queue_position: null, eta: null });
    expect((await call('POST', '/experiments:estimate', config())).body.queue).toMatchObject({
      ...{ position: 3, reason: 'turn', message: expect.stringContaining('turn') },
    });
    expect((await call('GET', `/experiments/${third}`)).body.steps[0].reason).toBe('turn');
  });

  it('predicts the end of a training by the pace of its attempt, for it and for those that wait', async () => {
    const { container } = api;
    const sql = (text: string, params: readonly unknown[]) =>
      container.db.inPlatform((tx) => tx.execute(text, params));
    await host(1);
    const [first, second] = [await created(), await created()];
    for (const id of [first, second]) await prepared(id);
    await placeWaiting(container.db);
    await sql("update training_experiment set status = 'RUNNING' where id = $1", [first]);
    await sql(
      `update training_step set status = case key when 'train' then 'running' else 'done' end, started_at = now()
       where experiment_id = $1 and key in ('prepare', 'train')`,
      [first],
    );
    const { tracker_run_id: runId } = (await call('GET', `/experiments/${first}`)).body;
    /** Progress, with how many seconds ago it was reported. */
    const report = (run: string, points: ReadonlyArray<readonly [progress: number, agoS: number]>) =>
      container.db.inTenant(asTenantId(tenant.id), async (tx) => {
        await tx.execute("update tracker_run set status = 'RUNNING', started_at = now() where run_id = $1", [
          run,
        ]);
        await writeBatch(tx, new MetricKeys(), run, {
          metrics: points.map(([value, agoS]) => ({
            ...{ key: 'system/progress', value, step: 0, ts: Date.now() - agoS * 1000 },
          })),
          ...{ params: [], tags: [] },
        });
      });
    const ends = async () => {
      const eta = (await stepsOf(first)).find(({ key }: { key: string }) => key === 'train').eta;
      const next = (await stepsOf(second))[1].predicted_start_at;
      return [eta, next].map((at) => at && Math.round((Date.parse(at) - Date.now()) / 100) / 10);
    };
    const asUsual = await ends();
    // Its data is read in no time, and that says nothing of its rounds.
    await report(runId, [
      [0.05, 80],
      [0.1, 79],
      [0.3, 40],
    ]);
    const usual = (await ends())[0] as number;
    expect(Math.abs(usual - (asUsual[0] as number))).toBeLessThan(5);
    await report(runId, [[0.4, 0]]);
    // Six tenths at forty seconds for each; those that wait begin five seconds later.
    const [eta, next] = (await ends()) as [number, number];
    expect(Math.abs(eta - 240)).toBeLessThan(5);
    expect(Math.abs(next - 245)).toBeLessThan(5);
    // It should have ended by now, and has reported nothing since.
    await sql(
      'update metric_point set ts = ts - 3600000 where run = (select id from tracker_run where run_id = $1)',
      [runId],
    );
    expect(await ends()).toEqual([null, null]);
    // An attempt that goes on from another's checkpoint has less before it, and its first report is no pace.
    const { body } = await call('POST', '/experiments', config());
    await report(body.tracker_run_id, [[0.9, 500]]);
    await sql('update training_experiment set resume_run_id = $2 where id = $1', [
      first,
      body.tracker_run_id,
    ]);
    const running = await container.db.inTenant(asTenantId(tenant.id), (tx) =>
      findRunningTraining(tx, first),
    );
    expect(running).toMatchObject({ begunAt: 0.9, firstProgress: 0.3, latestProgress: 0.4 });
  });

  it('shows how a training is launched, without its secrets', async () => {
    const id = await created();
    const { status, body } = await call('GET', `/experiments/${id}/launch`);
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ experiment_id: id, attempt: 1, config: { experiment_id: id, model: 'knn', dataset_id: 'grey' } },
        pod: {
          ...{ name: `tr-${id}-1`, kind: 'job', runtime: 'sklearn', entrypoint: 'train.py', args: [] },
          ...{ origin: 'platform', status: null, message: null, started_at: null, gpu: 0 },
        },
      },
    ]);
    expect(body.environment).toContainEqual({ name: 'JOB_TOKEN', value: null, from: 'secret' });
    expect(body.environment).toContainEqual({ name: 'RUN_ID', value: body.run_id, from: 'platform' });
    expect(body.volumes.map(({ path }: { path: string }) => path)).toEqual([
      ...['.', 'config.json', 'manifest.json', 'dataset'],
    ]);
    expect(JSON.stringify(body)).not.toMatch(/vj1\./);
    await prepared(id);
    expect((await call('GET', `/experiments/${id}/launch`)).body.pod).toMatchObject({ status: 'pending' });
    expect((await call('GET', `/experiments/${randomUUID()}/launch`)).status).toBe(404);
  });
});
