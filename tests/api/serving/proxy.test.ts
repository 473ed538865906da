import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '../../../api/http/routing/request-context.js';
import { ServingService } from '../../../api/serving/serving.service.js';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { createEndpoint } from '../../../models/serving/endpoint.commands.js';
import { findEndpoint } from '../../../models/serving/endpoint.queries.js';
import type { EndpointRow } from '../../../models/serving/serving.types.js';
import { registerDigits } from '../serving/digit-model.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

const ENDPOINTS = '/api/v1/serving/endpoints';
const DIGEST = `sha256:${'a'.repeat(64)}`;

/** The proxy before inference servers that behave as the test says. */
describe('the serving proxy', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let imageId: string;
  let servers: Server[] = [];
  let seen: Array<{
    method: string;
    url: string;
    headers: IncomingMessage['headers'];
    body: string;
    at: number;
  }> = [];

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    await registerDigits(
      api.container.settings,
      api.container.db,
      tenant.id,
      'm',
      new Map([['MLmodel', Buffer.from('x')]]),
    );
    const asked = await call('POST', '/api/v1/models/m/1/image');
    imageId = asked.body.id;
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        "update image set status = 'READY', manifest_digest = $2, runtime = 'sklearn' where id = $1",
        [imageId, DIGEST],
      ),
    );
  });
  afterAll(() => api.close());
  beforeEach(() => {
    seen = [];
  });
  afterEach(async () => {
    for (const server of servers) server.closeAllConnections();
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    servers = [];
  });

  const call = (method: string, path: string, options: Parameters<TestApi['call']>[2] = {}) =>
    api.call(method, path, { token: api.admin.token, tenant: tenant.code, ...options });

  /** An inference server; answers its address. */
  const serve = async (
    answer: (req: IncomingMessage, res: ServerResponse, body: string) => void,
  ): Promise<string> => {
    const server = createServer(async (req, res) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of req) chunks.push(chunk as Buffer);
      } catch {
        return;
      }
      const body = Buffer.concat(chunks).toString();
      seen.push({
        method: req.method ?? '',
        url: req.url ?? '',
        headers: req.headers,
        body,
        at: (server.address() as AddressInfo)?.port,
      });
      answer(req, res, body);
    });
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const echo = () =>
    serve((_req, res, body) =>
      res
        .writeHead(201, {
          'content-type': 'application/x-own',
          'set-cookie': 'a=1',
          'access-control-allow-origin': '*',
          'x-mine': 'kept',
        })
        .end(body),
    );

  /** An endpoint with these instances in this state. */
  const endpoint = async (instances: string[], status = 'RUNNING'): Promise<string> => {
    const name = `e-${randomUUID().slice(0, 8)}`;
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      createEndpoint(tx, SYSTEM_ACTOR, api.container.settings.SERVICE_SECRET_KEYS, {
        name,
        imageId,
        replicas: 1,
        gpu: 0,
        validationDatasetId: null,
      }),
    );
    await api.container.db.inPlatform(async (tx) => {
      await tx.execute('update serving_endpoint set status = $2, instances = $3 where name = $1', [
        ...[name, status, JSON.stringify(instances)],
      ]);
      // As if its start had been delivered.
      await tx.execute('delete from dispatch where workflow_id is not null');
    });
    return name;
  };

  it('passes body, status and answer on and keeps the caller to itself', async () => {
    const name = await endpoint([await echo()]);
    const sent = JSON.stringify({ inputs: ['ä'.repeat(100_000)] });
    const answer = await call('POST', `${ENDPOINTS}/${name}/proxy/invocations?tenant=${tenant.code}&x=1`, {
      body: sent,
      headers: {
        'content-type': 'application/json',
        cookie: 'svcauth=secret',
        'x-edge-token': 't',
        'x-forwarded-for': '1.2.3.4',
        'x-own': 'kept',
      },
    });
    expect([
      answer.status,
      answer.text,
      answer.headers.get('content-type'),
      answer.headers.get('x-mine'),
    ]).toEqual([201, sent, 'application/x-own', 'kept']);
    expect([answer.headers.get('set-cookie'), answer.headers.get('access-control-allow-origin')]).toEqual([
      null,
      null,
    ]);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect([seen[0]?.method, seen[0]?.url, seen[0]?.body]).toEqual(['POST', '/invocations', sent]);
    const headers = seen[0]?.headers ?? {};
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['cookie']));
    for (const hidden of ['cookie', 'x-tenant', 'x-edge-token', 'x-forwarded-for'])
      expect(headers).not.toHaveProperty(hidden);
    expect(headers['x-own']).toBe('kept');
    // The endpoint's own credential, not the caller's.
    expect(headers.authorization).toMatch(/^Bearer [\w-]{43}$/);
    expect(headers.authorization).not.toContain(api.admin.token);
  });

  it('streams a body of unknown length', async () => {
    const name = await endpoint([await echo()]);
    const body = new ReadableStream<Uint8Array>({
      async start(control) {
        for (let n = 0; n < 20; n += 1) control.enqueue(Buffer.alloc(50_000, 'x'));
        control.close();
      },
    });
    const answer = await call('POST', `${ENDPOINTS}/${name}/proxy/invocations`, {
      body,
      headers: { 'content-type': 'image/png' },
    });
    expect([answer.status, answer.text.length]).toEqual([201, 1_000_000]);
  });

  it('refuses a body beyond 32 MiB, announced or not, and goes on working', async () => {
    const name = await endpoint([await echo()]);
    const announced = await call('POST', `${ENDPOINTS}/${name}/proxy/invocations`, {
      body: Buffer.alloc(33 * 2 ** 20),
      headers: { 'content-type': 'image/png' },
    }).catch(() => null);
    expect([413, undefined]).toContain(announced?.status);
    const body = new ReadableStream<Uint8Array>({
      async start(control) {
        for (let n = 0; n < 33; n += 1) control.enqueue(Buffer.alloc(2 ** 20));
        control.close();
      },
    });
    const streamed = await call('POST', `${ENDPOINTS}/${name}/proxy/invocations`, {
      body,
      headers: { 'content-type': 'image/png' },
    }).catch(() => null);
    expect([413, undefined]).toContain(streamed?.status);
    expect((await call('GET', `${ENDPOINTS}/${name}/proxy/ping`)).status).toBe(201);
  });

  it.each(['CREATING', 'CONNECTING', 'FAILED', 'STOPPED', 'RUNNING'])(
    'answers 503 and names the state of an endpoint that is %s without instances',
    async (status) => {
      const answer = await call('GET', `${ENDPOINTS}/${await endpoint([], status)}/proxy/ping`);
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
        503,
        'service_unavailable',
        { status },
      ]);
      expect(answer.body.message).toContain(status);
    },
  );

  it('goes round the instances and past one that is gone, and has the row checked', async () => {
    const [one, two] = [await echo(), await echo()];
    const name = await endpoint([one, two]);
    for (let n = 0; n < 6; n += 1) await call('GET', `${ENDPOINTS}/${name}/proxy/ping`);
    expect(new Set(seen.map((each) => each.at)).size).toBe(2);
    const lame = await endpoint(['http://127.0.0.1:1', two]);
    for (let n = 0; n < 4; n += 1)
      expect((await call('POST', `${ENDPOINTS}/${lame}/proxy/invocations`, { json: { n } })).status).toBe(
        201,
      );
    const signals = await api.container.db.inPlatform((tx) =>
      tx.query("select 1 from dispatch where kind = 'signal' and payload->>'signal' = 'look'"),
    );
    expect(signals.length).toBeGreaterThan(0);
  });

  it('asks for one check while the one before is not delivered, however many processes meet the lost instance', async () => {
    const name = await endpoint(['http://127.0.0.1:1']);
    const { db, settings } = api.container;
    const caller = { tenant: { tenantId: asTenantId(tenant.id) } } as Caller;
    const row = await db.inTenant(asTenantId(tenant.id), (tx) => findEndpoint(tx, name));
    for (let process = 0; process < 3; process += 1)
      await new ServingService(
        ...([db, {}, settings.SERVICE_SECRET_KEYS, {}, {}] as unknown as ConstructorParameters<
          typeof ServingService
        >),
      ).reportLost(caller, row as EndpointRow);
    expect(
      await db.inPlatform((tx) => tx.rows('select kind, payload->>$1 as signal from dispatch', ['signal'])),
    ).toEqual([{ kind: 'signal', signal: 'look' }]);
  });

  it('answers 502 when nobody is there, breaks off or is another program', async () => {
    const nobody = await call('GET', `${ENDPOINTS}/${await endpoint(['http://127.0.0.1:1'])}/proxy/ping`);
    expect([nobody.status, nobody.body.code]).toEqual([502, 'bad_gateway']);
    const breaking = await endpoint([await serve((req) => void req.socket.destroy())]);
    expect((await call('POST', `${ENDPOINTS}/${breaking}/proxy/invocations`, { json: {} })).status).toBe(502);
    const stranger = await endpoint([await serve((_req, res) => void res.writeHead(401).end('who are you'))]);
    const answer = await call('POST', `${ENDPOINTS}/${stranger}/proxy/invocations`, { json: {} });
    expect([answer.status, answer.text.includes('who are you')]).toEqual([502, false]);
  });

  it('ends the request to the model when the caller goes away', async () => {
    let closed = false;
    const name = await endpoint([
      await serve(
        (req) =>
          void req.socket.on('close', () => {
            closed = true;
          }),
      ),
    ]);
    const abort = new AbortController();
    const asked = fetch(`${api.base}${ENDPOINTS}/${name}/proxy/ping`, {
      signal: abort.signal,
      headers: { authorization: `Bearer ${api.admin.token}`, 'x-tenant': tenant.code },
    }).catch(() => null);
    for (let n = 0; n < 50 && seen.length === 0; n += 1) await new Promise((done) => setTimeout(done, 20));
    abort.abort();
    await asked;
    for (let n = 0; n < 50 && !closed; n += 1) await new Promise((done) => setTimeout(done, 20));
    expect(closed).toBe(true);
  });

  it('answers the next request on a connection whose last body was not read to its end', async () => {
    const hasty = createServer(
      (_req, res) => void res.writeHead(415, { 'content-type': 'text/plain' }).end('no'),
    );
    servers.push(hasty);
    await new Promise<void>((done) => hasty.listen(0, '127.0.0.1', done));
    const name = await endpoint([`http://127.0.0.1:${(hasty.address() as AddressInfo).port}`]);
    for (let n = 0; n < 5; n += 1) {
      const answer = await call('POST', `${ENDPOINTS}/${name}/proxy/invocations`, {
        body: Buffer.alloc(8 * 2 ** 20),
        headers: { 'content-type': 'image/png' },
      }).catch(() => null);
      expect([415, 502, undefined]).toContain(answer?.status);
      expect((await call('GET', `${ENDPOINTS}/${name}`)).status).toBe(200);
    }
  });

  it('lets no path through but the four words, whatever is sent', async () => {
    const name = await endpoint([await echo()]);
    const base = `${ENDPOINTS}/${name}/proxy`;
    const hostile = [
      '',
      '/',
      '/..',
      '/../ping',
      '/%2e%2e',
      '/%2e%2e%2fping',
      '//ping',
      '/ping/',
      '/ping/..',
      '/ping%2f',
      '/.%2fping',
      '/\\ping',
      '/%5cping',
      '/ping%00',
      '/ping%0d%0aX:1',
      '/@127.0.0.1',
      '/http:%2f%2f127.0.0.1',
      '/invocations',
      '/metrics',
      '/PING',
      '/ping;x',
      '/%70%69%6e%67%20',
    ];
    for (const path of hostile) {
      const status = await rawStatus(api.base, `GET ${base}${path} HTTP/1.1`);
      expect([path, [400, 404, 405, 422].includes(status)]).toEqual([path, true]);
    }
    for (const line of [
      `GET http://127.0.0.1:1${base}/.. HTTP/1.1`,
      `POST ${base}/ping HTTP/1.1`,
      `DELETE ${base}/ping HTTP/1.1`,
    ])
      expect([line, [400, 404, 405].includes(await rawStatus(api.base, line))]).toEqual([line, true]);
    expect(seen).toEqual([]);
    // The same word, escaped, is the same word.
    expect(await rawStatus(api.base, `GET ${base}/%70ing HTTP/1.1`)).toBe(201);
  });

  const rawStatus = (base: string, line: string): Promise<number> =>
    new Promise((done, fail) => {
      const { hostname, port } = new URL(base);
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `${line}\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${api.admin.token}\r\nX-Tenant: ${tenant.code}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        ),
      );
      let text = '';
      socket
        .on('data', (chunk) => (text += chunk.toString()))
        .on('error', fail)
        .on('close', () => done(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)));
    });
});
