import { randomUUID } from 'node:crypto';
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
  function grab(without: readonly string[] = []): string {
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
    const all = {
      ...rights,
      ...places,
      id: pair.ofA.id,
      hashed_password: 'x',
      password_hash: 'x',
      object_key: 't/x',
      $or: [{}],
      $raw: 'true',
    };
    const parts = Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
    return `${JSON.stringify(parts).slice(1, -1)},"__proto__":${JSON.stringify(rights)},"constructor":{"prototype":${JSON.stringify(rights)}}`;
  }

  const withGrab = (operation: Operation) => {
    const { headers, body } = sampleBody(pair.api, operation);
    const text = String(body ?? '{}').slice(0, -1);
    return { headers, body: `${text}${text.length > 1 ? ',' : ''}${grab()}}` };
  };
  const hasJson = (operation: Operation) =>
    operation.content?.['application/json'] !== undefined && operation.path !== '/users/me/password';

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
        const answer = await probe(api, operation, {
          token: ofB.token,
          tenant: b.code,
          path,
          ...withGrab(operation),
        });
        statuses.add(Math.floor(answer.status / 100));
        if (answer.status === 500 || answer.text.includes(pair.canary))
          broken.push(`${operation.key}: ${answer.status}`);
      }
    }
    expect(broken).toEqual([]);
    expect(statuses.has(2)).toBe(true);
    expect((await api.call('GET', '/users/me', { token: ofB.token })).body).toMatchObject({
      is_superuser: false,
      is_verified: false,
    });
    expect(
      (await api.call('GET', '/api/v1/tenants', { token: ofB.token })).body.items.map(
        (tenant: { code: string }) => tenant.code,
      ),
    ).toEqual([b.code]);
    expect(await fingerprint(api, a.id)).toEqual(before);
    expect(Object.prototype).not.toHaveProperty('is_superuser');
    const admins = await api.container.db.inPlatform((tx) =>
      tx.query('select user_id from membership where tenant_id is null'),
    );
    expect(admins).toEqual([{ user_id: api.admin.id }]);
    expect(await creatorsIn(b.id)).not.toContain(ofA.id);
  });

  it('give nobody anything in what a global administrator changes', async () => {
    const { api, a, b, ofA, ofB, operations } = pair;
    const before = { a: await fingerprint(api, a.id), people: await rightsOfAll() };
    const bystander = await api.addUser({ [b.code]: 'VIEWER' });
    const code = `grab-${randomUUID().slice(0, 8)}`;
    const [stranger, target] = [await api.addUser(), await api.addUser({ [b.code]: 'VIEWER' })];
    const made = `made-${code}@example.com`;
    /** What each of them needs, and what it alone may change. */
    const calls: Readonly<
      Record<
        string,
        { path?: Record<string, string>; body: Record<string, unknown>; without?: readonly string[] }
      >
    > = {
      'POST /api/v1/settings/tenants': { body: { code, name: 'Grab' } },
      'PATCH /api/v1/settings/tenants/{tenant_id}': {
        path: { tenant_id: b.id },
        body: { name: 'Renamed' },
        without: ['is_active'],
      },
      'POST /api/v1/settings/tenants/{tenant_id}/deletion': {
        path: { tenant_id: b.id },
        body: { confirm_code: a.code },
      },
      'POST /api/v1/system/users/create': {
        body: { email: made, password: 'a decent one 77', tenant_code: b.code, role: 'VIEWER' },
      },
      'POST /api/v1/system/users/invite': {
        body: { email: stranger.email, tenant_code: b.code, role: 'VIEWER' },
      },
      'PATCH /api/v1/system/users/{user_id}/role': {
        path: { user_id: target.id },
        body: { tenant_code: b.code, role: 'OPERATOR' },
      },
      'PATCH /users/{id}': {
        path: { id: bystander.id },
        body: { full_name: 'Grabbed' },
        without: ['is_superuser', 'is_active', 'is_verified'],
      },
    };
    const withBody = operations
      .filter((operation) => operation.access === 'admin' && operation.content !== null)
      .map(({ key }) => key);
    expect(Object.keys(calls).sort()).toEqual([...withBody].sort());
    const answers: string[] = [];
    for (const [key, { path = {}, body, without = [] }] of Object.entries(calls)) {
      const [method, pattern] = key.split(' ') as [string, string];
      const text = `{${grab([...Object.keys(body), ...without])},${JSON.stringify(body).slice(1)}`;
      const answer = await api.call(
        method,
        fillPath(pattern, (name) => path[name] as string),
        { token: api.admin.token, headers: { 'content-type': 'application/json' }, body: text },
      );
      answers.push(`${key} ${answer.status}`);
    }
    expect(answers).toEqual(
      Object.keys(calls).map(
        (key) => `${key} ${key.endsWith('/deletion') ? 422 : key.endsWith('/settings/tenants') ? 201 : 200}`,
      ),
    );
    expect(await fingerprint(api, a.id)).toEqual(before.a);

    const after = new Map((await rightsOfAll()).map((row) => [row.email, row]));
    for (const person of before.people) expect(after.get(person.email)).toEqual(person);
    expect(after.get(made)).toEqual({
      email: made,
      is_active: true,
      is_verified: false,
      hasOwnHash: true,
      roles: [`${b.code} VIEWER`],
    });
    expect(after.get(stranger.email)?.roles).toEqual([`${b.code} VIEWER`]);
    expect(after.get(target.email)?.roles).toEqual([`${b.code} OPERATOR`]);
    expect(after.get(bystander.email)).toMatchObject({
      is_active: true,
      is_verified: false,
      hasOwnHash: true,
      roles: [`${b.code} VIEWER`],
    });
    expect(
      [...after.values()]
        .filter(({ roles }) => roles.some((role) => role.startsWith('global')))
        .map(({ email }) => email),
    ).toEqual([api.admin.email]);
    for (const { email, password } of [bystander, target, stranger, ofA, ofB])
      expect(
        (await api.call('POST', '/auth/jwt/login', { form: { username: email, password } })).status,
      ).toBe(200);
    const [tenant] = await api.container.db.inPlatform((tx) =>
      tx.query<{ id: string; is_active: boolean }>('select id, is_active from tenant where code = $1', [
        code,
      ]),
    );
    expect([tenant?.id === a.id, tenant?.is_active]).toEqual([false, true]);
  });

  /** What every account may do, as the database has it. */
  const rightsOfAll = () =>
    pair.api.container.db.inPlatform((tx) =>
      tx.query<{
        email: string;
        is_active: boolean;
        is_verified: boolean;
        hasOwnHash: boolean;
        roles: string[];
      }>(
        `select u.email, u.is_active, u.is_verified, u.password_hash like '$argon2%' as "hasOwnHash",
           coalesce((select array_agg(coalesce(t.code, 'global') || ' ' || m.role order by 1) from membership m left join tenant t on t.id = m.tenant_id where m.user_id = u.id), '{}') as roles
         from user_account u order by u.email`,
      ),
    );

  it('give the person no rights that somebody else is given in the same way', async () => {
    const { api, b } = pair;
    const person = await api.addUser({ [b.code]: 'VIEWER' });
    for (const [method, path] of [
      ['POST', '/auth/register'],
      ['PATCH', '/users/me'],
    ] as const) {
      const text = `{"email":"grab-${method.toLowerCase()}@example.com","password":"a decent one 77","full_name":"G",${grab()}}`;
      const answer = await api.call(method, path, {
        token: person.token,
        headers: { 'content-type': 'application/json' },
        body: text,
      });
      expect([path, answer.status < 300, answer.body.is_superuser, answer.body.is_verified]).toEqual([
        path,
        true,
        false,
        false,
      ]);
    }
    const made = await api.call('PATCH', `/api/v1/system/users/${person.id}/role`, {
      token: api.admin.token,
      headers: { 'content-type': 'application/json' },
      body: `{"tenant_code":"${b.code}","role":"VIEWER","is_superuser":true,"user_id":"${api.admin.id}","__proto__":{"role":"ADMIN"}}`,
    });
    expect(made.body).toMatchObject({
      id: person.id,
      is_superuser: false,
      roles: [{ tenant_code: b.code, role: 'VIEWER' }],
    });
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
          found.push(
            ...(
              await tx.query<{ who: string }>(
                `select distinct ${name}::text as who from ${table} where tenant_id = $1`,
                [tenantId],
              )
            ).map(({ who }) => who),
          );
      }
      return found;
    });
  }
});
