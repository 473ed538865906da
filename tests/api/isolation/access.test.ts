import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UNDESCRIBED_ROUTES } from '../../../api/http/routing/raw-routes.js';
import type { Access } from '../../../api/http/routing/route-table.js';
import { createApp } from '../../../api/server.js';
import { PERMISSIONS, ROLES, roleGrants } from '../../../models/access/permission.rules.js';
import { issueJobToken } from '../../../core/security/job-token.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { CONTRACT_ROLES, contractAccess } from './contract-access.js';
import { type Operation, operationsOf } from './operations.js';
import { malformedPath, probe, type ProbeOptions } from './probe.js';

/** What is expected of a call: a refusal, or anything but one for who calls. */
type Expected = 'let in' | 400 | 401 | 403 | 404;

/** Would end the very session they are called with. */
const ENDS_ITSELF = new Set(['POST /auth/jwt/logout', 'POST /auth/cookie/logout']);

/** Found deviations are listed together: one line for each, so that a whole class is seen at once. */
describe('access to every operation', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let operations: Operation[];
  const members = new Map<string, TestUser>();

  beforeAll(async () => {
    api = await startTestApi({ SERVICE_STREAMS_PER_USER: '1000' });
    tenant = await api.addTenant();
    // What is expected of each comes from the contract: that the description says the same is one of the cases.
    operations = operationsOf(api).map((operation) => ({ ...operation, ...contractAccess(operation) }));
    for (const role of Object.keys(CONTRACT_ROLES))
      members.set(role, await api.addUser({ [tenant.code]: role }));
  });
  afterAll(() => api.close());

  let cases = 0;
  const of = (...kinds: string[]) => operations.filter((operation) => kinds.includes(operation.access));
  /** Asks every closed operation with ids that are none and without a body: who is refused is refused before those are looked at. */
  const deviations = async (options: ProbeOptions, expected: (operation: Operation) => Expected) => {
    const found: string[] = [];
    for (const operation of of('session', 'admin', 'user', 'device', 'webhook')) {
      if (ENDS_ITSELF.has(operation.key) && expected(operation) === 'let in') continue;
      const wanted = expected(operation);
      const { status } = await probe(api, operation, { path: malformedPath(operation), ...options });
      cases += 1;
      const isGood = wanted === 'let in' ? ![401, 403].includes(status) && status !== 500 : status === wanted;
      if (!isGood) found.push(`${operation.key}: ${status}, expected ${wanted}`);
    }
    return found;
  };
  /** For people who are signed in: those routes that are not theirs at all, and those that ask for rights. */
  const signedIn =
    (ofAdmin: Expected, ofUser: (operation: Operation) => Expected) =>
    (operation: Operation): Expected => {
      if (operation.access === 'device' || operation.access === 'webhook') return 401;
      if (operation.access === 'admin') return ofAdmin;
      return operation.access === 'session' ? 'let in' : ofUser(operation);
    };
  it('is decided for each of them, once, as the contract has it', () => {
    const demand = ({ key, access, permission }: Operation) => [key, { access, permission }];
    const described = Object.fromEntries(operationsOf(api).map(demand));
    expect(described).toEqual(
      Object.fromEntries(operationsOf(api).map((operation) => [operation.key, contractAccess(operation)])),
    );
    expect(new Set(operations.map((operation) => operation.operationId)).size).toBe(operations.length);
  });

  it('is enforced on the routes as it is described', () => {
    const declared = ({ kind, permissions }: { kind: string; permissions?: readonly string[] }) => ({
      access: kind,
      permission: permissions?.join(' or ') ?? null,
    });
    const routes = api.routes.entries.filter((entry) => entry.operationId !== null);
    expect(
      Object.fromEntries(routes.map((entry) => [entry.operationId, declared(entry.access as never)])),
    ).toEqual(
      Object.fromEntries(
        operations.map(({ operationId, access, permission }) => [operationId, { access, permission }]),
      ),
    );
  });

  it('is decided for the routes outside the description, which are known by name', () => {
    const undescribed = api.routes.entries
      .filter((entry) => entry.operationId === null)
      .map((entry) => [`${entry.method} ${entry.pattern}`, entry.access.kind]);
    expect(Object.fromEntries(undescribed)).toEqual(UNDESCRIBED_ROUTES);
  });

  it('is decided before the process starts: a raw route that nobody named, or that asks for what is not checked, is refused', () => {
    const boot = (method: string, pattern: string, access: Access) =>
      createApp({
        ...api.container,
        rawRouters: [
          ...api.container.rawRouters,
          (routes) => routes.add({ method, pattern, access, operationId: null, handlers: [] }),
        ],
      });
    expect(() => boot('GET', '/planted', { kind: 'public' })).toThrow(
      'GET /planted is neither in openapi.json nor in UNDESCRIBED_ROUTES',
    );
    expect(() => boot('GET', '/planted', { kind: 'admin' })).toThrow(
      'GET /planted asks for access "admin", which is not checked on raw routes',
    );
    expect(() => boot('POST', '/docs', { kind: 'public' })).toThrow('POST /docs is neither');
  });

  const access = async (kind: string): Promise<string> =>
    (
      await api.call('POST', '/users/me/tokens', {
        token: members.get('ADMIN')?.token,
        json: { kind, tenant_code: tenant.code, name: kind },
      })
    ).body.token as string;
  const endedBy = async (end: (user: TestUser) => Promise<unknown>): Promise<ProbeOptions> => {
    const user = await api.addUser({ [tenant.code]: 'ADMIN' });
    await end(user);
    return { token: user.token };
  };
  const sql = (text: string, params: unknown[]) =>
    api.container.db.inPlatform((tx) => tx.execute(text, params));

  it.each<[string, () => Promise<ProbeOptions> | ProbeOptions]>([
    ['nobody', () => ({})],
    ['a garbage bearer token', () => ({ token: 'garbage.garbage.garbage' })],
    ['a garbage cookie', () => ({ headers: { cookie: `svcauth=${'x'.repeat(43)}` } })],
    [
      'another scheme',
      () => ({
        headers: {
          authorization: `Basic ${Buffer.from(`${api.admin.email}:${api.admin.password}`).toString('base64')}`,
        },
      }),
    ],
    ['a token of a device that does not exist', () => ({ headers: { 'x-edge-token': 'x'.repeat(43) } })],
    ['a webhook token as a session', () => ({ token: 'x'.repeat(36) })],
    [
      'a job token',
      () => ({
        token: issueJobToken(api.container.settings.SERVICE_SECRET_KEYS, {
          tenantId: tenant.id,
          runId: '0'.repeat(32),
          attempt: 1,
        }),
      }),
    ],
    ['a tracker token', async () => ({ token: await access('tracker') })],
    [
      'a tracker token as a cookie',
      async () => ({ headers: { cookie: `svcauth=${await access('tracker')}` } }),
    ],
    ['a tracker token as a device', async () => ({ headers: { 'x-edge-token': await access('tracker') } })],
    ['a registry token', async () => ({ token: await access('registry') })],
    [
      'the token of a device as a session',
      async () => {
        const person = { token: members.get('ADMIN')?.token ?? '', tenant: tenant.code };
        const made = await api.call('POST', '/api/v1/edge/devices', { ...person, json: { id: 'cam-1' } });
        return { token: made.body.token as string };
      },
    ],
    [
      'an expired session',
      () =>
        endedBy((user) =>
          sql("update auth_session set expires_at = now() - interval '1 s' where user_id = $1", [user.id]),
        ),
    ],
    [
      'a session that was ended',
      () => endedBy((user) => api.call('POST', '/auth/jwt/logout', { token: user.token })),
    ],
    [
      'a disabled account',
      () =>
        endedBy((user) =>
          api.call('POST', `/api/v1/system/users/${user.id}/disable`, { token: api.admin.token }),
        ),
    ],
    [
      'a deleted account',
      () => endedBy((user) => api.call('DELETE', `/users/${user.id}`, { token: api.admin.token })),
    ],
  ])('is refused with 401 to %s, before anything else is looked at', async (_who, credentials) => {
    expect(await deviations({ tenant: tenant.code, ...(await credentials()) }, () => 401)).toEqual([]);
  });

  it('is refused with 400 without a tenant, to administrators too', async () => {
    expect(
      await deviations(
        { token: members.get('ADMIN')?.token },
        signedIn(403, () => 400),
      ),
    ).toEqual([]);
    expect(
      await deviations(
        { token: api.admin.token },
        signedIn('let in', () => 400),
      ),
    ).toEqual([]);
  });

  it('is refused with 404 to people without a membership, to members of other tenants, and to administrators in a tenant that does not exist', async () => {
    const other = await api.addTenant();
    for (const user of [await api.addUser(), await api.addUser({ [other.code]: 'ADMIN' })])
      expect(
        await deviations(
          { token: user.token, tenant: tenant.code },
          signedIn(403, () => 404),
        ),
      ).toEqual([]);
    expect(
      await deviations(
        { token: api.admin.token, tenant: 'no-such-tenant' },
        signedIn('let in', () => 404),
      ),
    ).toEqual([]);
  });

  it('is refused alike for a foreign, an unknown and a malformed tenant', async () => {
    const foreign = await api.addTenant();
    const token = members.get('ADMIN')?.token;
    const found: string[] = [];
    for (const operation of of('user')) {
      const ask = (code: string) =>
        probe(api, operation, { path: malformedPath(operation), token, tenant: code });
      const answers = [
        await ask(foreign.code),
        await ask(`no-${randomUUID().slice(0, 8)}`),
        await ask('../etc'),
      ];
      if (answers.some((answer) => answer.status !== 404 || answer.text !== answers[0]?.text))
        found.push(operation.key);
    }
    expect(found).toEqual([]);
  });

  it('is granted by the roles of the contract and their permissions', () => {
    const granted = Object.fromEntries(
      ROLES.map((role) => [role, PERMISSIONS.filter((permission) => roleGrants(role, permission)).sort()]),
    );
    expect(granted).toEqual(
      Object.fromEntries(
        Object.entries(CONTRACT_ROLES).map(([role, permissions]) => [role, [...permissions].sort()]),
      ),
    );
    expect([...PERMISSIONS].sort()).toEqual([...(CONTRACT_ROLES.ADMIN ?? [])].sort());
  });

  it.each(Object.keys(CONTRACT_ROLES))(
    'follows the table of permissions for role %s, before ids and bodies are looked at',
    async (role) => {
      const byTable = (operation: Operation): Expected =>
        operation.permission?.split(' or ').some((each) => CONTRACT_ROLES[role]?.includes(each))
          ? 'let in'
          : 403;
      expect(
        await deviations({ token: members.get(role)?.token, tenant: tenant.code }, signedIn(403, byTable)),
      ).toEqual([]);
    },
  );

  it('is open to global administrators in every tenant', async () => {
    expect(
      await deviations(
        { token: api.admin.token, tenant: tenant.code },
        signedIn('let in', () => 'let in'),
      ),
    ).toEqual([]);
  });

  it('was asked for often enough to say so', () => {
    expect(cases).toBeGreaterThan(1900);
  });
});
