import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
  readonly body: any;
}

describe('the HTTP layer', () => {
  let api: TestApi;
  let tenant: TestTenant;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
  });
  afterAll(() => api.close());

  /** Sends lines and a body, the latter only when asked for by `100 Continue` where that is expected. */
  const send = (lines: readonly string[], body = ''): Promise<{ continued: boolean; answer: RawAnswer }> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(api.base);
      const waits = lines.some((line) => /^expect: *100-continue/i.test(line));
      const socket = connect(Number(port), hostname, () =>
        socket.write(`${lines.join('\r\n')}\r\n\r\n${waits ? '' : body}`),
      );
      let text = '';
      let continued = false;
      socket.setTimeout(10_000, () => socket.destroy(new Error(`no end of the answer: ${text}`)));
      socket.on('data', (bytes) => {
        text += bytes.toString();
        if (!text.startsWith('HTTP/1.1 100 Continue\r\n\r\n')) return;
        continued = true;
        text = text.slice('HTTP/1.1 100 Continue\r\n\r\n'.length);
        socket.write(body);
      });
      socket.on('error', reject).on('close', () => {
        const at = text.indexOf('\r\n\r\n');
        resolve({
          continued,
          answer: {
            status: Number(text.slice(9, 12)),
            head: text.slice(0, at),
            body: text.slice(at + 4) === '' ? null : JSON.parse(text.slice(at + 4)),
          },
        });
      });
    });
  const post = (path: string, ...headers: string[]) => [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${api.admin.token}`,
    `X-Tenant: ${tenant.code}`,
    'Connection: close',
    ...headers,
  ];
  const expectShape = (answer: RawAnswer, status: number, code: string) => {
    expect([answer.status, answer.body?.code]).toEqual([status, code]);
    expect(Object.keys(answer.body)).toEqual(['error_id', 'code', 'message', 'detail']);
    expect(answer.head).toMatch(/content-type: application\/json; charset=utf-8/i);
  };

  it.each([
    ['JSON', '/auth/register', 'application/json', 1_048_577],
    ['a form', '/auth/jwt/login', 'application/x-www-form-urlencoded', 16_385],
    ['a file', '/api/v1/datasets/none/files', 'multipart/form-data; boundary=b', 6 * 2 ** 30],
    ['an archive', '/api/v1/datasets/none/archive', 'multipart/form-data; boundary=b', 2 * 2 ** 30],
  ])('refuses %s above its limit by the stated length alone', async (_what, path, type, length) => {
    const sent = post(path, `Content-Type: ${type}`, `Content-Length: ${length}`);
    const waiting = await send([...sent, 'Expect: 100-continue']);
    expect(waiting.continued).toBe(false);
    expectShape(waiting.answer, 413, 'payload_too_large');
    // Nobody has sent a byte of the body yet.
    if (length < 2 ** 30)
      expectShape((await send(sent, 'x'.repeat(length))).answer, 413, 'payload_too_large');
  });

  it('asks for a body that it reads, and for none of a caller it does not know or of a path it does not serve', async () => {
    const body = JSON.stringify({ email: `expects-${Date.now()}@example.com`, password: 'a decent one 77' });
    const headers = [
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ];
    const taken = await send(post('/auth/register', ...headers), body);
    expect([taken.continued, taken.answer.status]).toEqual([true, 201]);
    const stranger = await send(['POST /api/v1/datasets HTTP/1.1', 'Host: 127.0.0.1', ...headers], body);
    expect([stranger.continued, stranger.answer.status]).toEqual([false, 401]);
    expect((await send(post('/api/v1/none', ...headers), body)).continued).toBe(false);
  });

  it('refuses two Host headers, or none', async () => {
    const get = ['GET /users/me HTTP/1.1', 'Connection: close'];
    for (const hosts of [
      ['Host: 127.0.0.1', 'Host: 127.0.0.1'],
      ['Host: 127.0.0.1', 'host: evil.example'],
      ['Host: evil.example', 'Host: localhost'],
      [],
    ])
      expectShape((await send([...get, ...hosts])).answer, 400, 'bad_request');
    expect((await send([...get, 'Host: 127.0.0.1'])).answer.status).toBe(401);
  });

  it('refuses other expectations and broken HTTP in the shape of every refusal', async () => {
    expectShape(
      (await send(['GET / HTTP/1.1', 'Host: 127.0.0.1', 'Expect: a-miracle'])).answer,
      417,
      'expectation_failed',
    );
    expectShape(
      (await send(['GET / HTTP/1.1', 'Host: 127.0.0.1', 'Content-Length: x'])).answer,
      400,
      'bad_request',
    );
    expectShape(
      (await send(['GET / HTTP/1.1', 'Host: 127.0.0.1', `X-Large: ${'x'.repeat(20_000)}`])).answer,
      431,
      'request_header_fields_too_large',
    );
  });

  it('names a body that is not what Content-Encoding says', async () => {
    const text = JSON.stringify({ email: 'ce@example.com', password: 'a decent one 77' });
    const register = (body: Buffer, encoding: string) =>
      api.call('POST', '/auth/register', {
        body,
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      });
    for (const [body, encoding] of [
      [Buffer.from(text), 'gzip'],
      [Buffer.from(text), 'deflate'],
      [Buffer.from(text), 'br'],
      [gzipSync(text).subarray(0, 20), 'gzip'],
    ] as const) {
      const { status, body: answer } = await register(body, encoding);
      expect([encoding, status, answer.code, answer.message]).toEqual([
        encoding,
        400,
        'bad_request',
        expect.stringContaining('Content-Encoding'),
      ]);
    }
    const form = await api.call('POST', '/api/v1/datasets/none/files', {
      token: api.admin.token,
      tenant: tenant.code,
      body: gzipSync('--b--'),
      headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': 'gzip' },
    });
    expect([form.status, form.body.message]).toEqual([415, expect.stringContaining('Content-Encoding')]);
  });
});

describe('paths that are not served', () => {
  let api: TestApi;
  let tenant: TestTenant;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
  });
  afterAll(() => api.close());

  it.each([
    ['GET', '/api/v1/alerts/rules'],
    ['POST', '/api/v1/registry/imports:start'],
  ])('are unknown although a word of theirs could stand for an id: %s %s', async (method, path) => {
    const answer = await api.call(method, path, { token: api.admin.token, tenant: tenant.code });
    expect([answer.status, answer.headers.get('allow'), answer.body]).toEqual([
      404,
      null,
      { error_id: expect.any(String), code: 'not_found', message: 'Path not found.', detail: null },
    ]);
  });

  it.each(['/api/v1/runs/compare', '/api/v1/models/m/compare'])(
    'are known by their own methods alone where a word could stand for an id: DELETE %s',
    async (path) => {
      const answer = await api.call('DELETE', path, { token: api.admin.token, tenant: tenant.code });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    },
  );

  it.each([
    ['GET', '/tracker'],
    ['GET', '/tracker/'],
    ['POST', '/tracker/api/2.0/mlflow/runs/nothing'],
    ['GET', '/tracker/api/3.0/mlflow/runs/get'],
  ])('are reported in the form of MLflow below the tracker: %s %s', async (method, path) => {
    const answer = await api.call(method, path);
    expect([answer.status, answer.body]).toEqual([
      404,
      { error_code: 'ENDPOINT_NOT_FOUND', message: expect.stringMatching(/./) },
    ]);
  });

  it('leave the other refusals below the tracker as they were', async () => {
    const wrong = await api.call('DELETE', '/tracker/api/2.0/mlflow/runs/get');
    expect([wrong.status, wrong.headers.get('allow'), wrong.body.error_code]).toEqual([
      405,
      'GET, HEAD',
      'BAD_REQUEST',
    ]);
    const unknown = await api.call('GET', '/tracker/api/2.0/mlflow/runs/get?run_id=x');
    expect([unknown.status, unknown.body.error_code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(Object.keys((await api.call('GET', '/trackers')).body)).toEqual([
      'error_id',
      'code',
      'message',
      'detail',
    ]);
  });
});
