import { gzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from './support/test-api.js';

describe('error answers', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const register = (
    body: string | Buffer,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) => api.call('POST', '/auth/register', { body, headers });

  it('have one shape, for unknown paths and methods too', async () => {
    const unknown = await api.call('GET', '/api/v1/no/such/path<script>');
    expect(unknown.status).toBe(404);
    expect(Object.keys(unknown.body)).toEqual(['error_id', 'code', 'message', 'detail']);
    expect(unknown.text).not.toContain('script');
    expect(unknown.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(unknown.headers.get('x-content-type-options')).toBe('nosniff');
    const wrong = await api.call('DELETE', '/api/v1/tenants');
    expect([wrong.status, wrong.headers.get('allow'), wrong.body.code]).toEqual([
      405,
      'GET, HEAD',
      'method_not_allowed',
    ]);
    expect((await api.call('GET', '/users/%zz')).status).toBe(400);
  });

  it('say where a body is wrong in both shapes and never repeat a password', async () => {
    const secret = 'sup3r-secret-value';
    for (const body of [
      { email: 'not an address', password: secret },
      { email: 'a@b.c', password: { nested: secret } },
      { email: 'a@b.c', password: [secret] },
      { password: secret },
      { email: 7, password: secret },
    ]) {
      const { status, body: answer, text } = await register(JSON.stringify(body));
      expect(status).toBe(422);
      expect(answer).toMatchObject({
        code: 'unprocessable_entity',
        detail: [
          { loc: expect.arrayContaining(['body']), msg: expect.any(String), type: expect.any(String) },
        ],
      });
      expect(text).not.toContain(secret);
    }
  });

  it.each([
    ['broken JSON', '{"email": "a@b.c", "password": "sup3r', 422],
    ['an empty body', '', 422],
    ['a list', '[]', 422],
    ['a text', '"x"', 422],
    ['null', 'null', 422],
    ['a NUL in a text', '{"email": "a\\u0000@b.c", "password": "a decent one 77"}', 422],
    ['a lone surrogate', '{"email": "a@b.c", "password": "a decent one 77", "full_name": "\\ud800"}', 422],
    ['deep nesting', `{"email": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 422],
    ['a prototype', '{"__proto__": {"email": "a@b.c"}, "constructor": {"prototype": {}}}', 422],
    ['more than 1 MiB', JSON.stringify({ email: 'a@b.c', password: 'x'.repeat(1_100_000) }), 413],
  ])("answer %s as the client's fault", async (_name, body, status) => {
    const answer = await register(body);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('sup3r');
  });

  it('refuse other content types and broken encodings', async () => {
    const text = JSON.stringify({ email: 'ct@example.com', password: 'a decent one 77' });
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      '',
    ])
      expect((await register(text, { 'content-type': type })).status).toBe(415);
    expect((await register(text, { 'content-type': 'application/json; charset=latin1' })).status).toBe(415);
    // In UTF-16 the sign ∀ holds the byte of a quote, behind which no nesting was counted.
    const wide = Buffer.from(`["∀",${'['.repeat(20_000)}${']'.repeat(20_000)}]`, 'utf16le');
    expect((await register(wide, { 'content-type': 'application/json; charset=utf-16le' })).status).toBe(415);
    expect(
      (
        await register(gzipSync(text).subarray(0, 20), {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        })
      ).status,
    ).toBe(400);
    expect(
      (
        await register(gzipSync(Buffer.alloc(5_000_000, 32)), {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        })
      ).status,
    ).toBe(413);
    expect(
      (await register(text, { 'content-type': 'application/json', 'content-encoding': 'br2' })).status,
    ).toBe(415);
  });

  it('refuse a list that is too long by its length, and name at most 100 fields', async () => {
    const create = (fields: object) =>
      api.call('POST', '/api/v1/settings/tenants', {
        token: api.admin.token,
        json: { code: 'q', name: 'x', ...fields },
      });
    const long = await create({ shared_defaults: Array<number>(100_000).fill(1) });
    expect([long.status, long.body.detail]).toEqual([
      422,
      [{ loc: ['body', 'shared_defaults'], msg: 'maxItems 100', type: 'value_error' }],
    ]);
    const wrong = await create({ shared_defaults: Array<object>(100).fill({ kind: 1, name: 1 }) });
    expect([wrong.status, wrong.body.detail.length]).toEqual([422, 100]);
  });

  it.each(['null', '"hi"', '7', 'true'])(
    'say of the body %s that it is no object, not that it is no JSON',
    async (body) => {
      const answer = await register(body);
      expect([answer.status, answer.body.detail]).toEqual([
        422,
        [{ loc: ['body'], msg: 'must be a JSON object', type: 'model_attributes_type' }],
      ]);
    },
  );

  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(api.base);
      const socket = connect(Number(port), hostname, () => socket.write(text));
      let answer = '';
      socket.on('data', (bytes) => (answer += bytes.toString()));
      socket.on('end', () => resolve(answer)).on('error', reject);
    });

  it('have the same shape where there is no request yet: headers that are too large, and broken HTTP', async () => {
    const large = await raw(`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(large).toMatch(/^HTTP\/1\.1 431 /);
    expect(Object.keys(JSON.parse(large.slice(large.indexOf('\r\n\r\n'))))).toEqual([
      'error_id',
      'code',
      'message',
      'detail',
    ]);
    const broken = await raw('NONSENSE\r\n\r\n');
    expect(broken).toMatch(/^HTTP\/1\.1 400 /);
    expect(broken).toContain('"code":"bad_request"');
  });

  it('refuse a Host that is not ours', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(api.base);
      const socket = connect(Number(port), hostname, () =>
        socket.write('GET /users/me HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'),
      );
      let text = '';
      socket.on('data', (bytes) => (text += bytes.toString()));
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('mask what is our own fault', async () => {
    const { db } = api.container;
    const inAuth = db.inAuth.bind(db);
    try {
      db.inAuth = () => Promise.reject(new Error('password=hunter2 at /srv/app/x.ts'));
      const broken = await api.call('GET', '/api/v1/tenants', { token: api.admin.token });
      expect([broken.status, broken.body.code]).toEqual([500, 'internal_error']);
      expect(broken.text).not.toMatch(/hunter2|\/srv/);
    } finally {
      db.inAuth = inAuth;
    }
  });
});
