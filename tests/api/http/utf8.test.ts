import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

/** Latin-1: the byte of `ÿ` stands nowhere in UTF-8. */
const bytes = (text: string) => Buffer.from(text, 'latin1');
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

describe('text that is no UTF-8', () => {
  let api: TestApi;
  let tenant: TestTenant;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
  });
  afterAll(() => api.close());

  const register = (text: string) =>
    api.call('POST', '/auth/register', { body: bytes(text), headers: JSON_TYPE });
  const invalid = (...loc: Array<string | number>) => ({
    loc,
    msg: 'must be valid UTF-8',
    type: 'value_error',
  });

  it.each([
    ['a value', '{"email": "a@example.com", "password": "a decent \xff one 77"}', ['body', 'password']],
    [
      'a cut sequence',
      '{"email": "a@example.com", "password": "a decent one 77 \xc3"}',
      ['body', 'password'],
    ],
    [
      'half of a pair',
      '{"email": "a@example.com", "password": "a decent one 77 \xed\xa0\x80"}',
      ['body', 'password'],
    ],
    [
      'an overlong form',
      '{"email": "a@example.com", "password": "a decent one 77 \xc0\xaf"}',
      ['body', 'password'],
    ],
    [
      'a value beside escapes',
      '{"email": "a@example.com", "full_name": "\\u00ff\\\\", "password": "a decent one \\"77 \xff"}',
      ['body', 'password'],
    ],
    [
      'an item of a list',
      '{"email": "a@example.com", "password": "a decent one 77", "x": [1, {"y": "\xff"}]}',
      ['body', 'x', 1, 'y'],
    ],
    [
      'a value below a key that is UTF-8',
      '{"email": "a@example.com", "password": "a decent one 77", "\xc3\xa9": "\xff"}',
      ['body', 'é'],
    ],
  ])('is refused in JSON with its place: %s', async (_what, text, loc) => {
    const answer = await register(text);
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
      422,
      'unprocessable_entity',
      [invalid(...loc)],
    ]);
  });

  it('is refused in JSON outside of texts, in keys and behind a mark too', async () => {
    const key = await register('{"email": "a@example.com", "password": "a decent one 77", "\xff": 1}');
    expect([key.status, key.body.detail]).toEqual([
      422,
      [{ loc: ['body'], msg: 'has a key that must be valid UTF-8', type: 'value_error' }],
    ]);
    for (const text of ['\xff', '{"email": \xff}', '\xef\xbb\xbf{"email": "\xff"}']) {
      const answer = await register(text);
      expect([answer.status, answer.body.detail]).toEqual([422, [invalid('body')]]);
    }
  });

  it.each([
    ['as bytes', 'username=a@example.com&password=a+decent+one\xff'],
    ['escaped', 'username=a@example.com&password=a+decent+one%FF'],
    ['partly escaped', 'username=a@example.com&password=a+decent+one%c3'],
  ])('is refused in forms with its place, %s', async (_what, text) => {
    const answer = await api.call('POST', '/auth/jwt/login', { body: bytes(text), headers: FORM_TYPE });
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      [{ loc: ['body', 'password'], msg: expect.stringContaining('valid UTF-8'), type: 'value_error' }],
    ]);
  });

  it('is refused in queries and paths with its place, once it is clear who asks', async () => {
    const query = await api.call('GET', '/api/v1/system/users?q=a%FFb', { token: api.admin.token });
    expect([query.status, query.body.detail]).toEqual([
      422,
      [{ loc: ['query', 'q'], msg: expect.stringContaining('valid UTF-8'), type: 'value_error' }],
    ]);
    const path = await api.call('GET', '/api/v1/models/a%FFb/versions', {
      token: api.admin.token,
      tenant: tenant.code,
    });
    expect([path.status, path.body.detail]).toEqual([
      422,
      [{ loc: ['path', 'name'], msg: expect.stringContaining('valid UTF-8'), type: 'value_error' }],
    ]);
    expect((await api.call('GET', '/users/%FF', { token: api.admin.token })).status).toBe(404);
    for (const url of ['/api/v1/system/users?q=%FF', '/api/v1/models/%FF/versions', '/users/%FF'])
      expect((await api.call('GET', url)).status).toBe(401);
  });

  it('is refused in the file name of a form with its place', async () => {
    const dataset = await api.call('POST', '/api/v1/datasets', {
      token: api.admin.token,
      tenant: tenant.code,
      json: { id: 'utf8', name: 'utf8' },
    });
    expect(dataset.status).toBe(201);
    const body = bytes(
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a\xff.zip"\r\n\r\nPK\r\n--b--\r\n',
    );
    for (const kind of ['files', 'archive']) {
      const answer = await api.call('POST', `/api/v1/datasets/${dataset.body.id}/${kind}`, {
        token: api.admin.token,
        tenant: tenant.code,
        body,
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      });
      expect([kind, answer.status, answer.body.detail]).toEqual([
        kind,
        422,
        [invalid('body', 'file', 'filename')],
      ]);
    }
  });

  it('is no matter of what is UTF-8: names and passwords arrive as they were typed', async () => {
    const [email, password] = [`utf8-${Date.now()}@example.com`, 'pässwörd 日本 🐱 %ff'];
    const registered = await api.call('POST', '/auth/register', {
      json: { email, password, full_name: 'Zoë \ufffd 🐱' },
    });
    expect([registered.status, registered.body.full_name]).toEqual([201, 'Zoë \ufffd 🐱']);
    expect((await api.call('POST', '/auth/jwt/login', { form: { username: email, password } })).status).toBe(
      200,
    );
    const raw = Buffer.from(`username=${email}&password=pässwörd+日本+🐱+%25ff`);
    expect((await api.call('POST', '/auth/jwt/login', { body: raw, headers: FORM_TYPE })).status).toBe(200);
    const found = await api.call('GET', `/api/v1/system/users?q=${encodeURIComponent('Zoë')}`, {
      token: api.admin.token,
    });
    expect(found.body.items.map((user: { email: string }) => user.email)).toEqual([email]);
  });
});
