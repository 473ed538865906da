import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSse } from '../support/sse-reader.js';
import {
  startApiBeside,
  startTestApi,
  type TestApi,
  type TestTenant,
  type TestUser,
} from '../support/test-api.js';
import { EXPERIMENT_FACTORY } from '../training/support/training-factories.js';

const LIMIT_MS = 5000;

describe('accounts across two API processes', () => {
  let api: TestApi;
  let beside: Awaited<ReturnType<typeof startApiBeside>>;
  let tenant: TestTenant;
  let owner: TestUser;
  let experimentId: string;
  beforeAll(async () => {
    api = await startTestApi();
    beside = await startApiBeside(api);
    tenant = await api.addTenant();
    owner = await api.addUser({ [tenant.code]: 'ADMIN' });
    experimentId = (await EXPERIMENT_FACTORY.create({ api, tenant, user: owner, canary: 'watched' }))
      .experiment_id as string;
  });
  afterAll(async () => {
    await beside.close();
    await api.close();
  });

  const system = (user: TestUser, method: string, path: string) =>
    api.call(method, `/api/v1/system/users/${user.id}${path}`, { token: api.admin.token });
  const ends: Record<string, (user: TestUser) => Promise<{ status: number }>> = {
    'signs out': (user) => api.call('POST', '/auth/jwt/logout', { token: user.token }),
    'changes the password': (user) =>
      api.call('POST', '/users/me/password', {
        token: user.token,
        json: { current_password: user.password, new_password: 'another fine one 12' },
      }),
    'is disabled': (user) => system(user, 'POST', '/disable'),
    'is deleted': (user) => system(user, 'DELETE', ''),
    'is given a new password': (user) =>
      api.call('PATCH', `/users/${user.id}`, {
        token: api.admin.token,
        json: { password: 'set by an admin 1' },
      }),
  };

  it.each(Object.keys(ends))(
    'a session and its stream in the other process end within 5 s when its owner %s',
    async (name) => {
      const user = await api.addUser({ [tenant.code]: 'VIEWER' });
      expect((await beside.call('GET', '/users/me', { token: user.token })).status).toBe(200);
      const stream = await openSse(`${beside.base}/api/v1/training/experiments/${experimentId}/logs`, {
        authorization: `Bearer ${user.token}`,
        'x-tenant': tenant.code,
      });
      expect((await stream.next()).event).toBe('connected');
      expect((await ends[name]?.(user))?.status).toBeLessThan(300);
      const changedAt = Date.now();
      await expect(stream.next(LIMIT_MS)).rejects.toThrow('ended');
      expect(Date.now() - changedAt).toBeLessThan(LIMIT_MS);
      expect((await beside.call('GET', '/users/me', { token: user.token })).status).toBe(401);
    },
  );

  it.each<[string, (user: TestUser) => Promise<unknown>, number]>([
    ['taken', (user) => system(user, 'DELETE', `/role?tenant=${tenant.code}`), 404],
    [
      'replaced by a smaller one',
      (user) =>
        api.call('PATCH', `/api/v1/system/users/${user.id}/role`, {
          token: api.admin.token,
          json: { tenant_code: tenant.code, role: 'VIEWER' },
        }),
      403,
    ],
  ])('a role that is %s holds no more in the other process within 1 s', async (_name, change, status) => {
    const user = await api.addUser({ [tenant.code]: 'DATA_ENGINEER' });
    const write = () =>
      beside.call('POST', '/api/v1/datasets/drafts', {
        token: user.token,
        tenant: tenant.code,
        json: { name: 'mine' },
      });
    expect((await write()).status).toBe(201);
    await change(user);
    const deadline = Date.now() + 1000;
    let seen = await write();
    while (seen.status !== status && Date.now() < deadline) seen = await write();
    expect(seen.status).toBe(status);
  });

  it('a tenant that is switched off and on again is gone and back in the other process within 1 s', async () => {
    const place = await api.addTenant();
    const user = await api.addUser({ [place.code]: 'VIEWER' });
    // A request that is open while the tenant is switched off is cut: it counts as no answer yet.
    const read = (token: string) => async () =>
      (await beside.call('GET', '/api/v1/datasets', { token, tenant: place.code }).catch(() => null))
        ?.status ?? 0;
    const readers = [read(user.token), read(api.admin.token)];
    const statusesWithin1s = async (status: number) => {
      const deadline = Date.now() + 1000;
      let seen: number[];
      do seen = await Promise.all(readers.map((reader) => reader()));
      while (seen.some((one) => one !== status) && Date.now() < deadline);
      return seen;
    };
    expect(await statusesWithin1s(200)).toEqual([200, 200]);
    for (const [is_active, status] of [
      [false, 404],
      [true, 200],
    ] as const) {
      await api.call('PATCH', `/api/v1/settings/tenants/${place.id}`, {
        token: api.admin.token,
        json: { is_active },
      });
      expect(await statusesWithin1s(status)).toEqual([status, status]);
    }
  });

  it('a session that ends while the other process hears no notifications is over there at once', async () => {
    const deaf = await startApiBeside(api);
    try {
      const user = await api.addUser();
      const look = async () => (await deaf.call('GET', '/users/me', { token: user.token })).status;
      expect([await look(), await look()]).toEqual([200, 200]);
      await deaf.container.listener.stop();
      await api.call('POST', '/auth/jwt/logout', { token: user.token });
      expect(await look()).toBe(401);
    } finally {
      await deaf.close();
    }
  });

  it('failed sign-ins count together, and still do after a restart', async () => {
    const user = await api.addUser();
    const attempt = (call: TestApi['call'], password = 'wrong wrong') =>
      call('POST', '/auth/jwt/login', { form: { username: user.email, password } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => attempt(i % 2 === 0 ? api.call : beside.call)),
    );
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(10);
    const restarted = await startApiBeside(api);
    try {
      const refused = await attempt(restarted.call, user.password);
      expect([refused.status, Number(refused.headers.get('retry-after')) > 600]).toEqual([429, true]);
    } finally {
      await restarted.close();
    }
    expect((await beside.call('GET', '/users/me', { token: user.token })).status).toBe(200);
  });

  it('mails to an address count together', async () => {
    const user = await api.addUser();
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        (i % 2 === 0 ? api.call : beside.call)('POST', '/auth/forgot-password', {
          json: { email: user.email },
        }),
      ),
    );
    const [row] = await api.container.db.inPlatform((tx) =>
      tx.query<{ total: number }>(
        "select count(*) as total from dispatch where kind = 'mail' and created_at > now() - interval '1 minute'",
      ),
    );
    expect(row?.total).toBe(5);
  });
});
