import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Answer,
  startTestApi,
  type TestApi,
  type TestTenant,
  type TestUser,
} from '../support/test-api.js';

const PASSWORD = 'a decent one 77';

describe('e-mail addresses of accounts', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let user: TestUser;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    user = await api.addUser();
  });
  afterAll(() => api.close());

  const asAdmin = (method: string, path: string, json: object) =>
    api.call(method, path, { token: api.admin.token, json });
  const register = (email: string) =>
    api.call('POST', '/auth/register', { json: { email, password: PASSWORD } });
  const calls: Readonly<Record<string, (email: string) => Promise<Answer>>> = {
    register,
    'forgot-password': (email) => api.call('POST', '/auth/forgot-password', { json: { email } }),
    'request-verify-token': (email) => api.call('POST', '/auth/request-verify-token', { json: { email } }),
    'PATCH /users/{id}': (email) => asAdmin('PATCH', `/users/${user.id}`, { email }),
    'create a user': (email) =>
      asAdmin('POST', '/api/v1/system/users/create', {
        email,
        password: PASSWORD,
        tenant_code: tenant.code,
        role: 'VIEWER',
      }),
    'invite a user': (email) =>
      asAdmin('POST', '/api/v1/system/users/invite', { email, tenant_code: tenant.code, role: 'VIEWER' }),
  };

  it.each(Object.entries(calls))('are refused by %s where no mail could go to them', async (_name, call) => {
    const refused = [
      'u@b..com',
      '.u@example.org',
      'u.@example.org',
      'u..v@example.org',
      'u@example,com',
      'x,victim@example.org',
      '"u v"@example.org',
      'u v@example.org',
      'u@-example.org',
      'u@example',
      'u@[127.0.0.1]',
      'u@host.local',
      'u@host.test',
      'u@ab--cd.com',
      'u@xn--zzzzzz.com',
      'u@☃.com',
      `${'x'.repeat(243)}@example.org`,
    ];
    for (const email of refused) {
      const { status, body } = await call(email);
      expect([email, status, body.detail]).toEqual([
        email,
        422,
        [expect.objectContaining({ loc: ['body', 'email'] })],
      ]);
    }
  });

  it('are kept in their normal form, so that two forms of one address are one account', async () => {
    const made = await register('Zoe@BÜCHER.Example');
    expect([made.status, made.body.email]).toEqual([201, 'Zoe@bücher.example']);
    for (const twin of ['zoe@xn--bcher-kva.example', 'ZOE@bu\u0308cher.example']) {
      expect((await register(twin)).body.detail).toBe('REGISTER_USER_ALREADY_EXISTS');
    }
    expect(await api.signIn('zoe@bücher.example', PASSWORD)).toBeTruthy();
    const moved = await asAdmin('PATCH', `/users/${made.body.id}`, { email: 'Info@XN--BCHER-KVA.example' });
    expect(moved.body.email).toBe('info@bücher.example');
    const invited = await asAdmin('POST', '/api/v1/system/users/invite', {
      email: 'info@xn--bcher-kva.example',
      tenant_code: tenant.code,
      role: 'VIEWER',
    });
    expect(invited.body.id).toBe(made.body.id);
  });

  it.each(['x,victim@example.org', 'root@visionops.local', '"u v"@example.org'])(
    'of former times still sign in, change their password and are administered: %s',
    async (email) => {
      const person = await api.addUser();
      await api.container.db.inPlatform((tx) =>
        tx.execute('update user_account set email = $2 where id = $1', [person.id, email]),
      );
      const token = await api.signIn(email, person.password);
      expect((await api.call('GET', '/users/me', { token })).body.email).toBe(email);
      expect(
        (await api.call('PATCH', '/users/me', { token, json: { full_name: 'Old' } })).body,
      ).toMatchObject({ email, full_name: 'Old' });
      expect((await asAdmin('PATCH', `/users/${person.id}`, { full_name: 'Older' })).body).toMatchObject({
        email,
        full_name: 'Older',
      });
      const next = `another one ${randomUUID()}`;
      const changed = await api.call('POST', '/users/me/password', {
        token,
        json: { current_password: person.password, new_password: next },
      });
      expect(changed.status).toBe(204);
      expect(await api.signIn(email, next)).toBeTruthy();
    },
  );
});

describe('empty fields of account calls', () => {
  let api: TestApi;
  let user: TestUser;
  beforeAll(async () => {
    api = await startTestApi();
    user = await api.addUser();
  });
  afterAll(() => api.close());

  const reasoned = (code: string) => ({ code, reason: expect.stringMatching(/\.$/) });
  it.each<[string, string, () => object, unknown]>([
    [
      'POST',
      '/auth/register',
      () => ({ email: 'new@example.org', password: '' }),
      reasoned('REGISTER_INVALID_PASSWORD'),
    ],
    ['POST', '/auth/reset-password', () => ({ token: '', password: PASSWORD }), 'RESET_PASSWORD_BAD_TOKEN'],
    ['POST', '/auth/reset-password', () => ({ token: '', password: '' }), 'RESET_PASSWORD_BAD_TOKEN'],
    ['POST', '/auth/verify', () => ({ token: '' }), 'VERIFY_USER_BAD_TOKEN'],
    ['PATCH', '/users/', () => ({ password: '' }), reasoned('UPDATE_USER_INVALID_PASSWORD')],
    [
      'POST',
      '/users/me/password',
      () => ({ current_password: '', new_password: PASSWORD }),
      'CHANGE_PASSWORD_BAD_CURRENT',
    ],
    [
      'POST',
      '/users/me/password',
      () => ({ current_password: user.password, new_password: '' }),
      reasoned('UPDATE_USER_INVALID_PASSWORD'),
    ],
  ])('%s %s are answered with the code of the call', async (method, path, json, detail) => {
    const token = method === 'PATCH' ? api.admin.token : user.token;
    const answer = await api.call(method, method === 'PATCH' ? path + user.id : path, {
      token,
      json: json(),
    });
    expect([answer.status, answer.body.detail]).toEqual([400, detail]);
  });
});
