import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openMail, type SealedMail } from '../../../models/outbox/sealed-mail.js';
import { startTestApi, type TestApi, type TestUser } from '../support/test-api.js';

describe('account recovery', () => {
  let api: TestApi;
  let user: TestUser;
  beforeAll(async () => {
    api = await startTestApi();
    user = await api.addUser();
  });
  afterAll(() => api.close());

  const post = (path: string, json: unknown) => api.call('POST', `/auth/${path}`, { json });
  const mailsTo = (address: string) =>
    api.container.db
      .inPlatform((tx) =>
        tx.query<{ payload: SealedMail }>("select payload from dispatch where kind = 'mail' order by id"),
      )
      .then((rows) =>
        rows
          .map((row) => openMail(api.container.settings.SERVICE_SECRET_KEYS, row.payload))
          .filter((mail) => mail.to === address),
      );
  const resetToken = async (email: string) => {
    await post('forgot-password', { email });
    return (await mailsTo(email)).at(-1)?.token as string;
  };

  const verifyToken = async (email: string) => {
    await post('request-verify-token', { email });
    return (await mailsTo(email)).at(-1)?.token as string;
  };

  it('answers 202 with null whatever the address', async () => {
    const disabled = await api.addUser();
    await api.call('POST', `/api/v1/system/users/${disabled.id}/disable`, { token: api.admin.token });
    for (const email of [user.email.toUpperCase(), 'nobody@example.com', disabled.email]) {
      const answer = await post('forgot-password', { email });
      expect([answer.status, answer.text]).toEqual([202, 'null']);
    }
    expect((await mailsTo(user.email)).map((mail) => mail.kind)).toEqual(['reset-password']);
    const [mail] = await mailsTo(user.email);
    expect(mail?.text).toMatch(/\/console\/reset-password within \d+ minutes/);
    expect(mail?.text).toContain(`\n${mail?.token}\n`);
    for (const address of ['nobody@example.com', disabled.email]) expect(await mailsTo(address)).toEqual([]);
    expect((await post('forgot-password', { email: 'no address' })).status).toBe(422);
  });

  it('sets a new password once, and ends every session', async () => {
    const person = await api.addUser();
    const token = await resetToken(person.email);
    const weak = await post('reset-password', { token, password: 'short' });
    expect([weak.status, weak.body.detail.code]).toEqual([400, 'RESET_PASSWORD_INVALID_PASSWORD']);
    const both = await Promise.all([
      post('reset-password', { token, password: 'a brand new one 1' }),
      post('reset-password', { token, password: 'a brand new one 2' }),
    ]);
    expect(both.map((answer) => answer.status).sort()).toEqual([200, 400]);
    expect(both.find((answer) => answer.status === 200)?.text).toBe('null');
    expect((await api.call('GET', '/users/me', { token: person.token })).status).toBe(401);
    const again = await post('reset-password', { token, password: 'a brand new one 3' });
    expect([again.status, again.body.detail]).toEqual([400, 'RESET_PASSWORD_BAD_TOKEN']);
    const rows = await api.container.db.inPlatform((tx) =>
      tx.query(
        "select actor_email from audit_entry where target_id = $1 and action = 'user.password_reset'",
        [person.id],
      ),
    );
    expect(rows).toEqual([{ actor_email: person.email }]);
  });

  it('refuses other tokens for a reset', async () => {
    await post('request-verify-token', { email: user.email });
    const verify = (await mailsTo(user.email)).at(-1)?.token as string;
    for (const token of ['x', user.token, verify])
      expect((await post('reset-password', { token, password: 'a brand new one 1' })).body.detail).toBe(
        'RESET_PASSWORD_BAD_TOKEN',
      );
  });

  it('verifies an address once, and only the one the mail went to', async () => {
    const person = await api.addUser();
    const token = await verifyToken(person.email);
    const moved = `moved-${randomUUID()}@example.com`;
    await api.call('PATCH', `/users/${person.id}`, { token: api.admin.token, json: { email: moved } });
    expect((await post('verify', { token })).body.detail).toBe('VERIFY_USER_BAD_TOKEN');
    await api.call('PATCH', `/users/${person.id}`, { token: api.admin.token, json: { email: person.email } });
    expect((await post('verify', { token })).body.detail).toBe('VERIFY_USER_BAD_TOKEN');
    const fresh = await verifyToken(person.email);
    const done = await post('verify', { token: fresh });
    expect([done.status, done.body.is_verified]).toEqual([200, true]);
    expect((await post('verify', { token: fresh })).body.detail).toBe('VERIFY_USER_ALREADY_VERIFIED');
    expect((await post('verify', { token: 'x' })).body.detail).toBe('VERIFY_USER_BAD_TOKEN');
    await api.call('PATCH', `/users/${person.id}`, { token: api.admin.token, json: { email: moved } });
    expect((await api.call('GET', `/users/${person.id}`, { token: api.admin.token })).body.is_verified).toBe(
      false,
    );
  });

  it('verifies no address by a token that was used, whatever changed since', async () => {
    const person = await api.addUser();
    const change = (json: object) =>
      api.call('PATCH', `/users/${person.id}`, { token: api.admin.token, json });
    const token = await verifyToken(person.email);
    expect((await post('verify', { token })).status).toBe(200);
    await change({ is_verified: false });
    expect((await post('verify', { token })).body.detail).toBe('VERIFY_USER_BAD_TOKEN');
    const second = await verifyToken(person.email);
    expect((await post('verify', { token: second })).status).toBe(200);
    await change({ email: `moved-${randomUUID()}@example.com` });
    await change({ email: person.email });
    for (const used of [token, second])
      expect((await post('verify', { token: used })).body.detail).toBe('VERIFY_USER_BAD_TOKEN');
    expect((await api.call('GET', `/users/${person.id}`, { token: api.admin.token })).body.is_verified).toBe(
      false,
    );
  });

  it('takes no reset token that went to an address before the present one', async () => {
    const person = await api.addUser();
    const change = (json: object) =>
      api.call('PATCH', `/users/${person.id}`, { token: api.admin.token, json });
    const token = await resetToken(person.email);
    expect((await change({ full_name: 'Zoe', is_verified: true })).status).toBe(200);
    expect((await post('reset-password', { token, password: 'short' })).body.detail.code).toBe(
      'RESET_PASSWORD_INVALID_PASSWORD',
    );
    await change({ email: `moved-${randomUUID()}@example.com` });
    for (const email of [null, person.email]) {
      if (email !== null) await change({ email });
      expect((await post('reset-password', { token, password: 'a brand new one 1' })).body.detail).toBe(
        'RESET_PASSWORD_BAD_TOKEN',
      );
    }
  });

  it('sends an address no more than five mails in a quarter of an hour', async () => {
    const person = await api.addUser();
    await Promise.all(Array.from({ length: 8 }, () => post('forgot-password', { email: person.email })));
    expect(await mailsTo(person.email)).toHaveLength(5);
  });
});

