import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

describe('administration of people', () => {
  let api: TestApi;
  let tenant: TestTenant;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
  });
  afterAll(() => api.close());

  const as = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/system/users${path}`, {
      token: api.admin.token,
      ...(json === undefined ? {} : { json }),
    });
  const auditOf = (targetId: string) =>
    api.container.db.inPlatform((tx) =>
      tx.query(
        'select action, tenant_id, actor_id, detail from audit_entry where target_id = $1 order by id',
        [targetId],
      ),
    );

  it('lists everyone with the roles in all tenants', async () => {
    const other = await api.addTenant();
    const user = await api.addUser({ [tenant.code]: 'VIEWER', [other.code]: 'ADMIN' });
    const { body } = await as('GET', `?q=${encodeURIComponent(user.email.toUpperCase())}`);
    expect(body).toMatchObject({ total: 1, page: 1, page_size: 50 });
    expect(body.items[0]).toMatchObject({ id: user.id, email: user.email, is_superuser: false });
    expect(
      body.items[0].roles
        .map((held: { tenant_code: string; role: string }) => [held.tenant_code, held.role])
        .sort(),
    ).toEqual(
      [
        [tenant.code, 'VIEWER'],
        [other.code, 'ADMIN'],
      ].sort(),
    );
    const members = await as('GET', `?tenant=${other.code.toUpperCase()}`);
    expect(members.body.items.map((item: { id: string }) => item.id)).toEqual([user.id]);
    expect((await as('GET', '?tenant=nobody')).body).toMatchObject({ items: [], total: 0 });
  });

  it('sorts by known keys and refuses others with the list of those', async () => {
    await api.addUser();
    const sorted = (await as('GET', '?sort=email&order=desc&page_size=200')).body.items.map(
      (item: { email: string }) => item.email,
    );
    expect(sorted).toEqual([...sorted].sort().reverse());
    const refused = await as('GET', '?sort=password_hash');
    expect(refused.status).toBe(400);
    expect(refused.body.detail.allowed).toEqual(['email', 'full_name', 'is_active', 'created_at']);
    expect((await as('GET', '?page_size=201')).status).toBe(422);
    expect((await as('GET', '?page=1000')).body.items).toEqual([]);
  });

  it('treats the wildcards of a search as text', async () => {
    expect((await as('GET', '?q=%25')).body.total).toBe(0);
  });

  it('invites an account that exists, and replaces its role the next time', async () => {
    const user = await api.addUser();
    const first = await as('POST', '/invite', {
      email: user.email.toUpperCase(),
      tenant_code: tenant.code.toUpperCase(),
      role: 'VIEWER',
    });
    expect(first.status).toBe(200);
    const second = await as('POST', '/invite', {
      email: user.email,
      tenant_code: tenant.code,
      role: 'OPERATOR',
    });
    expect(second.body.roles).toEqual([
      { tenant_code: tenant.code, tenant_name: `Tenant ${tenant.code}`, role: 'OPERATOR' },
    ]);
    expect((await auditOf(user.id)).filter((row) => row.action === 'membership.grant')).toEqual([
      {
        action: 'membership.grant',
        tenant_id: tenant.id,
        actor_id: api.admin.id,
        detail: { tenant_code: tenant.code, role: 'VIEWER', previous_role: null },
      },
      {
        action: 'membership.grant',
        tenant_id: tenant.id,
        actor_id: api.admin.id,
        detail: { tenant_code: tenant.code, role: 'OPERATOR', previous_role: 'VIEWER' },
      },
    ]);
    expect(
      (await as('POST', '/invite', { email: 'nobody@example.com', tenant_code: tenant.code, role: 'VIEWER' }))
        .status,
    ).toBe(404);
    expect(
      (await as('POST', '/invite', { email: user.email, tenant_code: 'nowhere', role: 'VIEWER' })).status,
    ).toBe(404);
    expect(
      (await as('POST', '/invite', { email: user.email, tenant_code: tenant.code, role: 'KING' })).status,
    ).toBe(422);
  });

  it('creates an account with its first role in one audit row', async () => {
    const email = `new-${randomUUID()}@example.com`;
    const created = await as('POST', '/create', {
      email,
      password: 'a long enough one',
      tenant_code: tenant.code,
      role: 'DATA_ENGINEER',
    });
    expect(created.status).toBe(200);
    expect(created.text).not.toContain('long enough');
    expect(await auditOf(created.body.id)).toEqual([
      {
        action: 'user.create',
        tenant_id: tenant.id,
        actor_id: api.admin.id,
        detail: { tenant_code: tenant.code, role: 'DATA_ENGINEER' },
      },
    ]);
    expect(await api.signIn(email, 'a long enough one')).toBeTruthy();
    const again = await as('POST', '/create', {
      email: email.toUpperCase(),
      password: 'a long enough one',
      tenant_code: tenant.code,
      role: 'VIEWER',
    });
    expect([again.status, again.body.detail]).toEqual([400, 'REGISTER_USER_ALREADY_EXISTS']);
    const weak = await as('POST', '/create', {
      email: `x${email}`,
      password: 'password',
      tenant_code: tenant.code,
      role: 'VIEWER',
    });
    expect([weak.status, weak.body.detail.code]).toEqual([400, 'REGISTER_INVALID_PASSWORD']);
    expect(
      (
        await as('POST', '/create', {
          email: `y${email}`,
          password: 'a long enough one',
          tenant_code: 'nowhere',
          role: 'VIEWER',
        })
      ).status,
    ).toBe(404);
  });

  it('a changed role counts from the next request on', async () => {
    const user = await api.addUser({ [tenant.code]: 'VIEWER' });
    const roles = async () =>
      (await api.call('GET', '/api/v1/tenants', { token: user.token })).body.items.map(
        (item: { role: string }) => item.role,
      );
    expect(await roles()).toEqual(['VIEWER']);
    await as('PATCH', `/${user.id}/role`, { tenant_code: tenant.code, role: 'APPROVER' });
    expect(await roles()).toEqual(['APPROVER']);
    const removed = await as('DELETE', `/${user.id}/role?tenant=${tenant.code}`);
    expect([removed.status, removed.body.roles]).toEqual([200, []]);
    expect(await roles()).toEqual([]);
    expect((await as('DELETE', `/${user.id}/role?tenant=${tenant.code}`)).status).toBe(404);
  });

  it('answers 404 for a global membership and 422 without a tenant when a role is taken', async () => {
    expect((await as('DELETE', `/${api.admin.id}/role?tenant=${tenant.code}`)).status).toBe(404);
    expect((await as('DELETE', `/${api.admin.id}/role`)).status).toBe(422);
    expect((await as('DELETE', `/${randomUUID()}/role?tenant=${tenant.code}`)).status).toBe(404);
    expect((await as('PATCH', '/nope/role', { tenant_code: tenant.code, role: 'VIEWER' })).status).toBe(422);
  });

  it('makes and unmakes global administrators, but never removes the last one', async () => {
    const user = await api.addUser({ [tenant.code]: 'VIEWER' });
    expect((await as('POST', `/${user.id}/global-admin`)).body).toMatchObject({ is_superuser: true });
    expect((await as('POST', `/${user.id}/global-admin`)).status).toBe(200);
    expect((await api.call('GET', '/users/me', { token: user.token })).body.is_superuser).toBe(true);
    const [mine, theirs] = await Promise.all([
      api.call('DELETE', `/api/v1/system/users/${user.id}/global-admin`, { token: api.admin.token }),
      api.call('DELETE', `/api/v1/system/users/${api.admin.id}/global-admin`, { token: user.token }),
    ]);
    expect([mine.status, theirs.status].sort()).not.toEqual([200, 200]);
    const left = await api.container.db.inPlatform((tx) =>
      tx.query('select user_id from membership where tenant_id is null'),
    );
    expect(left).toHaveLength(1);
    if (left[0]?.user_id !== api.admin.id)
      await api.container.db.inPlatform((tx) =>
        tx.execute("insert into membership (user_id, role) values ($1, 'ADMIN')", [api.admin.id]),
      );
  });

  it('disables, enables and deletes others but not oneself', async () => {
    const user = await api.addUser({ [tenant.code]: 'VIEWER' });
    expect((await as('POST', `/${user.id}/disable`)).body).toMatchObject({
      is_active: false,
      roles: [{ tenant_code: tenant.code }],
    });
    expect((await api.call('GET', '/users/me', { token: user.token })).status).toBe(401);
    const refused = await api.call('POST', '/auth/jwt/login', {
      form: { username: user.email, password: user.password },
    });
    expect([refused.status, refused.body.detail]).toEqual([400, 'LOGIN_BAD_CREDENTIALS']);
    await as('POST', `/${user.id}/enable`);
    expect(await api.signIn(user.email, user.password)).toBeTruthy();
    expect((await as('DELETE', `/${user.id}`)).status).toBe(200);
    expect((await as('DELETE', `/${user.id}`)).status).toBe(404);
    expect((await as('POST', `/${api.admin.id}/disable`)).status).toBe(400);
    expect((await as('DELETE', `/${api.admin.id}`)).status).toBe(400);
  });

  it('writes into the trail what a rule refused an administrator', async () => {
    const refused = await as('DELETE', `/${api.admin.id}`);
    expect(refused.status).toBe(400);
    const find = () =>
      api.container.db.inPlatform((tx) =>
        tx.query('select action, outcome, actor_id, detail from audit_entry where error_id = $1', [
          refused.body.error_id,
        ]),
      );
    expect(await find()).toEqual([
      {
        action: 'access.refused',
        outcome: 'failed',
        actor_id: api.admin.id,
        detail: { path: `/api/v1/system/users/${api.admin.id}` },
      },
    ]);
  });

  it('keeps others out and writes the refusal into the trail', async () => {
    const user = await api.addUser({ [tenant.code]: 'ADMIN' });
    const refused = await api.call('GET', '/api/v1/system/users', { token: user.token });
    expect(refused.status).toBe(403);
    const find = () =>
      api.container.db.inPlatform((tx) =>
        tx.query('select outcome, actor_id, target_id from audit_entry where error_id = $1', [
          refused.body.error_id,
        ]),
      );
    expect(await find()).toEqual([{ outcome: 'denied', actor_id: user.id, target_id: 'SystemUsers_List' }]);
  });
});
