import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UNDESCRIBED_ROUTES } from '../../../api/http/raw-routes.js';
import type { Access } from '../../../api/http/route-table.js';
import { createApp } from '../../../api/server.js';
import { isPermission, type Permission, ROLES, roleGrants } from '../../../models/accounts/permission.rules.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { type Operation, operationsOf } from './operations.js';
import { malformedPath, probe } from './probe.js';

/** Found deviations are listed together: one line for each, so that a whole class is seen at once. */
describe('access to every operation', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let operations: Operation[];
  const members = new Map<string, TestUser>();

  beforeAll(async () => {
    api = await startTestApi({ SERVICE_STREAMS_PER_USER: '1000' });
    tenant = await api.addTenant();
    operations = operationsOf(api);
    for (const role of ROLES) members.set(role, await api.addUser({ [tenant.code]: role }));
  });
  afterAll(() => api.close());

  const of = (...kinds: string[]) => operations.filter((operation) => kinds.includes(operation.access));
  const deviations = async (list: readonly Operation[], expected: string, ask: (operation: Operation) => Promise<{ status: number; isGood: boolean }>) => {
    const found: string[] = [];
    for (const operation of list) {
      const { status, isGood } = await ask(operation);
      if (!isGood) found.push(`${operation.key}: ${status}, expected ${expected}`);
    }
    return found;
  };
  const refusedWith = async (list: readonly Operation[], status: number, options: Parameters<typeof probe>[2]) =>
    deviations(list, String(status), async (operation) => {
      const answer = await probe(api, operation, { path: malformedPath(operation), ...options });
      return { status: answer.status, isGood: answer.status === status };
    });

  it('is decided for each of them, once', () => {
    const kinds = new Set(['public', 'session', 'admin', 'user', 'device', 'webhook']);
    expect(operations.filter((operation) => !kinds.has(operation.access)).map((operation) => operation.key)).toEqual([]);
    expect(
      of('user')
        .filter((operation) => !isPermission(operation.permission ?? ''))
        .map((operation) => operation.key),
    ).toEqual([]);
    expect(new Set(operations.map((operation) => operation.operationId)).size).toBe(operations.length);
  });

  it('is decided for the routes outside the description, which are known by name', () => {
    const undescribed = api.routes.entries.filter((entry) => entry.operationId === null).map((entry) => [`${entry.method} ${entry.pattern}`, entry.access.kind]);
    expect(Object.fromEntries(undescribed)).toEqual(UNDESCRIBED_ROUTES);
  });

  it('is decided before the process starts: a raw route that nobody named, or that asks for what is not checked, is refused', () => {
    const boot = (method: string, pattern: string, access: Access) =>
      createApp({ ...api.container, rawRouters: [...api.container.rawRouters, (routes) => routes.add({ method, pattern, access, operationId: null, handlers: [] })] });
    expect(() => boot('GET', '/planted', { kind: 'public' })).toThrow('GET /planted is neither in openapi.json nor in UNDESCRIBED_ROUTES');
    expect(() => boot('GET', '/planted', { kind: 'admin' })).toThrow('GET /planted asks for access "admin", which is not checked on raw routes');
    expect(() => boot('POST', '/docs', { kind: 'public' })).toThrow('POST /docs is neither');
  });

  it('is refused with 401 without a session, before anything else is looked at', async () => {
    const closed = of('session', 'admin', 'user');
    expect(await refusedWith(closed, 401, {})).toEqual([]);
    expect(await refusedWith(closed, 401, { token: 'garbage.garbage.garbage', tenant: tenant.code })).toEqual([]);
    expect(await refusedWith(closed, 401, { headers: { 'x-edge-token': 'x'.repeat(43) }, tenant: tenant.code })).toEqual([]);
  });

  it('is refused with 401 without a device token or webhook token', async () => {
    expect(await refusedWith(of('device', 'webhook'), 401, { token: api.admin.token, tenant: tenant.code })).toEqual([]);
  });

  it('is refused with 400 without a tenant, for administrators too', async () => {
    for (const user of [members.get('ADMIN'), api.admin]) expect(await refusedWith(of('user'), 400, { token: user?.token })).toEqual([]);
  });

  it('is refused alike for a foreign, an unknown and a malformed tenant', async () => {
    const foreign = await api.addTenant();
    const token = members.get('ADMIN')?.token;
    const found = await deviations(of('user'), '404 with one body', async (operation) => {
      const ask = (code: string) => probe(api, operation, { path: malformedPath(operation), token, tenant: code });
      const answers = [await ask(foreign.code), await ask(`no-${randomUUID().slice(0, 8)}`), await ask('../etc')];
      return { status: answers[0]?.status ?? 0, isGood: answers.every((answer) => answer.status === 404 && answer.text === answers[0]?.text) };
    });
    expect(found).toEqual([]);
  });

  it.each([...ROLES])('follows the table of permissions for role %s, before ids and bodies are looked at', async (role) => {
    const token = members.get(role)?.token;
    const found = await deviations(of('user'), `403 exactly when ${role} lacks the permission`, async (operation) => {
      const { status } = await probe(api, operation, { path: malformedPath(operation), token, tenant: tenant.code });
      const isGranted = roleGrants(role, operation.permission as Permission);
      return { status, isGood: isGranted ? status !== 401 && status !== 403 && status < 500 : status === 403 };
    });
    expect(found).toEqual([]);
  });

  it("is refused with 403 on administrators' routes for every role of a tenant", async () => {
    for (const user of members.values()) expect(await refusedWith(of('admin'), 403, { token: user.token, tenant: tenant.code })).toEqual([]);
  });

  it('is refused with 401 for a disabled account', async () => {
    const user = await api.addUser({ [tenant.code]: 'ADMIN' });
    await api.call('POST', `/api/v1/system/users/${user.id}/disable`, { token: api.admin.token });
    expect(await refusedWith(of('session', 'admin', 'user'), 401, { token: user.token, tenant: tenant.code })).toEqual([]);
  });
});
