import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hash } from '@node-rs/argon2';
import { SignJWT } from 'jose';
import { deriveKey } from '../../../core/security/key-ring.js';
import { updateProfile } from '../../../models/accounts/account-changes.platform.js';
import { replacePreferences } from '../../../models/notifications/own-notifications.platform.js';
import { startTestApi, type TestApi, type TestUser } from '../support/test-api.js';

describe('sessions', () => {
  let api: TestApi;
  let user: TestUser;
  beforeAll(async () => {
    api = await startTestApi();
    user = await api.addUser();
  });
  afterAll(() => api.close());

  const me = (token: string) => api.call('GET', '/users/me', { token });
  const login = (form: Record<string, string>, kind = 'jwt', headers: Record<string, string> = {}) =>
    api.call('POST', `/auth/${kind}/login`, { form, headers });
  const cookieOf = async () => {
    const answer = await login({ username: user.email, password: user.password }, 'cookie');
    return { answer, cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] as string };
  };

  it('signs in with a cookie whose attributes keep scripts and other sites away', async () => {
    const { answer, cookie } = await cookieOf();
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(/^svcauth=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await api.call('GET', '/users/me', { headers: { cookie } })).status).toBe(200);
    expect(
      (await api.call('GET', '/users/me', { headers: { cookie: `xsvcauth=1; ${cookie}` } })).status,
    ).toBe(200);
    expect(
      (await api.call('GET', '/users/me', { headers: { cookie: cookie.replace('svcauth', 'notsvcauth') } }))
        .status,
    ).toBe(401);
  });

  it('ends the session it was signed out with, and no other', async () => {
    const { cookie } = await cookieOf();
    const token = await api.signIn(user.email, user.password);
    const out = await api.call('POST', '/auth/cookie/logout', { headers: { cookie } });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      'svcauth=""; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    ]);
    expect((await api.call('GET', '/users/me', { headers: { cookie } })).status).toBe(401);
    expect((await me(token)).status).toBe(200);
    expect((await api.call('POST', '/auth/jwt/logout', { token })).status).toBe(200);
    expect((await me(token)).status).toBe(401);
    expect((await api.call('POST', '/auth/jwt/logout', { token })).status).toBe(401);
  });

  it('takes each kind of session only where it belongs', async () => {
    const { cookie } = await cookieOf();
    expect((await api.call('POST', '/auth/jwt/logout', { headers: { cookie } })).status).toBe(401);
    expect((await api.call('POST', '/auth/cookie/logout', { token: user.token })).status).toBe(401);
  });

  it('takes neither a mailed token nor a session cookie as a bearer token', async () => {
    const key = deriveKey(api.container.settings.SERVICE_SECRET_KEYS, 'jwt').key;
    const reset = await new SignJWT({ password_fgpt: 'x' })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .setSubject(user.id)
      .setAudience('fastapi-users:reset')
      .setExpirationTime('1h')
      .sign(key);
    expect((await me(reset)).status).toBe(401);
    const { cookie } = await cookieOf();
    expect((await me(cookie.slice('svcauth='.length))).status).toBe(401);
    expect((await api.call('GET', '/users/me', { headers: { cookie } })).status).toBe(200);
    const bare = { authorization: cookie.slice('svcauth='.length) };
    expect((await api.call('GET', '/users/me', { headers: bare })).status).toBe(401);
    expect(
      (
        await api.call('PATCH', '/users/me', {
          headers: { ...bare, origin: 'https://evil.example' },
          json: { full_name: 'X' },
        })
      ).status,
    ).toBe(401);
    for (const scheme of ['Basic', 'bearer  ', 'Token'])
      expect(
        (await api.call('GET', '/users/me', { headers: { authorization: `${scheme} ${user.token}` } }))
          .status,
      ).toBe(401);
  });

  it('takes a good credential beside one that stands for nobody, whichever it is', async () => {
    const { cookie } = await cookieOf();
    const ended = await api.signIn(user.email, user.password);
    await api.call('POST', '/auth/jwt/logout', { token: ended });
    for (const authorization of [
      'Bearer nonsense',
      `Bearer ${'x'.repeat(43)}`,
      `Bearer ${ended}`,
      'Basic dTpw',
      '',
      'Bearer',
    ])
      expect([
        authorization,
        (await api.call('GET', '/users/me', { headers: { cookie, authorization } })).status,
      ]).toEqual([authorization, 200]);
    for (const bad of ['svcauth=nonsense', `svcauth=${'x'.repeat(43)}`])
      expect(
        (await api.call('GET', '/users/me', { token: user.token, headers: { cookie: bad } })).status,
      ).toBe(200);
    expect(
      (
        await api.call('GET', '/users/me', {
          headers: { cookie: `svcauth=${'x'.repeat(43)}`, authorization: 'Bearer nonsense' },
        })
      ).status,
    ).toBe(401);
    const other = await api.addUser();
    expect((await api.call('GET', '/users/me', { token: other.token, headers: { cookie } })).body.email).toBe(
      other.email,
    );
  });

  it('ends every session when the password changes', async () => {
    const person = await api.addUser();
    const second = await api.signIn(person.email, person.password);
    const wrong = await api.call('POST', '/users/me/password', {
      token: person.token,
      json: { current_password: 'no', new_password: 'another fine one 12' },
    });
    expect([wrong.status, wrong.body.detail]).toEqual([400, 'CHANGE_PASSWORD_BAD_CURRENT']);
    const weak = await api.call('POST', '/users/me/password', {
      token: person.token,
      json: { current_password: person.password, new_password: 'qwerty123' },
    });
    expect(weak.body.detail).toMatchObject({ code: 'UPDATE_USER_INVALID_PASSWORD' });
    const done = await api.call('POST', '/users/me/password', {
      token: person.token,
      json: { current_password: person.password, new_password: 'another fine one 12' },
    });
    expect(done.status).toBe(204);
    for (const token of [person.token, second]) expect((await me(token)).status).toBe(401);
    expect(await api.signIn(person.email, 'another fine one 12')).toBeTruthy();
  });

  it('keeps a password that was set while a change with the old one was under way', async () => {
    const person = await api.addUser();
    const { db } = api.container;
    const set = await hash('set by an admin 1', { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    const changed = await db.inPlatform(async (tx) => {
      await tx.execute('update user_account set password_hash = $2 where id = $1', [person.id, set]);
      const change = api.call('POST', '/users/me/password', {
        token: person.token,
        json: { current_password: person.password, new_password: 'another fine one 12' },
      });
      for (let [left, waits] = [200, false]; !waits && left > 0; left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        waits =
          (
            await tx.query(
              "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
            )
          ).length > 0;
      }
      return { change };
    });
    const answer = await changed.change;
    expect([answer.status, answer.body?.detail]).toEqual([400, 'CHANGE_PASSWORD_BAD_CURRENT']);
    expect(await api.signIn(person.email, 'set by an admin 1')).toBeTruthy();
  });

  it('lists the sign-ins of the account and ends the others', async () => {
    const person = await api.addUser();
    const other = await api.signIn(person.email, person.password);
    const { body } = await api.call('GET', '/users/me/sessions', { token: person.token });
    expect([
      body.total,
      body.items.filter((item: { is_current: boolean }) => item.is_current).length,
    ]).toEqual([2, 1]);
    const ended = await api.call('POST', '/users/me/sessions/end-others', { token: person.token });
    expect(ended.body).toMatchObject({ ended: 1 });
    expect([(await me(person.token)).status, (await me(other)).status]).toEqual([200, 401]);
  });

  it('answers alike for an unknown address, a wrong password and a disabled account', async () => {
    const person = await api.addUser();
    await api.call('POST', `/api/v1/system/users/${person.id}/disable`, { token: api.admin.token });
    const answers = [
      await login({ username: 'nobody@example.com', password: 'x'.repeat(10) }),
      await login({ username: user.email, password: 'x'.repeat(10) }),
      await login({ username: person.email, password: person.password }),
    ];
    for (const answer of answers)
      expect({ status: answer.status, ...answer.body, error_id: 0 }).toEqual({
        status: 400,
        code: 'bad_request',
        message: 'E-mail address or password is not right.',
        detail: 'LOGIN_BAD_CREDENTIALS',
        error_id: 0,
      });
  });

  it('refuses a malformed sign-in form with 422 and never repeats the password', async () => {
    for (const form of [
      {},
      { username: 'a@b.c' },
      { password: 'hunter2hunter2' },
      { username: '', password: '' },
      { username: 'a@b.c', password: 'hunter2hunter2', grant_type: 'client_credentials' },
    ]) {
      const answer = await login(form as Record<string, string>);
      expect(answer.status).toBe(422);
      expect(answer.text).not.toContain('hunter2');
    }
    const json = await api.call('POST', '/auth/jwt/login', {
      json: { username: user.email, password: user.password },
    });
    expect([json.status, json.body.detail.map((field: { loc: string[] }) => field.loc)]).toEqual([
      422,
      [
        ['body', 'username'],
        ['body', 'password'],
      ],
    ]);
    expect(
      (await login({ username: user.email, password: user.password, grant_type: 'password', scope: '' }))
        .status,
    ).toBe(200);
  });

  it('brings the stored hash of a password up to the present cost when its owner signs in, and ends no session by it', async () => {
    const person = await api.addUser();
    const stored = () =>
      api.container.db.inPlatform((tx) =>
        tx.query<{ password_hash: string }>('select password_hash from user_account where id = $1', [
          person.id,
        ]),
      );
    const weak = await hash(person.password, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    await api.container.db.inPlatform((tx) =>
      tx.execute('update user_account set password_hash = $2 where id = $1', [person.id, weak]),
    );
    expect((await login({ username: person.email, password: 'wrong wrong' })).status).toBe(400);
    expect((await stored())[0]?.password_hash).toBe(weak);
    expect(await api.signIn(person.email, person.password)).toBeTruthy();
    expect((await stored())[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await api.signIn(person.email, person.password)).toBeTruthy();
    expect((await me(person.token)).status).toBe(200);
  });

  it('throttles failed sign-ins of one account from one address, also when they come at once', async () => {
    const person = await api.addUser();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => login({ username: person.email, password: 'wrong wrong' })),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(9 + 1);
    const refused = answers.find((answer) => answer.status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await me(person.token)).status).toBe(200);
    expect(await api.signIn(user.email, user.password)).toBeTruthy();
  });

  it('refuses unsafe calls with a cookie from other sites', async () => {
    const { cookie } = await cookieOf();
    const change = (headers: Record<string, string>) =>
      api
        .call('PATCH', '/users/me', { headers: { cookie, ...headers }, json: { full_name: 'X' } })
        .then((answer) => answer.status);
    expect(await change({})).toBe(200);
    expect(await change({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await change({ origin: api.base })).toBe(200);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:9' },
    ])
      expect(await change(headers as never)).toBe(403);
    // A page can send these along by an address that holds a name and a password.
    expect(await change({ origin: 'https://evil.example', authorization: 'Basic dTpw' })).toBe(403);
    expect(
      (
        await login({ username: user.email, password: user.password }, 'cookie', {
          origin: 'https://evil.example',
        })
      ).status,
    ).toBe(403);
  });

  it('stores no token, only its hash', async () => {
    const { cookie } = await cookieOf();
    const token = cookie.slice('svcauth='.length);
    const rows = await api.container.db.inPlatform((tx) =>
      tx.query('select token_hash from auth_session where token_hash = $1', [
        createHash('sha256').update(token).digest('hex'),
      ]),
    );
    expect(rows).toHaveLength(1);
    const dump = JSON.stringify(
      await api.container.db.inPlatform((tx) => tx.query('select * from auth_session')),
    );
    expect(dump).not.toContain(token);
  });

  it('answers 401 to changes of an account that is deleted while they are on their way', async () => {
    const gone = randomUUID();
    const actor = { id: gone, email: 'gone@example.org', fullName: null, ip: null };
    const { db } = api.container;
    await expect(
      db.inPlatform((tx) => updateProfile(tx, actor, gone, { fullName: 'Late' })),
    ).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(replacePreferences(db, actor, gone, {})).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('sessions with a lifetime', () => {
  it('expire on the server, in the token and in the cookie', async () => {
    const api = await startTestApi({
      SERVICE_AUTH_TOKEN_LIFETIME: '2',
      SERVICE_BASE_URL: 'https://127.0.0.1',
    });
    try {
      const { token, email, password } = await api.addUser();
      const cookie = await api.call('POST', '/auth/cookie/login', { form: { username: email, password } });
      expect(cookie.headers.get('set-cookie')).toMatch(/; Secure; Max-Age=2$/);
      const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as {
        iat: number;
        exp: number;
      };
      expect(claims.exp - claims.iat).toBe(2);
      expect((await api.call('GET', '/users/me', { token })).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 2200));
      expect((await api.call('GET', '/users/me', { token })).status).toBe(401);
    } finally {
      await api.close();
    }
  });
});
