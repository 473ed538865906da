import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MAX_COUNTED } from '../../../core/paging/capped-page.js';
import { DEPLOYMENT_FACTORY } from '../deployments/support/deployment-factory.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { EdgeKit } from './support/edge-kit.js';

jest.setTimeout(120_000);

const MORE = MAX_COUNTED + 5;

describe('lists of more than anybody counts', () => {
  let api: TestApi;
  let kit: EdgeKit;
  let deploymentId: string;
  let deviceId: string;

  beforeAll(async () => {
    api = await startTestApi();
    const tenant = await api.addTenant();
    kit = new EdgeKit(api, tenant);
    const user = await api.addUser({ [tenant.code]: 'ADMIN' });
    const made = await DEPLOYMENT_FACTORY.create({ api, tenant, user, canary: 'long' });
    deploymentId = made.deployment_id as string;
    deviceId = made.device_id as string;
    await kit.run(
      `with d as (
         insert into edge_device (tenant_id, key, location) select $1, 'n-' || n, case when n % 3 = 0 then null else 'hall ' || n % 5 end
         from generate_series(1, $2::int) n returning tenant_id, id, number),
       s as (insert into edge_snapshot (device, tenant_id, last_heartbeat_at)
         select number, tenant_id, case when number % 2 = 0 then now() - make_interval(secs => number % 50) end from d)
       insert into edge_token (tenant_id, device_id, token_hash, key_id, scopes, expires_at)
       select tenant_id, id, id::text, 'k', '[]', now() + interval '1 day' from d`,
      [tenant.id, MORE],
    );
    await kit.run(
      `insert into edge_command (tenant_id, device_id, type, created_at)
       select tenant_id, id, 'look', now() - make_interval(secs => n / 2) from edge_device, generate_series(1, $2::int) n where key = $1`,
      [deviceId, MORE],
    );
    await kit.run(
      `insert into deployment_device (tenant_id, deployment_id, model_id, device_key, group_no, version, step, finished_at)
       select tenant_id, id, model_id, 'n-' || n, n % 3, 2, 'succeeded', now() from deployment, generate_series(1, $2::int) n
       where id = $1`,
      [deploymentId, MORE],
    );
  }, 120_000);
  afterAll(() => api?.close());

  const paths = () => [
    '/api/v1/edge/fleet',
    `/api/v1/edge/devices/${deviceId}/commands`,
    `/api/v1/deployments/${deploymentId}/devices`,
  ];
  const get = async (path: string, query: string) =>
    api.call('GET', `${path}?${query}`, { token: api.admin.token, tenant: kit.tenant.code });
  const idOf = (item: { id?: string; device_id?: string }) => item.id ?? item.device_id;

  it('say that they hold more, and go on behind what is counted', async () => {
    for (const path of paths()) {
      const last = (await get(path, 'page=50&page_size=200')).body;
      expect([path, last.total, last.total_capped, last.items.length]).toEqual([
        path,
        MAX_COUNTED,
        true,
        200,
      ]);
      const beyond = await get(path, 'page=51&page_size=200');
      expect([path, beyond.status, beyond.body.detail]).toEqual([
        path,
        422,
        [expect.objectContaining({ msg: expect.stringContaining('go on from there with after') })],
      ]);
      const rest = (await get(path, `after=${last.next}&page_size=200`)).body;
      expect(rest.items.length).toBeGreaterThanOrEqual(5);
      expect(rest.next).toBeNull();
      expect((await get(path, 'after=x')).status).toBe(422);
      expect((await get(path, `after=${last.next}&page=2`)).status).toBe(422);
    }
  });

  it('go on in the same order as their pages, whatever they are sorted by', async () => {
    const orders = ['id', 'location', 'last_heartbeat', 'created_at'].flatMap((sort) =>
      ['asc', 'desc'].map((order) => `sort=${sort}&order=${order}&q=n-10`),
    );
    const fleet = '/api/v1/edge/fleet';
    for (const order of orders) {
      const found: unknown[] = [];
      const page = async (query: string) => (await get(fleet, `${order}&page_size=90${query}`)).body;
      let body = await page('');
      for (found.push(...body.items); body.next; found.push(...body.items))
        body = await page(`&after=${body.next}`);
      const { items, total } = (await get(fleet, `${order}&page_size=200`)).body;
      expect([order, found.length]).toEqual([order, total]);
      expect(found.map((item) => idOf(item as never)).slice(0, 200)).toEqual(items.map(idOf));
      expect(new Set(found.map((item) => idOf(item as never))).size).toBe(total);
    }
    const { next } = (await get(fleet, 'sort=id&page_size=1')).body;
    expect((await get(fleet, `sort=location&after=${next}`)).status).toBe(422);
    for (const path of paths().slice(1)) {
      const first = (await get(path, 'page_size=100')).body;
      const second = (await get(path, `page_size=100&after=${first.next}`)).body;
      const both = (await get(path, 'page_size=200')).body;
      expect([...first.items, ...second.items].map(idOf)).toEqual(both.items.map(idOf));
    }
  });
});
