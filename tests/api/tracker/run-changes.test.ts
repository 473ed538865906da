import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { issueJobToken } from '../../../core/security/job-token.js';
import { EXPERIMENT_FACTORY } from '../training/support/training-factories.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';

jest.setTimeout(60_000);

interface Tree {
  readonly experiments: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
    readonly run_count: number;
    readonly runs: ReadonlyArray<{ readonly run_id: string }>;
  }>;
}

describe('experiments and runs of the tracker', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let viewer: TestUser;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    viewer = await api.addUser({ [tenant.code]: 'VIEWER' });
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, options: Parameters<TestApi['call']>[2] = {}) =>
    api.call(method, `/api/v1${path}`, { token: api.admin.token, tenant: tenant.code, ...options });
  const sql = <R extends object>(text: string, params: unknown[] = []) =>
    api.container.db.inPlatform((tx) => tx.query<R>(text, params));
  /** A run with a metric, a param and an artifact, whose training waits. */
  const make = (canary = `c${randomUUID().slice(0, 8)}`) =>
    EXPERIMENT_FACTORY.create({ api, tenant, user: api.admin, canary }) as Promise<
      Record<'run_id' | 'experiment_id', string>
    >;
  const finish = (runId: string) =>
    sql(
      "update tracker_run set status = 'FINISHED', finished_at = now(), is_job_open = false where run_id = $1",
      [runId],
    );
  const detach = (runId: string) =>
    sql('update tracker_run set training_id = null, training_attempt = null where run_id = $1', [runId]);
  const rowsOf = async (runId: string) => {
    const [run] = await sql<{ id: number }>('select id from tracker_run where run_id = $1', [runId]);
    return run?.id;
  };

  it('are created once for each project, and refused without a proper name', async () => {
    const json = { name: 'baselines', project: 'digits' };
    const made = await call('POST', '/experiments', { json });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ ...json, id: expect.stringMatching(/^\d+$/), created_by: api.admin.id }),
    ]);
    expect((await call('POST', '/experiments', { json })).status).toBe(409);
    expect((await call('POST', '/experiments', { json: { ...json, project: 'other' } })).status).toBe(201);
    for (const change of [
      { name: '' },
      { name: 'a/b' },
      { project: 'a/b' },
      { project: 'x'.repeat(251) },
      { name: 'x'.repeat(501) },
      { name: '  ' },
      { name: undefined },
      { project: undefined },
    ])
      expect([change, (await call('POST', '/experiments', { json: { ...json, ...change } })).status]).toEqual(
        [change, 422],
      );
    expect((await call('POST', '/experiments', { json, token: viewer.token })).status).toBe(403);
    const { items } = (await call('GET', '/experiments/tree')).body;
    expect(items.find((project: { name: string }) => project.name === 'digits').experiments[0].id).toBe(
      made.body.id,
    );
    expect((await call('DELETE', `/experiments/${made.body.id}`)).status).toBe(204);
    expect((await call('DELETE', `/experiments/${made.body.id}`)).status).toBe(404);
    expect((await call('POST', '/experiments', { json })).status).toBe(201);
  });

  it('are looked for by the words of an experiment and by those of a run', async () => {
    const run = await make('needle-7');
    const json = { name: '50% of it', project: 'haystack' };
    expect((await call('POST', '/experiments', { json })).status).toBe(201);
    const found = async (q: string) => {
      const { status, body } = await call('GET', `/experiments/tree?q=${encodeURIComponent(q)}`);
      const experiments = (body.items as Tree[]).flatMap((project) => project.experiments);
      return {
        status,
        names: experiments.map(({ name }) => name),
        runs: experiments.flatMap(({ runs }) => runs.map(({ run_id }) => run_id)),
        total: body.total,
      };
    };
    expect(await found(' HAYSTACK/50% ')).toEqual({ status: 200, names: [json.name], runs: [], total: 0 });
    expect(await found('50_')).toMatchObject({ names: [], total: 0 });
    expect(await found(run.run_id.slice(0, 12))).toMatchObject({ runs: [run.run_id], total: 1 });
    const all = await call('GET', '/experiments/tree');
    const place = (all.body.items as Tree[])
      .flatMap((project) => project.experiments)
      .find(({ runs }) => runs.some(({ run_id }) => run_id === run.run_id));
    expect((await found(place?.name ?? '')).runs).toContain(run.run_id);
    expect((await call('GET', `/experiments/tree?q=${'x'.repeat(201)}`)).status).toBe(422);
  });

  it('are counted in each experiment, shown or not', async () => {
    const run = await make();
    const [made] = await sql<{ experiment: number }>(
      `insert into tracker_run (tenant_id, run_id, experiment, name, started_at)
       select tenant_id, $2, experiment, 'older', '2001-01-01' from tracker_run where run_id = $1 returning experiment`,
      [run.run_id, randomUUID().replaceAll('-', '')],
    );
    const counted = async (most: number) => {
      const { items } = (await call('GET', `/experiments/tree?max_runs=${most}`)).body;
      const experiments = (items as Tree[]).flatMap((project) => project.experiments);
      const { run_count, runs } = experiments.find(
        ({ id }) => id === String(made?.experiment),
      ) as Tree['experiments'][0];
      return [run_count, runs.length];
    };
    const [all] = await counted(1000);
    expect(all).toBeGreaterThan(1);
    expect(await counted(1000)).toEqual([all, all]);
    expect(await counted(1)).toEqual([all, expect.any(Number)]);
  });

  it('are in the tree with the latest runs, however many experiments come before theirs', async () => {
    const many = await api.addTenant();
    const of = async (path: string) =>
      (await api.call('GET', `/api/v1${path}`, { token: api.admin.token, tenant: many.code })).body;
    await sql(
      `insert into tracker_experiment (tenant_id, project, name)
       select $1, 'a', 'e' || n from generate_series(1, 1001) n`,
      [many.id],
    );
    await sql(
      `with e as (insert into tracker_experiment (tenant_id, project, name) values ($1, 'z', 'zebra') returning id)
       insert into tracker_run (tenant_id, run_id, experiment, name, status, started_at)
       select $1, $2, id, 'late', 'RUNNING', now() from e`,
      [many.id, randomUUID().replaceAll('-', '')],
    );
    const { items } = (await of('/experiments/tree')) as { items: Array<Tree & { name: string }> };
    expect(items.map(({ name, experiments }) => [name, experiments.length])).toEqual([
      ['a', 999],
      ['z', 1],
    ]);
    expect(items[1]?.experiments[0]?.runs).toHaveLength(1);
  });

  it('come back from the bin when they are created again', async () => {
    const json = { name: 'binned', project: 'digits' };
    const { body } = await call('POST', '/experiments', { json });
    await sql("update tracker_experiment set lifecycle = 'deleted' where id = $1", [body.id]);
    const again = await call('POST', '/experiments', { json });
    expect([again.status, again.body.id]).toEqual([201, body.id]);
  });

  it('carry the value that they are judged by into the tree and into the list of trainings', async () => {
    const { run_id, experiment_id } = await make('judged-run');
    const job = issueJobToken(api.container.settings.SERVICE_SECRET_KEYS, {
      tenantId: tenant.id,
      runId: run_id,
      attempt: 1,
    });
    const log = (key: string, value: number | string) =>
      api.call('POST', '/tracker/api/2.0/mlflow/runs/log-batch', {
        token: job,
        json: { run_id, metrics: [{ key, value, timestamp: 2, step: 2 }] },
      });
    const judgedBy = async () => {
      const { items } = (await call('GET', '/experiments/tree')).body;
      const runs = items.flatMap((project: { experiments: { runs: { run_id: string }[] }[] }) =>
        project.experiments.flatMap(({ runs: own }) => own),
      );
      const trainings = (await call('GET', '/training/experiments')).body.items;
      return [
        runs.find((run: { run_id: string }) => run.run_id === run_id).main_metric,
        trainings.find(({ id }: { id: string }) => id === experiment_id).main_metric,
      ];
    };
    // A name that says nothing counts as long as there is no other.
    expect(await judgedBy()).toEqual([
      { name: 'acc', value: 1 },
      { name: 'acc', value: 1 },
    ]);
    await log('val/accuracy', 0.5);
    await log('test/map50', 'NaN');
    await log('val/accuracy', 0.75);
    expect((await judgedBy())[0]).toEqual({ name: 'test/map50', value: null });
    await log('test/accuracy', 0.25);
    expect(await judgedBy()).toEqual([
      { name: 'test/accuracy', value: 0.25 },
      { name: 'test/accuracy', value: 0.25 },
    ]);
  });

  it('are compared by params, metrics and tags, with what differs', async () => {
    const [one, two] = [await make('first-run'), await make('second-run')];
    const path = `/runs/compare?run_ids=${one.run_id},${two.run_id}`;
    const { status, body } = await call('GET', path, { token: viewer.token });
    expect([status, body.runs.map((run: { run_id: string }) => run.run_id)]).toEqual([
      200,
      [one.run_id, two.run_id],
    ]);
    expect(body.params).toEqual([{ name: 'secret', values: ['first-run', 'second-run'], differs: true }]);
    expect(body.metrics).toEqual([{ name: 'acc', values: [1, 1], differs: false }]);
    for (const [ids, wanted] of [
      ['', 422],
      ['x', 422],
      [`${one.run_id},`, 422],
      [Array(51).fill(one.run_id).join(), 422],
      [`${one.run_id},${'0'.repeat(32)}`, 404],
    ] as const)
      expect([ids.length, (await call('GET', `/runs/compare?run_ids=${ids}`)).status]).toEqual([
        ids.length,
        wanted,
      ]);
  });

  it('are removed with metrics, params and artifacts, whose objects are freed', async () => {
    const { run_id } = await make();
    const active = await call('DELETE', `/runs/${run_id}`);
    expect([active.status, active.body.detail]).toEqual([409, { active: [run_id], active_total: 1 }]);
    await finish(run_id);
    const row = await rowsOf(run_id);
    const keys = await sql<{ key: string }>('select object_key as key from run_artifact where run = $1', [
      row,
    ]);
    expect(keys).toHaveLength(1);
    expect((await call('DELETE', `/runs/${run_id}`, { token: viewer.token })).status).toBe(403);
    expect((await call('DELETE', `/runs/${run_id}`)).status).toBe(204);
    expect((await call('DELETE', `/runs/${run_id}`)).status).toBe(404);
    expect((await call('GET', `/runs/${run_id}`)).status).toBe(404);
    for (const table of ['metric_point', 'metric_latest', 'param', 'tag', 'run_artifact'])
      expect([table, await sql(`select 1 from ${table} where run = $1`, [row])]).toEqual([table, []]);
    expect(
      await sql('select object_key as key from orphaned_object where object_key = $1', [keys[0]?.key]),
    ).toEqual(keys);
  });

  it('stay while a model version uses them, which is named', async () => {
    const { run_id } = await make();
    await sql("update run_artifact set path = 'model/MLmodel' where run = $1", [await rowsOf(run_id)]);
    await finish(run_id);
    const name = `m${randomUUID().slice(0, 8)}`;
    const registered = await call('POST', `/runs/${run_id}/register`, { json: { model_name: name } });
    expect(registered.status).toBe(201);
    const refused = await call('DELETE', `/runs/${run_id}`);
    expect([refused.status, refused.body.detail.users]).toEqual([
      409,
      [{ run_id, model_name: name, version: 1 }],
    ]);
    const [run] = await sql<{ experiment: number }>('select experiment from tracker_run where run_id = $1', [
      run_id,
    ]);
    expect((await call('DELETE', `/experiments/${run?.experiment}`)).status).toBe(409);
    // A version of another run that has one of its files.
    await sql('update model_version set run_id = $2 where run_id = $1', [run_id, '0'.repeat(32)]);
    expect((await call('DELETE', `/runs/${run_id}`)).status).toBe(409);
    expect((await call('DELETE', `/models/${name}/1`)).status).toBe(204);
    expect((await call('DELETE', `/runs/${run_id}`)).status).toBe(204);
  });

  it('stay while an export reads them, and while another attempt goes on from their checkpoint', async () => {
    const [exported, first] = [await make(), await make()];
    await finish(exported.run_id);
    await sql('update tracker_run set is_job_open = true where run_id = $1', [exported.run_id]);
    const busy = await call('DELETE', `/runs/${exported.run_id}`);
    expect([busy.status, busy.body.detail.active]).toEqual([409, [exported.run_id]]);
    await finish(first.run_id);
    const second = await make();
    await sql('update training_experiment set resume_run_id = $2 where id = $1', [
      second.experiment_id,
      first.run_id,
    ]);
    const needed = await call('DELETE', `/runs/${first.run_id}`);
    expect([needed.status, needed.body.detail]).toEqual([
      409,
      { trainings: [{ run_id: first.run_id, training_id: second.experiment_id }] },
    ]);
    await sql("update training_experiment set status = 'FAILED', finished_at = now() where id = $1", [
      second.experiment_id,
    ]);
    expect((await call('DELETE', `/runs/${first.run_id}`)).status).toBe(204);
  });

  it('go with their experiment, unless training runs in it', async () => {
    const [one, two] = [await make(), await make()];
    const { body } = await call('POST', '/experiments', { json: { name: randomUUID(), project: 'p' } });
    for (const { run_id } of [one, two])
      await sql('update tracker_run set experiment = $2 where run_id = $1', [run_id, body.id]);
    await finish(one.run_id);
    const refused = await call('DELETE', `/experiments/${body.id}`);
    expect([refused.status, refused.body.detail.active]).toEqual([409, [two.run_id]]);
    expect((await call('GET', `/runs/${one.run_id}`)).status).toBe(200);
    await finish(two.run_id);
    expect((await call('DELETE', `/experiments/${body.id}`)).status).toBe(204);
    for (const { run_id } of [one, two]) expect((await call('GET', `/runs/${run_id}`)).status).toBe(404);
    for (const bad of ['x', '-1', '9'.repeat(16)])
      expect((await call('DELETE', `/experiments/${bad}`)).status).toBe(422);
  });

  it('are terminated: a plain run at once, that of a training by canceling the training', async () => {
    const [plain, driven] = [await make(), await make()];
    await detach(plain.run_id);
    const killed = await call('POST', `/runs/${plain.run_id}/terminate`);
    expect([killed.status, killed.body.status, killed.body.finished_at]).toEqual([
      200,
      'KILLED',
      expect.any(String),
    ]);
    const again = await call('POST', `/runs/${plain.run_id}/terminate`);
    expect([again.status, again.body.detail]).toEqual([409, { status: 'KILLED' }]);
    expect((await call('POST', `/runs/${driven.run_id}/terminate`, { token: viewer.token })).status).toBe(
      403,
    );
    // Nobody follows the wish here: the run is answered as it is.
    const asked = await call('POST', `/runs/${driven.run_id}/terminate`);
    expect([asked.status, asked.body.status]).toEqual([200, 'RUNNING']);
    const [training] = await sql<{ asked: Date | null }>(
      'select cancel_asked_at as asked from training_experiment where id = $1',
      [driven.experiment_id],
    );
    expect(training?.asked).toBeInstanceOf(Date);
    const cancels = await sql<{ workflow_id: string }>(
      "select workflow_id from dispatch where kind = 'cancel' and workflow_id like '%' || $1 || '%'",
      [driven.experiment_id],
    );
    expect(cancels).toHaveLength(1);
    expect((await call('POST', `/runs/${'0'.repeat(32)}/terminate`)).status).toBe(404);
  });

  it('of a training that has ended are killed like plain ones', async () => {
    const { run_id, experiment_id } = await make();
    await sql("update training_experiment set status = 'FAILED', finished_at = now() where id = $1", [
      experiment_id,
    ]);
    expect((await call('POST', `/runs/${run_id}/terminate`)).body.status).toBe('KILLED');
  });

  it('are not there for another tenant', async () => {
    const { run_id } = await make();
    const other = await api.addTenant();
    for (const [method, path] of [
      ['DELETE', `/runs/${run_id}`],
      ['POST', `/runs/${run_id}/terminate`],
      ['GET', `/runs/compare?run_ids=${run_id}`],
    ] as const)
      expect((await call(method, path, { tenant: other.code })).status).toBe(404);
  });
});
