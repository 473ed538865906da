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
  const refused = async (user: TestUser) => (await api.call('POST', '/api/v1/datasets', { token: user.token, tenant: tenant.code, json: { code: 'a', name: 'A' } })).status;
  const trail = async (query: string) => (await api.call('GET', `/api/v1/system/audit?${query}&page_size=200`, { token: api.admin.token })).body;

  it('stand in the trail of the tenant they were aimed at, before they are answered', async () => {
    const user = await viewer();
    expect(await refused(user)).toBe(403);
    expect(await trail(`tenant=${tenant.code}&action=access.&actor=${user.email}`)).toMatchObject({
      total: 1,
      items: [{ action: 'access.denied', outcome: 'denied', tenant_code: tenant.code, actor: { id: user.id }, target: { kind: 'operation' } }],
    });
  });

  it('of the platform stand there without a tenant', async () => {
    const user = await viewer();
    expect((await api.call('GET', '/api/v1/system/audit', { token: user.token })).status).toBe(403);
    expect(await trail(`action=access.denied&actor=${user.email}`)).toMatchObject({ total: 1, items: [{ tenant_code: null }] });
  });

  it('of administrators stand there where a rule is against them, not where they are malformed', async () => {
    const doomed = await api.addTenant();
    const erase = async (json: unknown) => (await api.call('POST', `/api/v1/settings/tenants/${doomed.id}/deletion`, { token: api.admin.token, json })).status;
    expect([await erase({ confirm_code: 'another' }), await erase({ confirm_code: 7 }), await erase({})]).toEqual([422, 422, 422]);
    const { items, total } = await trail('action=access.refused&target=deletion');
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({ outcome: 'failed', actor: { id: api.admin.id }, tenant_code: null, detail: { path: `/api/v1/settings/tenants/${doomed.id}/deletion` } });
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
});
