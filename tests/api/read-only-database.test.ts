import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../core/security/ids.js';
import { startTestApi, type TestApi } from './support/test-api.js';

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
