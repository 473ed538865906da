import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId, type TenantId } from '../../../core/security/ids.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { operationsOf } from './operations.js';
import { probe, sampleQuery } from './probe.js';

/** Ten thousand by ISOLATION_REQUESTS=10000. */
const REQUESTS = Number(process.env.ISOLATION_REQUESTS ?? 2000);

describe('the tenant of a request', () => {
  let api: TestApi;
  let [a, b]: [TestTenant, TestTenant] = [] as never;
  let ofB: TestUser;
  let paths: string[];
  beforeAll(async () => {
    // Two connections: every transaction follows one of the other tenant on the same connection.
    api = await startTestApi({ SERVICE_DB_POOL: '2' });
    [a, b] = [await api.addTenant(), await api.addTenant()];
    ofB = await api.addUser({ [b.code]: 'VIEWER' });
    paths = operationsOf(api)
      .filter(
        (operation) =>
          operation.access === 'user' &&
          operation.permission === 'VIEW' &&
          operation.method === 'GET' &&
          operation.pathParameters.length === 0,
      )
      .map((operation) => operation.path + sampleQuery(api, operation))
      .filter((path) => !path.includes('?') && !path.includes('/stream'));
  });
  afterAll(() => api.close());

  const ask = (path: string, options: { tenant?: string; query?: string }) =>
    probe(
      api,
      { method: 'GET', path },
      {
        token: ofB.token,
        tenant: options.tenant,
        path: `${path}${options.query ? `?${options.query}` : ''}`,
      },
    ).then((answer) => answer.status);

  it('comes from header or query in any case, the header first', async () => {
    for (const path of paths) {
      expect([path, await ask(path, { tenant: b.code })]).toEqual([path, 200]);
      expect([path, await ask(path, { tenant: ` ${b.code.toUpperCase()} ` })]).toEqual([path, 200]);
      expect([path, await ask(path, { query: `tenant=${b.code.toUpperCase()}` })]).toEqual([path, 200]);
      expect([path, await ask(path, { tenant: b.code, query: `tenant=${a.code}` })]).toEqual([path, 200]);
      expect([path, await ask(path, { tenant: a.code, query: `tenant=${b.code}` })]).toEqual([path, 404]);
    }
  });

  it('comes from nothing that only looks like it', async () => {
    const queries = [
      `tenant=${b.code}&tenant=${a.code}`,
      `tenant=${a.code}&tenant=${b.code}`,
      `tenant[]=${a.code}`,
      `tenant[0]=${a.code}`,
      `tenant[code]=${b.code}`,
      `Tenant=${b.code}`,
      `TENANT=${b.code}`,
      `x-tenant=${b.code}`,
      'tenant=',
      'tenant=%00',
      `tenant=${b.code}%00`,
      `tenant=${b.code}%00${a.code}`,
      'tenant=..%2F',
      `tenant=..%2F${b.code}`,
      `tenant=${b.code}%2F..%2F${a.code}`,
      `tenant=%252e%252e%252f${b.code}`,
      `tenant=${b.code},${a.code}`,
      `tenant=${b.code}%20${a.code}`,
      `tenant=${b.code}%0d%0aX-Tenant:%20${a.code}`,
      `tenant=${encodeURIComponent('\u212A')}`,
      `tenant=${encodeURIComponent(b.code.replace('t', '\u0442'))}`,
      `tenant=${encodeURIComponent(b.code.replace('-', '\u2010'))}`,
      `tenant=${encodeURIComponent(`${b.code}\u200b`)}`,
      `tenant=${b.id}`,
      `tenant=${'x'.repeat(8000)}`,
      'tenant=%20',
      'tenant=*',
      'tenant=%25',
      'tenant=null',
      "tenant=' or 1=1 --",
      'tenant=__proto__',
      'tenant=constructor',
    ];
    const headers = [
      `${b.code},${a.code}`,
      `${b.code}, ${b.code}`,
      '../',
      `../${b.code}`,
      `${b.code}/`,
      'x'.repeat(8000),
      '*',
      '%',
      "' or 1=1",
      `"${b.code}"`,
      b.id,
      'null',
      'undefined',
      '__proto__',
      `${b.code};`,
      `${b.code}%00`,
    ];
    const found: string[] = [];
    for (const path of paths) {
      for (const query of queries)
        if (![400, 404, 422].includes(await ask(path, { query })))
          found.push(`${path}?${query.slice(0, 60)}`);
      for (const tenant of headers)
        if ((await ask(path, { tenant })) !== 404) found.push(`${path} with ${tenant.slice(0, 60)}`);
    }
    expect(found).toEqual([]);
  });

  it('is refused when the header comes twice, or with bytes that are no ASCII', async () => {
    const raw = (lines: string) =>
      new Promise<string>((resolve, reject) => {
        const { hostname, port, host } = new URL(api.base);
        const head = `GET /api/v1/datasets HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${ofB.token}\r\nConnection: close\r\n${lines}\r\n`;
        const socket = connect(Number(port), hostname, () => socket.write(Buffer.from(head, 'latin1')));
        let text = '';
        socket.on('data', (bytes) => (text += bytes.toString()));
        socket.on('end', () => resolve(text.slice(9, 12))).on('error', reject);
      });
    expect(await raw(`X-Tenant: ${b.code}\r\n`)).toBe('200');
    expect(await raw(`X-Tenant: ${b.code}\r\nX-Tenant: ${a.code}\r\n`)).toBe('404');
    expect(await raw(`X-Tenant: ${a.code}\r\nx-tenant: ${b.code}\r\n`)).toBe('404');
    expect(await raw(`X-Tenant: ${b.code}\xad\r\n`)).toBe('404');
    expect(await raw(`X-Tenant:\r\n`)).toBe('400');
    expect(await raw(`X-Tenant : ${b.code}\r\n`)).toBe('400');
    expect(await raw(`X-Tenant: ${b.code}\r\n ${a.code}\r\n`)).toMatch(/^40[04]$/);
  });

  it(`holds for ${REQUESTS} interleaved requests of two tenants over two connections, one in twenty given up half-way`, async () => {
    const member = await api.addUser({ [a.code]: 'ADMIN', [b.code]: 'ADMIN' });
    const tenants = [a, b];
    for (const tenant of tenants)
      expect(
        (
          await api.call('POST', '/api/v1/datasets', {
            token: member.token,
            tenant: tenant.code,
            json: { id: 'same', name: `of ${tenant.code}` },
          })
        ).status,
      ).toBe(201);
    const counts = { answered: 0, foreign: 0, failed: 0 };
    const request = async (at: number) => {
      const tenant = tenants[at % 2] as TestTenant;
      if (at % 20 === 19) return giveUp(asTenantId(tenant.id));
      if (at % 20 === 9) return leave(tenant, member.token);
      const { status, body } = await api.call(
        'GET',
        at % 3 === 0 ? '/api/v1/datasets/same' : '/api/v1/datasets',
        { token: member.token, tenant: tenant.code },
      );
      if (status !== 200) counts.failed += 1;
      const names: string[] = (body.items ?? [body]).map((dataset: { name: string }) => dataset.name);
      counts.answered += 1;
      if (names.length !== 1 || names[0] !== `of ${tenant.code}`) counts.foreign += 1;
    };
    for (let start = 0; start < REQUESTS; start += 50)
      await Promise.all(Array.from({ length: 50 }, (_, i) => request(start + i)));
    expect(counts).toEqual({ answered: 0.9 * REQUESTS, foreign: 0, failed: 0 });
  });

  /** A transaction that fails after it has set its tenant and written. */
  async function giveUp(tenantId: TenantId): Promise<void> {
    const work = api.container.db.inTenant(tenantId, async (tx) => {
      await tx.execute("update dataset set name = 'written half-way'");
      throw new Error('given up half-way');
    });
    await expect(work).rejects.toThrow('given up half-way');
  }

  /** A client that goes away before it is answered. */
  async function leave(tenant: TestTenant, token: string): Promise<void> {
    const gone = new AbortController();
    const asked = fetch(`${api.base}/api/v1/datasets`, {
      headers: { authorization: `Bearer ${token}`, 'x-tenant': tenant.code },
      signal: gone.signal,
    });
    setImmediate(() => gone.abort());
    await asked.then((answer) => answer.text()).catch(() => undefined);
  }
});
