import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';

const LIMIT = 20;

describe('a dispatch table that nobody empties', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let user: TestUser;
  beforeAll(async () => {
    api = await startTestApi({ SERVICE_DISPATCH_BACKLOG: String(LIMIT) });
    tenant = await api.addTenant();
    user = await api.addUser({ [tenant.code]: 'ADMIN' });
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, path, {
      ...{ token: user.token, tenant: tenant.code },
      ...(json === undefined ? {} : { json }),
    });
  const fill = async (kind: string, count: number) => {
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        "insert into dispatch (kind, workflow_id, payload) select $1, 'x:' || n, '{}' from generate_series(1, $2) n",
        [kind, count],
      ),
    );
    // The guard counts once a second.
    await new Promise((resolve) => setTimeout(resolve, 1100));
  };
  const empty = () => api.container.db.inPlatform((tx) => tx.execute('delete from dispatch'));
  const START = ['POST', '/api/v1/serving/endpoints/none/start'] as const;

  it('keeps new long work away with 503, and lets reads, stops and everything else through', async () => {
    await fill('start', LIMIT);
    expect((await call(...START)).status).toBe(404);
    await fill('start', 1);
    const refused = await call(...START);
    expect(refused).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining(`More than ${LIMIT} pieces of work wait`) },
    });
    expect(refused.headers.get('retry-after')).toBe('30');
    const of = (method: string, path: string) => call(method, path).then(({ status }) => status);
    expect(
      await Promise.all([
        of('GET', '/api/v1/serving/endpoints'),
        of('POST', '/api/v1/serving/endpoints/none/stop'),
        of('DELETE', '/api/v1/serving/endpoints/none'),
        of('POST', '/api/v1/training/experiments/00000000-0000-4000-8000-000000000000/cancel'),
      ]),
    ).toEqual([200, 404, 404, 404]);
    // Who may not call learns nothing of the backlog.
    expect((await api.call(...START)).status).toBe(401);
    await empty();
  });

  it('is not full of mails', async () => {
    await fill('mail', 2 * LIMIT);
    expect((await call(...START)).status).toBe(404);
    await empty();
  });

  it('stands before every operation that the description marks', async () => {
    await fill('start', LIMIT + 1);
    const marked = Object.entries(api.container.openapi.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, operation]) => operation['x-long-work'] === true)
        .map(([method, operation]) => ({ path, method, access: operation['x-access'] })),
    );
    expect(marked.length).toBeGreaterThan(10);
    // Devices have tokens of their own.
    for (const { path, method } of marked.filter(({ access }) => access === 'user'))
      expect([path, (await call(method.toUpperCase(), path.replace(/\{\w+\}/g, 'none'))).status]).toEqual([
        path,
        503,
      ]);
    await empty();
  });
});
