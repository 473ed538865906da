import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';

describe('refused calls in the audit trail', () => {
  let api: TestApi;
  let tenant: TestTenant;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
  });
  afterAll(() => api?.close());

  const viewer = (): Promise<TestUser> => api.addUser({ [tenant.code]: 'VIEWER' });
  const refused = async (user: TestUser) =>
    (
      await api.call('POST', '/api/v1/datasets', {
        token: user.token,
        tenant: tenant.code,
        json: { code: 'a', name: 'A' },
      })
    ).status;
  const trail = async (query: string) =>
    (await api.call('GET', `/api/v1/system/audit?${query}&page_size=200`, { token: api.admin.token })).body;

  it('stand in the trail of the tenant they were aimed at, before they are answered', async () => {
    const user = await viewer();
    expect(await refused(user)).toBe(403);
    expect(await trail(`tenant=${tenant.code}&action=access.&actor=${user.email}`)).toMatchObject({
      total: 1,
      items: [
        {
          action: 'access.denied',
          outcome: 'denied',
          tenant_code: tenant.code,
          actor: { id: user.id },
          target: { kind: 'operation' },
        },
      ],
    });
  });

  it('of the platform stand there without a tenant', async () => {
    const user = await viewer();
    expect((await api.call('GET', '/api/v1/system/audit', { token: user.token })).status).toBe(403);
    expect(await trail(`action=access.denied&actor=${user.email}`)).toMatchObject({
      total: 1,
      items: [{ tenant_code: null }],
    });
  });

  it('of administrators stand there where a rule is against them, not where they are malformed', async () => {
    const doomed = await api.addTenant();
    const erase = async (json: unknown) =>
      (
        await api.call('POST', `/api/v1/settings/tenants/${doomed.id}/deletion`, {
          token: api.admin.token,
          json,
        })
      ).status;
    expect([
      await erase({ confirm_code: 'another' }),
      await erase({ confirm_code: 7 }),
      await erase({}),
    ]).toEqual([422, 422, 422]);
    const { items, total } = await trail('action=access.refused&target=deletion');
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      outcome: 'failed',
      actor: { id: api.admin.id },
      tenant_code: null,
      detail: { path: `/api/v1/settings/tenants/${doomed.id}/deletion` },
    });
  });

  it('of a tenant stand there too where they set, roll out or promote', async () => {
    const engineer = await api.addUser({ [tenant.code]: 'ML_ENGINEER' });
    const call = async (path: string, json: unknown) =>
      (await api.call('POST', `/api/v1${path}`, { token: engineer.token, tenant: tenant.code, json })).status;
    expect([
      await call('/serving/endpoints', { name: 'e1', image_id: randomUUID() }),
      await call('/serving/endpoints', { name: 7 }),
    ]).toEqual([422, 422]);
    // What needs no such permission is not privileged.
    expect(await call('/datasets', { name: 'A', code: ' ' })).toBe(422);
    expect(await trail(`tenant=${tenant.code}&action=access.refused&actor=${engineer.email}`)).toMatchObject({
      total: 1,
      items: [{ outcome: 'failed', tenant_code: tenant.code, detail: { path: '/api/v1/serving/endpoints' } }],
    });
  });

  it('stand there with 400 and 409 as well', async () => {
    const doomed = await api.addTenant();
    const admin = async (method: string, path: string, json: unknown) =>
      (await api.call(method, path, { token: api.admin.token, json })).status;
    expect(await admin('PATCH', `/users/${api.admin.id}`, { is_active: false })).toBe(400);
    expect(await admin('POST', '/api/v1/settings/tenants', { code: doomed.code, name: 'Again' })).toBe(409);
    const { items } = await trail(`action=access.refused&actor=${api.admin.email}`);
    expect(items.map((item: { detail: { path: string } }) => item.detail.path)).toEqual(
      expect.arrayContaining([`/users/${api.admin.id}`, '/api/v1/settings/tenants']),
    );
  });

  it('share one row with their number from the eleventh in a minute on, for each person and operation', async () => {
    const [eager, other] = [await viewer(), await viewer()];
    for (let n = 0; n < 25; n += 1) expect(await refused(eager)).toBe(403);
    expect(await refused(other)).toBe(403);
    expect((await trail(`action=access.denied&actor=${eager.email}`)).total).toBe(10);
    await api.container.refused.close();
    const { items, total } = await trail(`action=access.denied&actor=${eager.email}`);
    expect([total, items[0].detail]).toEqual([11, { repeated: 15 }]);
    expect((await trail(`action=access.denied&actor=${other.email}`)).total).toBe(1);
  });

  it('that are held back are written when something about their tenant changes', async () => {
    const user = await viewer();
    for (let n = 0; n < 13; n += 1) await refused(user);
    await api.call('PATCH', `/api/v1/settings/tenants/${tenant.id}`, {
      token: api.admin.token,
      json: { name: 'Another' },
    });
    const total = async () => (await trail(`action=access.denied&actor=${user.email}`)).total;
    for (let left = 100; (await total()) < 11 && left > 0; left -= 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await total()).toBe(11);
  });

  it.each(['is being erased', 'is gone'])('are not written into a tenant that %s', async (fate) => {
    const doomed = await api.addTenant();
    const user = await api.addUser({ [doomed.code]: 'VIEWER' });
    const call = () =>
      api.call('POST', '/api/v1/datasets', {
        token: user.token,
        tenant: doomed.code,
        json: { code: 'a', name: 'A' },
      });
    for (let n = 0; n < 13; n += 1) expect((await call()).status).toBe(403);
    const { db } = api.container;
    const entries = () =>
      db.inPlatform((tx) =>
        tx.query('select 1 from audit_entry where tenant_id = $1', [doomed.id]).then((rows) => rows.length),
      );
    const before = await entries();
    await db.inPlatform((tx) =>
      fate === 'is gone'
        ? tx.execute('delete from tenant where id = $1', [doomed.id])
        : tx.execute('insert into tenant_deletion (erased_tenant, tenant_code) values ($1, $2)', [
            doomed.id,
            doomed.code,
          ]),
    );
    await api.container.refused.close();
    // As a process that has not heard of it yet.
    expect((await call()).status).toBe(403);
    expect(await entries()).toBe(before);
  });
});