describe('accounts by id', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  it('are read, changed and deleted by global administrators alone', async () => {
    const user = await api.addUser();
    const as = (method: string, token: string, json?: unknown, id = user.id) =>
      api.call(method, `/users/${id}`, { token, json });
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect((await as(method, user.token, undefined, 'nonsense')).status).toBe(403);
      for (const id of ['nonsense', randomUUID()])
        expect((await as(method, api.admin.token, method === 'PATCH' ? {} : undefined, id)).status).toBe(404);
    }
    expect((await as('PATCH', api.admin.token, { email: 1 }, 'nonsense')).status).toBe(404);
    expect((await as('PATCH', api.admin.token, { email: 1 })).status).toBe(422);
    const taken = await as('PATCH', api.admin.token, { email: api.admin.email.toUpperCase() });
    expect([taken.status, taken.body.detail]).toEqual([400, 'UPDATE_USER_EMAIL_ALREADY_EXISTS']);
    expect((await as('PATCH', api.admin.token, { password: 'password1' })).body.detail.code).toBe(
      'UPDATE_USER_INVALID_PASSWORD',
    );
    expect((await as('PATCH', api.admin.token, { full_name: 'Zoe', is_superuser: true })).body).toMatchObject(
      { full_name: 'Zoe', is_superuser: true },
    );
    expect((await api.call('GET', '/api/v1/system/users', { token: user.token })).status).toBe(200);
    await as('PATCH', api.admin.token, { is_superuser: false, password: 'set by an admin 1' });
    expect((await as('GET', user.token)).status).toBe(401);
    expect(await api.signIn(user.email, 'set by an admin 1')).toBeTruthy();
    const gone = await as('DELETE', api.admin.token);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await as('DELETE', api.admin.token, undefined, api.admin.id)).status).toBe(400);
    expect((await as('PATCH', api.admin.token, { is_active: false }, api.admin.id)).status).toBe(400);
    expect((await as('PATCH', api.admin.token, { is_superuser: false }, api.admin.id)).status).toBe(409);
  });

  it('say what FastAPI-Users says where a refusal has no code of its own, and nothing elsewhere', async () => {
    const user = await api.addUser();
    const detail = async (method: string, path: string, token?: string) => {
      const { status, body } = await api.call(method, path, { token });
      return [status, body.detail];
    };
    expect(await detail('GET', '/users/me')).toEqual([401, 'Unauthorized']);
    expect(await detail('POST', '/auth/jwt/logout', 'nonsense')).toEqual([401, 'Unauthorized']);
    expect(await detail('GET', `/users/${user.id}`, user.token)).toEqual([403, 'Forbidden']);
    for (const id of ['nonsense', randomUUID()])
      expect(await detail('GET', `/users/${id}`, api.admin.token)).toEqual([404, 'Not Found']);
    expect(await detail('GET', '/auth/nothing', user.token)).toEqual([404, 'Not Found']);
    expect(await detail('GET', '/api/v1/tenants')).toEqual([401, null]);
    expect(await detail('GET', '/api/v1/system/users', user.token)).toEqual([403, null]);
  });

  it('registers without rights, whatever the body asks for', async () => {
    const email = `r-${randomUUID()}@example.com`;
    const made = await api.call('POST', '/auth/register', {
      json: {
        email,
        password: 'a decent one 77',
        is_superuser: true,
        is_verified: true,
        is_active: false,
        role: 'ADMIN',
        full_name: 'R',
      },
    });
    expect([made.status, Object.keys(made.body).sort()]).toEqual([
      201,
      ['email', 'full_name', 'id', 'is_active', 'is_superuser', 'is_verified', 'phone'],
    ]);
    expect(made.body).toMatchObject({ is_superuser: false, is_verified: false, is_active: true });
    const again = await api.call('POST', '/auth/register', {
      json: { email: email.toUpperCase(), password: 'a decent one 77' },
    });
    expect([again.status, again.body.detail]).toEqual([400, 'REGISTER_USER_ALREADY_EXISTS']);
    const rows = await api.container.db.inPlatform((tx) =>
      tx.query('select action, actor_id from audit_entry where target_id = $1', [made.body.id]),
    );
    expect(rows).toEqual([{ action: 'user.create', actor_id: made.body.id }]);
  });

  it.each([
    ['a password equal to the address', (email: string) => email, 400],
    ['7 characters', () => 'xk39dka', 400],
    ['129 characters', () => 'xk'.repeat(65).slice(0, 129), 400],
    ['128 characters', () => 'xk'.repeat(64), 201],
    ['64 characters with spaces', () => 'word '.repeat(13).slice(0, 64), 201],
    ['emoji', () => '🙂🙃🙂🙃🙂🙃🙂🙃', 201],
    ['a common one', () => 'Password123', 400],
  ])('judges %s', async (_name, password, status) => {
    const email = `p-${randomUUID()}@example.com`;
    expect(
      (await api.call('POST', '/auth/register', { json: { email, password: password(email) } })).status,
    ).toBe(status);
  });
});
