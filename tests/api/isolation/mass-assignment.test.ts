import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillPath, type Operation } from './operations.js';
import { probe, sampleBody, sampleQuery } from './probe.js';
import { factoryOf } from './resource-factories.js';
import { fingerprint, startTenantPair, tablesOfTenants, type TenantPair } from './tenant-pair.js';

describe('fields that nobody asked for', () => {
  let pair: TenantPair;
  beforeAll(async () => {
    pair = await startTenantPair('both');
  });
  afterAll(() => pair.api.close());

  /** As JSON text: in an object literal `__proto__` would set the prototype and never be sent. */
  function grab(): string {
    const rights = {
      is_superuser: true,
      is_global_admin: true,
      is_verified: true,
      is_active: true,
      role: 'ADMIN',
      roles: [{ tenant_code: pair.a.code, role: 'ADMIN' }],
      permissions: ['SETTINGS'],
    };
    const places = {
      tenant_id: pair.a.id,
      tenant: pair.a.code,
      tenant_code: pair.a.code,
      tenantId: pair.a.id,
      user_id: pair.ofA.id,
      created_by: pair.ofA.id,
      owner_id: pair.ofA.id,
    };
    const parts = { ...rights, ...places, password_hash: 'x', object_key: 't/x', $or: [{}], $raw: 'true' };
    return `${JSON.stringify(parts).slice(1, -1)},"__proto__":${JSON.stringify(rights)},"constructor":{"prototype":${JSON.stringify(rights)}}`;
  }

  const withGrab = (operation: Operation) => {
    const { headers, body } = sampleBody(pair.api, operation);
    const text = String(body ?? '{}').slice(0, -1);
    return { headers, body: `${text}${text.length > 1 ? ',' : ''}${grab()}}` };
  };
  const hasJson = (operation: Operation) => operation.content?.['application/json'] !== undefined && operation.path !== '/users/me/password';

  it("give no rights and move nothing, in bodies about one's own resources and about none", async () => {
    const { api, a, b, ofA, ofB, operations, own } = pair;
    const before = await fingerprint(api, a.id);
    const broken: string[] = [];
    const statuses = new Set<number>();
    for (const operation of operations.filter((each) => hasJson(each) && each.access !== 'admin')) {
      const factory = factoryOf(operation.path);
      for (const values of [own.get(factory?.prefix ?? ''), factory?.random(), {}]) {
        if (!values || operation.pathParameters.some((name) => values[name] === undefined)) continue;
        const path = fillPath(operation.path, (name) => values[name] as string) + sampleQuery(api, operation);
        const answer = await probe(api, operation, { token: ofB.token, tenant: b.code, path, ...withGrab(operation) });
        statuses.add(Math.floor(answer.status / 100));
        if (answer.status === 500 || answer.text.includes(pair.canary)) broken.push(`${operation.key}: ${answer.status}`);
      }
    }
    expect(broken).toEqual([]);
    expect(statuses.has(2)).toBe(true);
    expect((await api.call('GET', '/users/me', { token: ofB.token })).body).toMatchObject({ is_superuser: false, is_verified: false });
    expect((await api.call('GET', '/api/v1/tenants', { token: ofB.token })).body.items.map((tenant: { code: string }) => tenant.code)).toEqual([b.code]);
    expect(await fingerprint(api, a.id)).toEqual(before);
    expect(Object.prototype).not.toHaveProperty('is_superuser');
    const admins = await api.container.db.inPlatform((tx) => tx.query('select user_id from membership where tenant_id is null'));
    expect(admins).toEqual([{ user_id: api.admin.id }]);
    expect(await creatorsIn(b.id)).not.toContain(ofA.id);
  });

  it('give the person no rights that somebody else is given in the same way', async () => {
    const { api, b } = pair;
    const person = await api.addUser({ [b.code]: 'VIEWER' });
    for (const [method, path] of [
      ['POST', '/auth/register'],
      ['PATCH', '/users/me'],
    ] as const) {
      const text = `{"email":"grab-${method.toLowerCase()}@example.com","password":"a decent one 77","full_name":"G",${grab()}}`;
      const answer = await api.call(method, path, { token: person.token, headers: { 'content-type': 'application/json' }, body: text });
      expect([path, answer.status < 300, answer.body.is_superuser, answer.body.is_verified]).toEqual([path, true, false, false]);
    }
    const made = await api.call('PATCH', `/api/v1/system/users/${person.id}/role`, {
      token: api.admin.token,
      headers: { 'content-type': 'application/json' },
      body: `{"tenant_code":"${b.code}","role":"VIEWER","is_superuser":true,"user_id":"${api.admin.id}","__proto__":{"role":"ADMIN"}}`,
    });
    expect(made.body).toMatchObject({ id: person.id, is_superuser: false, roles: [{ tenant_code: b.code, role: 'VIEWER' }] });
  });

  /** Everybody who stands as the maker of a row of the tenant. */
  async function creatorsIn(tenantId: string): Promise<string[]> {
    const { api } = pair;
    return api.container.db.inPlatform(async (tx) => {
      const found: string[] = [];
      for (const table of await tablesOfTenants(api)) {
        const columns = await tx.query<{ name: string }>(
          "select column_name as name from information_schema.columns where table_name = $1 and column_name in ('created_by', 'user_id', 'owner_id')",
          [table],
        );
        for (const { name } of columns)
          found.push(...(await tx.query<{ who: string }>(`select distinct ${name}::text as who from ${table} where tenant_id = $1`, [tenantId])).map(({ who }) => who));
      }
      return found;
    });
  }
});
