import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { registerDigits, until } from '../serving/digit-model.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';

jest.setTimeout(120_000);

const MODELS = '/api/v1/models';
const PROMOTIONS = '/api/v1/promotions';

describe('promotions', () => {
  let api: TestApi;
  let worker: TestWorker;
  let open: TestTenant;
  let careful: TestTenant;
  let approver: TestUser;
  let second: TestUser;

  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    [open, careful] = [await api.addTenant(), await api.addTenant()];
    approver = await api.addUser({ [careful.code]: 'APPROVER', [open.code]: 'APPROVER' });
    second = await api.addUser({ [careful.code]: 'APPROVER' });
    const changed = await api.call('PATCH', `/api/v1/settings/tenants/${careful.id}`, {
      token: api.admin.token,
      json: { features: { promotion_approval: true } },
    });
    expect(changed.status).toBe(200);
  }, 120_000);
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });

  const call = (
    method: string,
    path: string,
    { by = approver, tenant = open, ...options }: CallOptions = {},
  ) => api.call(method, path, { token: by.token, tenant: tenant.code, ...options });
  const addModel = async (tenant: TestTenant, versions: number): Promise<string> => {
    const name = `model-${randomUUID()}`;
    for (let version = 1; version <= versions; version += 1)
      await registerDigits(
        api.container.settings,
        api.container.db,
        tenant.id,
        name,
        new Map([['MLmodel', Buffer.from(`flavors: {}\nversion: ${version}`)]]),
      );
    return name;
  };
  const promote = (name: string, version: number, options: CallOptions = {}) =>
    call('POST', `${MODELS}/${name}/${version}/promote`, {
      json: { to_version: version, reason: 'It is better.' },
      ...options,
    });
  const reaches = (id: string, status: string, options: CallOptions = {}) =>
    until(
      `the promotion ${status}`,
      async () => {
        const { body } = await call('GET', `${PROMOTIONS}/${id}`, options);
        return body.status === status && body;
      },
      60_000,
      () => worker.failures.join('\n'),
    );
  const stagesOf = async (name: string, options: CallOptions = {}) =>
    (await call('GET', `${MODELS}/${name}/versions`, options)).body.items.map(
      ({ version, stage }: { version: number; stage: string }) => [version, stage],
    );

  it('put a version into Production, archive the one before, and leave both in the history', async () => {
    const name = await addModel(open, 2);
    const first = await promote(name, 1);
    expect([first.status, first.body.status]).toEqual([201, 'PENDING_CHECKS']);
    await reaches(first.body.id, 'APPLIED');
    const between = new Date().toISOString();
    const next = await promote(name, 2);
    const applied = (await reaches(next.body.id, 'APPLIED')) as { checks: Array<{ result: string }> };
    expect(applied.checks.map(({ result }) => result)).not.toContain('failed');
    expect(await stagesOf(name)).toEqual([
      [2, 'Production'],
      [1, 'Archived'],
    ]);
    const history = await call('GET', `${MODELS}/${name}/stage-history`);
    expect(history.status).toBe(200);
    expect(JSON.stringify(history.body)).toContain('Archived');
    const then = await call('GET', `${MODELS}/${name}/stage-history?at=${encodeURIComponent(between)}`);
    expect(then.status).toBe(200);
    expect(then.body.items).toEqual([expect.objectContaining({ version: 1, to_stage: 'Production' })]);
    expect([then.body.production.version, history.body.production.version]).toEqual([1, 2]);
    const page = await call('GET', `${PROMOTIONS}?status=APPLIED`);
    expect(page.body.items.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining([first.body.id, next.body.id]),
    );
  });

  it('wait for a second person where the tenant asks for one', async () => {
    const name = await addModel(careful, 1);
    const asked = await promote(name, 1, { tenant: careful });
    const { id } = asked.body;
    await reaches(id, 'WAITING_APPROVAL', { tenant: careful });
    const own = await call('POST', `${PROMOTIONS}/${id}/approve`, { tenant: careful, json: {} });
    expect([own.status, own.body.code]).toEqual([403, 'forbidden']);
    expect((await promote(name, 1, { tenant: careful })).status).toBe(409);
    const approved = await call('POST', `${PROMOTIONS}/${id}/approve`, {
      ...{ tenant: careful, by: second, json: { comment: 'Looks right.' } },
    });
    expect(approved.status).toBe(200);
    await reaches(id, 'APPLIED', { tenant: careful });
    expect(await stagesOf(name, { tenant: careful })).toEqual([[1, 'Production']]);
    const late = await call('POST', `${PROMOTIONS}/${id}/reject`, { tenant: careful, by: second, json: {} });
    expect(late.status).toBe(409);
  });

  it('end without any effect when they are rejected', async () => {
    const name = await addModel(careful, 1);
    const { id } = (await promote(name, 1, { tenant: careful })).body;
    await reaches(id, 'WAITING_APPROVAL', { tenant: careful });
    await call('POST', `${PROMOTIONS}/${id}/reject`, {
      tenant: careful,
      by: second,
      json: { comment: 'No.' },
    });
    await reaches(id, 'REJECTED', { tenant: careful });
    expect(await stagesOf(name, { tenant: careful })).toEqual([[1, 'None']]);
  });

  it('fail in their checks when a file of the version is not what was registered', async () => {
    const name = await addModel(open, 1);
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        "update model_version_file f set sha256 = repeat('0', 64) from model_version v join model m on m.id = v.model_id where v.id = f.version_id and m.name = $1",
        [name],
      ),
    );
    const { id } = (await promote(name, 1)).body;
    const failed = (await reaches(id, 'FAILED')) as { checks: Array<{ key: string; result: string }> };
    expect(failed.checks).toContainEqual(expect.objectContaining({ key: 'artifact', result: 'failed' }));
    expect(await stagesOf(name)).toEqual([[1, 'None']]);
  });

  it('leave one version in Production when two are asked for at once', async () => {
    const name = await addModel(open, 3);
    const asked = await Promise.all([1, 2, 3].map((version) => promote(name, version)));
    expect(asked.map(({ status }) => status)).toEqual([201, 201, 201]);
    for (const { body } of asked)
      await until(
        'the end of the promotion',
        async () =>
          ['APPLIED', 'FAILED'].includes((await call('GET', `${PROMOTIONS}/${body.id}`)).body.status),
        60_000,
        () => worker.failures.join('\n'),
      );
    const stages = (await stagesOf(name)).map(([, stage]: [number, string]) => stage);
    expect(stages.filter((stage: string) => stage === 'Production')).toHaveLength(1);
  });

  it('are refused with a reason for what cannot be promoted', async () => {
    const name = await addModel(open, 1);
    expect((await promote(name, 7)).status).toBe(404);
    const other = await promote(name, 1, { json: { to_version: 2, reason: 'x' } });
    expect(other.status).toBe(422);
    const engineer = await api.addUser({ [open.code]: 'ML_ENGINEER' });
    expect((await promote(name, 1, { by: engineer })).status).toBe(403);
    for (const rollback_conditions of [
      [{ metric: 'accuracy', op: '!=', value: 1, for: '1h' }],
      [{ metric: 'accuracy', op: '<', value: 1, for: 'soon' }],
    ]) {
      const bad = await promote(name, 1, { json: { to_version: 1, reason: 'x', rollback_conditions } });
      expect(bad.status).toBe(422);
    }
    expect((await call('GET', `${PROMOTIONS}/${randomUUID()}`)).status).toBe(404);
  });
});

type CallOptions = Omit<NonNullable<Parameters<TestApi['call']>[2]>, 'tenant'> & {
  by?: TestUser;
  tenant?: TestTenant;
};
