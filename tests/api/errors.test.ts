import { gzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../core/security/ids.js';
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

describe('a database that takes no changes any more', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  it.each(['inTenant', 'inPlatform', 'inAuth'] as const)(
    'is unavailable once, and what is asked next is done on a new connection (%s)',
    async (role) => {
      const { id, code } = await api.addTenant();
      const { db } = api.container;
      const inRole = (text: string) =>
        role === 'inTenant'
          ? db.inTenant(asTenantId(id), (tx) => tx.query<{ pid: number }>(text))
          : db[role]((tx) => tx.query<{ pid: number }>(text));
      const WRITES = {
        inTenant: ['POST', '/api/v1/datasets/drafts', { name: 'Scans' }],
        inPlatform: ['POST', '/api/v1/settings/tenants', { code: `c${code}`.slice(0, 20), name: 'Team' }],
        inAuth: ['PATCH', '/users/me', { full_name: 'Ada' }],
      } as const;
      const write = () => {
        const [method, path, json] = WRITES[role];
        return api.call(method, path, {
          token: api.admin.token,
          json,
          ...(role === 'inTenant' ? { tenant: code } : {}),
        });
      };
      await inRole('set session characteristics as transaction read only');
      const before = await inRole('select pg_backend_pid() as pid');
      const refused = await write();
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        503,
        'service_unavailable',
        '5',
      ]);
      expect((await write()).status).toBe(role === 'inAuth' ? 200 : 201);
      expect(await inRole('select pg_backend_pid() as pid')).not.toEqual(before);
    },
  );
});

describe('the warm path', () => {
  it('asks the database for nothing when who calls is known', async () => {
    const api = await startTestApi();
    try {
      const tenant = await api.addTenant();
      const user = await api.addUser({ [tenant.code]: 'VIEWER' });
      await api.call('GET', '/users/me', { token: user.token });
      const { db } = api.container;
      let asked = 0;
      const inPlatform = db.inPlatform.bind(db);
      db.inPlatform = (work) => {
        asked += 1;
        return inPlatform(work);
      };
      for (let i = 0; i < 20; i += 1)
        expect((await api.call('GET', '/users/me', { token: user.token })).status).toBe(200);
      expect(asked).toBe(0);
    } finally {
      await api.close();
    }
  });
});

describe('the start page', () => {
  it('is one file with links, and shows the sample only when there is one', async () => {
    const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
    const dir = mkdtempSync('/tmp/visionops-home-');
    const api = await startTestApi({ SERVICE_DATA_DIR: dir, TEMPORAL_UI_URL: 'http://127.0.0.1:8233' });
    try {
      const empty = await api.call('GET', '/');
      expect([empty.status, empty.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(empty.text).toContain('href="/docs"');
      expect(empty.text).toContain('href="http://127.0.0.1:8233"');
      expect(empty.text).not.toContain('confusion');
      expect((await api.call('GET', '/sample/confusion.svg')).status).toBe(404);
      mkdirSync(`${dir}/sample`, { recursive: true });
      writeFileSync(
        `${dir}/sample/result.json`,
        JSON.stringify({ accuracy: 0.9712, images: 360, picture: 'confusion-matrix.svg' }),
      );
      writeFileSync(`${dir}/sample/confusion-matrix.svg`, '<svg xmlns="http://www.w3.org/2000/svg"/>');
      expect((await api.call('GET', '/')).text).toContain('97.1 % of 360');
      const picture = await api.call('GET', '/sample/confusion.svg');
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
      writeFileSync(
        `${dir}/sample/result.json`,
        JSON.stringify({ accuracy: 1, images: 1, picture: '../../etc/passwd' }),
      );
      expect((await api.call('GET', '/sample/confusion.svg')).status).toBe(404);
    } finally {
      await api.close();
      rmSync(dir, { recursive: true });
    }
  });
});
