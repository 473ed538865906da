import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/test-api.js';

describe('tenants', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const create = (json: Record<string, unknown>) =>
    api.call('POST', '/api/v1/settings/tenants', { token: api.admin.token, json });
  const update = (id: string, json: Record<string, unknown>) =>
    api.call('PATCH', `/api/v1/settings/tenants/${id}`, { token: api.admin.token, json });

  it('creates a tenant and keeps unknown keys of its settings objects', async () => {
    const settings = {
      kpi_targets: { map50: 0.6 },
      retention: { telemetry: 30, logs: null, frames: { days: 3 } },
      features: { promotion_approval: true, beta: [1] },
    };
    const { status, body } = await create({ code: 'acme', name: 'Acme', ...settings, surprise: 1 });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      code: 'acme',
      name: 'Acme',
      is_active: true,
      shared_defaults: [],
      ...settings,
    });
    expect(body).not.toHaveProperty('surprise');
    const all = await api.call('GET', '/api/v1/settings/tenants', { token: api.admin.token });
    expect(all.body).toMatchObject({ total: all.body.items.length });
    expect(all.body.items.map((tenant: { code: string }) => tenant.code)).toContain('acme');
  });

  it('refuses a taken code with 409 and a reserved or malformed one with 422', async () => {
    await create({ code: 'taken', name: 'Taken' });
    expect((await create({ code: 'taken', name: 'Again' })).status).toBe(409);
    for (const code of [
      'shared',
      'system',
      'library',
      'platform',
      'Upper',
      '-a',
      'a-',
      'a'.repeat(41),
      '',
      'a_b',
    ])
      expect((await create({ code, name: 'X' })).status).toBe(422);
  });

  it.each([
    [{ kpi_targets: { map50: 'high' } }, 'kpi_targets'],
    [{ kpi_targets: [1] }, 'kpi_targets'],
    [{ retention: { telemetry: 0 } }, 'retention'],
    [{ retention: { logs: 1.5 } }, 'retention'],
    [{ features: { promotion_approval: 'yes' } }, 'features'],
    [{ features: 'all' }, 'features'],
    [{ retention: { note: 'x'.repeat(70_000) } }, 'retention'],
    [{ shared_defaults: [{ kind: 'other', variant_id: 'v' }] }, 'shared_defaults'],
  ])('refuses settings %#', async (settings, field) => {
    const { status, body } = await create({ code: 'never', name: 'Never', ...settings });
    expect(status).toBe(422);
    expect(JSON.stringify(body.detail)).toContain(field);
  });

  it('changes only what is given and names the changed fields in one audit row', async () => {
    const tenant = await api.addTenant();
    const { status, body } = await update(tenant.id, { kpi_targets: { error_rate: 0.01 }, name: null });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: `Tenant ${tenant.code}`, kpi_targets: { error_rate: 0.01 } });
    const rows = await api.container.db.inPlatform((tx) =>
      tx.query("select action, detail from audit_entry where target_id = $1 and action <> 'tenant.create'", [
        tenant.id,
      ]),
    );
    expect(rows).toEqual([{ action: 'tenant.update', detail: { fields: ['kpi_targets'] } }]);
  });

  it('answers 404 for an unknown tenant and 422 for a malformed id', async () => {
    expect((await update('7b1d8a52-4a0e-4f0e-9d8e-0a4f6d1c2b3a', { name: 'X' })).status).toBe(404);
    expect((await update('nope', { name: 'X' })).status).toBe(422);
  });

  it('lists the tenants of the caller with the role in each', async () => {
    const [one, two] = [await api.addTenant(), await api.addTenant()];
    const user = await api.addUser({ [one.code]: 'VIEWER', [two.code]: 'OPERATOR' });
    const { status, body } = await api.call('GET', '/api/v1/tenants', { token: user.token });
    expect(status).toBe(200);
    expect(body.total).toBe(2);
    expect(
      Object.fromEntries(body.items.map((item: { code: string; role: string }) => [item.code, item.role])),
    ).toEqual({ [one.code]: 'VIEWER', [two.code]: 'OPERATOR' });
  });

  it('gives a global administrator every active tenant as ADMIN', async () => {
    const [on, off] = [await api.addTenant(), await api.addTenant()];
    await update(off.id, { is_active: false });
    const { body } = await api.call('GET', '/api/v1/tenants', { token: api.admin.token });
    const roles = new Map<string, string>(
      body.items.map((item: { code: string; role: string }) => [item.code, item.role]),
    );
    expect(roles.get(on.code)).toBe('ADMIN');
    expect(roles.has(off.code)).toBe(false);
  });

  it('hides a switched-off tenant from its members at once and brings it back', async () => {
    const tenant = await api.addTenant();
    const user = await api.addUser({ [tenant.code]: 'ADMIN' });
    const enter = async () =>
      await api.container.authenticator
        .authenticate(
          {
            headers: { authorization: `Bearer ${user.token}`, 'x-tenant': tenant.code },
            query: {},
            context: {},
            socket: { destroy: () => undefined },
          } as never,
          'user',
          ['VIEW'],
        )
        .then(
          () => 200,
          (error: { code: string }) => error.code,
        );
    expect(await enter()).toBe(200);
    await update(tenant.id, { is_active: false });
    expect(await enter()).toBe('not_found');
    expect((await api.call('GET', '/api/v1/tenants', { token: user.token })).body.items).toEqual([]);
    await update(tenant.id, { is_active: true });
    expect(await enter()).toBe(200);
  });

  it('shows the catalog of features to global administrators only', async () => {
    const user = await api.addUser();
    expect((await api.call('GET', '/api/v1/settings/features', { token: user.token })).status).toBe(403);
    const { body } = await api.call('GET', '/api/v1/settings/features', { token: api.admin.token });
    expect(body.items).toContainEqual(expect.objectContaining({ key: 'promotion_approval', default: false }));
  });
});
