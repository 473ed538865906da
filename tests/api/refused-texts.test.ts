import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from './support/test-api.js';

describe('answers to texts that cannot be stored or seen', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const register = (
    body: string | Buffer,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) => api.call('POST', '/auth/register', { body, headers });

  it('name the place of what cannot be stored', async () => {
    const inBody = await register(
      '{"email": "a@b.c", "password": "a decent one 77", "full_name": "\\ud800"}',
    );
    expect(inBody.body.detail).toEqual([
      { loc: ['body', 'full_name'], msg: expect.stringContaining('surrogate'), type: 'value_error' },
    ]);
    const inQuery = await api.call('GET', '/api/v1/system/users?q=a%00b', { token: api.admin.token });
    expect([inQuery.status, inQuery.body.detail]).toEqual([
      422,
      [{ loc: ['query', 'q'], msg: 'must not contain a NUL character', type: 'value_error' }],
    ]);
    const inPath = await api.call('GET', '/users/%00', { token: api.admin.token });
    expect(inPath.status).toBe(404);
    expect((await api.call('GET', '/api/v1/system/users?q=a%00b', { token: 'none' })).status).toBe(401);
  });

  it('refuse names that nobody could see or tell apart', async () => {
    for (const name of ['', ' ', '\u200b', 'a\nb', 'a\u202eb', '\u0007']) {
      const tenant = await api.call('POST', '/api/v1/settings/tenants', {
        token: api.admin.token,
        json: { code: 'odd', name },
      });
      expect([name, tenant.status, tenant.body.detail[0].loc]).toEqual([name, 422, ['body', 'name']]);
      const user = await api.call('PATCH', '/users/me', {
        token: api.admin.token,
        json: { full_name: name },
      });
      expect([name, user.status]).toEqual([name, name === '' ? 200 : 422]);
    }
  });

  it('refuse passwords that would not survive as they were typed', async () => {
    const email = `nul-${Date.now()}@example.com`;
    expect((await register(JSON.stringify({ email, password: 'a decent\u0000 one 77' }))).status).toBe(422);
    expect((await register(`{"email": "${email}", "password": "a decent one 77\\udc00"}`)).status).toBe(422);
  });
});
