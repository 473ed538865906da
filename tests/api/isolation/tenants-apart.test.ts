import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { fillPath, type Operation, operationsOf } from './operations.js';
import { probe, type ProbeAnswer, sampleBody, sampleQuery } from './probe.js';
import { EXEMPT, factoryOf, RESOURCE_FACTORIES } from './resource-factories.js';

describe('tenants kept apart', () => {
  const canary = `canary${randomUUID().slice(0, 8)}`;
  let api: TestApi;
  let [a, b]: [TestTenant, TestTenant] = [] as never;
  let [ofA, ofB]: [TestUser, TestUser] = [] as never;
  let operations: Operation[];
  /** Resources of A, and B's own of the same kinds. */
  const own = new Map<string, Readonly<Record<string, string>>>();
  const created = new Map<string, Readonly<Record<string, string>>>();

  beforeAll(async () => {
    api = await startTestApi({ SERVICE_STREAMS_PER_USER: '1000' });
    [a, b] = [await api.addTenant(), await api.addTenant()];
    [ofA, ofB] = [await api.addUser({ [a.code]: 'ADMIN' }), await api.addUser({ [b.code]: 'ADMIN' })];
    operations = operationsOf(api).filter((operation) => operation.access === 'user');
    for (const factory of RESOURCE_FACTORIES) {
      created.set(factory.prefix, await factory.create({ api, tenant: a, user: ofA, canary }));
      own.set(factory.prefix, await factory.create({ api, tenant: b, user: ofB, canary: `own${randomUUID().slice(0, 8)}` }));
    }
  });
  afterAll(() => api.close());

  const withResource = () => operations.filter((operation) => operation.pathParameters.length > 0 && EXEMPT[operation.key] === undefined);

  it('knows how to make a resource for every operation that names one', () => {
    const lacking = withResource().filter((operation) => {
      const made = factoryOf(operation.path)?.random() ?? {};
      return operation.pathParameters.some((name) => made[name] === undefined);
    });
    expect(lacking.map((operation) => operation.key)).toEqual([]);
    expect(Object.keys(EXEMPT).filter((key) => !operations.some((operation) => operation.key === key))).toEqual([]);
  });

  it('answers for a resource of another tenant exactly as for one that does not exist, and changes nothing', async () => {
    const before = await fingerprint(a.id);
    const found: string[] = [];
    for (const operation of withResource()) {
      const factory = factoryOf(operation.path);
      const [real, random] = [created.get(factory?.prefix ?? ''), factory?.random()];
      if (!real || !random) throw new Error(`no resource for ${operation.key}`);
      const [foreign, none] = [await asB(operation, real), await asB(operation, random)];
      if (foreign.status !== 404 || none.status !== 404 || foreign.text !== none.text) found.push(difference(operation, foreign, none));
    }
    expect(found).toEqual([]);
    expect(await fingerprint(a.id)).toEqual(before);
  });

  it("finds no part of another tenant's resource below one's own", async () => {
    const before = await fingerprint(a.id);
    const found: string[] = [];
    for (const operation of withResource().filter((each) => each.pathParameters.length > 1)) {
      const [theirs, mine, random] = [created.get(factoryOf(operation.path)?.prefix ?? ''), own.get(factoryOf(operation.path)?.prefix ?? ''), factoryOf(operation.path)?.random()];
      for (const part of operation.pathParameters.slice(1).filter((name) => theirs?.[name] !== mine?.[name])) {
        const [foreign, none] = [await asB(operation, { ...mine, [part]: theirs?.[part] as string }), await asB(operation, { ...mine, [part]: random?.[part] as string })];
        if (foreign.status !== 404 || none.status !== 404 || foreign.text !== none.text) found.push(difference(operation, foreign, none));
      }
    }
    expect(found).toEqual([]);
    expect(await fingerprint(a.id)).toEqual(before);
  });

  const asB = (operation: Operation, values: Readonly<Record<string, string>>) =>
    probe(api, operation, {
      token: ofB.token,
      tenant: b.code,
      path: fillPath(operation.path, (name) => values[name] ?? '!') + sampleQuery(api, operation),
      ...sampleBody(api, operation),
    });
  const difference = (operation: Operation, foreign: ProbeAnswer, none: ProbeAnswer) =>
    `${operation.key}: ${foreign.status} ${foreign.text.slice(0, 200)} / ${none.status} ${none.text.slice(0, 200)}`;

  it('lets no text of one tenant out to another', async () => {
    await api.call('PATCH', `/api/v1/settings/tenants/${a.id}`, { token: api.admin.token, json: { name: canary } });
    const leaks: string[] = [];
    const reads = operationsOf(api).filter((operation) => operation.method === 'GET' && ['user', 'session'].includes(operation.access) && operation.pathParameters.length === 0);
    for (const operation of reads) {
      const names = new Set(operation.parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name));
      const queries = ['', `q=${canary}`, 'page_size=200', 'limit=1000'].filter((query) => query === '' || names.has(query.split('=')[0] as string));
      for (const query of queries) {
        const required = sampleQuery(api, operation);
        const path = `${operation.path}${required}${query && (required ? '&' : '?')}${query}`;
        const answer = await probe(api, operation, { token: ofB.token, tenant: b.code, path });
        if (answer.text.includes(canary)) leaks.push(`${operation.method} ${path}`);
      }
    }
    expect(leaks).toEqual([]);
  });

  it('takes no rights from fields that nobody asked for', async () => {
    const grab = {
      is_superuser: true,
      is_verified: true,
      is_active: true,
      role: 'ADMIN',
      tenant_id: a.id,
      tenant: a.code,
      tenant_code: a.code,
      created_by: ofA.id,
      user_id: ofA.id,
      __proto__: { is_superuser: true },
    };
    const before = await fingerprint(a.id);
    for (const operation of operationsOf(api).filter((each) => each.content?.['application/json'] !== undefined && each.access !== 'admin' && each.path !== '/users/me/password')) {
      const values = factoryOf(operation.path)?.random() ?? {};
      const path = fillPath(operation.path, (name) => values[name] ?? randomUUID()) + sampleQuery(api, operation);
      await probe(api, operation, { token: ofB.token, tenant: b.code, path, ...sampleBody(api, operation, grab) });
    }
    const me = await api.call('GET', '/users/me', { token: ofB.token });
    expect(me.body).toMatchObject({ is_superuser: false, is_verified: false });
    expect((await api.call('GET', '/api/v1/tenants', { token: ofB.token })).body.items.map((tenant: { code: string }) => tenant.code)).toEqual([b.code]);
    expect(await fingerprint(a.id)).toEqual(before);
    const admins = await api.container.db.inPlatform((tx) => tx.query('select user_id from membership where tenant_id is null'));
    expect(admins).toEqual([{ user_id: api.admin.id }]);
  });

  it('reads the tenant from header or query in any case and from nothing that only looks like it', async () => {
    const [operation] = operations.filter((each) => each.method === 'GET' && each.pathParameters.length === 0 && sampleQuery(api, each) === '');
    if (!operation) return;
    const ask = (options: { tenant?: string; query?: string; headers?: Record<string, string> }) =>
      probe(api, operation, { token: ofB.token, tenant: options.tenant, headers: options.headers, path: `${operation.path}${options.query ? `?${options.query}` : ''}` }).then(
        (answer) => answer.status,
      );
    expect(await ask({ tenant: b.code })).toBe(200);
    expect(await ask({ tenant: ` ${b.code.toUpperCase()} ` })).toBe(200);
    expect(await ask({ query: `tenant=${b.code.toUpperCase()}` })).toBe(200);
    expect(await ask({ tenant: b.code, query: `tenant=${a.code}` })).toBe(200);
    expect(await ask({ tenant: a.code, query: `tenant=${b.code}` })).toBe(404);
    const odd = [
      `tenant=${b.code}&tenant=${a.code}`,
      `tenant[]=${a.code}`,
      'tenant=%00',
      'tenant=..%2F',
      `tenant=${a.code}%00`,
      `tenant=${b.code},${a.code}`,
      `tenant=${encodeURIComponent('\u212A')}`,
      `tenant=${'x'.repeat(8000)}`,
      'tenant=%20',
    ];
    for (const query of odd) expect([query.slice(0, 40), [400, 404].includes(await ask({ query }))]).toEqual([query.slice(0, 40), true]);
    for (const tenant of [`${b.code},${a.code}`, '../', 'x'.repeat(8000), '*', "' or 1=1"])
      expect([tenant.slice(0, 40), await ask({ tenant })]).toEqual([tenant.slice(0, 40), 404]);
  });

  /** A digest of everything the database holds for one tenant, by table. */
  async function fingerprint(tenantId: string): Promise<Record<string, string>> {
    return api.container.db.inPlatform(async (tx) => {
      const tables = await tx.query<{ name: string }>(
        `select c.relname as name from pg_class c join pg_attribute at on at.attrelid = c.oid and at.attname = 'tenant_id' and not at.attisdropped
         where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and c.relname not in ('audit_entry', 'audit_count', 'dispatch') and has_table_privilege(c.oid, 'select') order by 1`,
      );
      const digests: Record<string, string> = {};
      for (const { name } of tables) {
        const [row] = await tx.query<{ digest: string }>(`select md5(coalesce(string_agg(r::text, '|' order by r::text), '')) as digest from ${name} r where tenant_id = $1`, [
          tenantId,
        ]);
        digests[name] = row?.digest ?? '';
      }
      return digests;
    });
  }
});
