import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EdgeKit } from '../edge/support/edge-kit.js';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { DEPLOYMENT_FACTORY } from './support/deployment-factory.js';

jest.setTimeout(120_000);

describe('what is old of deployments', () => {
  let api: TestApi;
  let worker: TestWorker;

  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
  }, 120_000);
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });

  it('goes once its tenant keeps it no longer: ended commands of no deployment, and lines of ended deployments', async () => {
    const keep = await api.addTenant();
    const limited = await api.addTenant();
    await api.call('PATCH', `/api/v1/settings/tenants/${limited.id}`, {
      token: api.admin.token,
      json: { retention: { logs: 7 } },
    });
    const left = async ({ id }: { id: string }) => {
      const kit = new EdgeKit(api, keep);
      const commands = await kit.rows<{ type: string }>(
        'select type from edge_command where tenant_id = $1 order by type',
        [id],
      );
      const lines = await kit.rows<{ message: string }>(
        'select message from deployment_log where tenant_id = $1 order by message',
        [id],
      );
      return [commands.map(({ type }) => type), lines.map(({ message }) => message)];
    };
    const made = new Map<string, Record<string, string>>();
    const shown = async ({ id }: { id: string }) => {
      const tenant = id === keep.id ? keep : limited;
      const { device_id, ended, running } = made.get(id) as Record<string, string>;
      const read = (path: string) =>
        api.call('GET', `/api/v1${path}`, { token: api.admin.token, tenant: tenant.code });
      const lines = async (one?: string) => (await read(`/deployments/${one}/logs`)).body;
      const [of, others] = [await lines(ended), await lines(running)];
      const { items, total } = (await read(`/edge/devices/${device_id}/commands`)).body;
      expect([items.length, of.items.length, others.items.length]).toEqual([total, of.total, others.total]);
      const messages = [...of.items, ...others.items].map(({ message }: { message: string }) => message);
      return [items.map(({ type }: { type: string }) => type).sort(), messages.sort()];
    };
    for (const tenant of [keep, limited]) {
      const kit = new EdgeKit(api, tenant);
      const user = await api.addUser({ [tenant.code]: 'ADMIN' });
      const [ended, running] = [
        await DEPLOYMENT_FACTORY.create({ api, tenant, user, canary: 'old' }),
        await DEPLOYMENT_FACTORY.create({ api, tenant, user, canary: 'running' }),
      ];
      made.set(tenant.id, {
        device_id: ended.device_id as string,
        ended: ended.id as string,
        running: running.id as string,
      });
      await kit.run("update deployment set status = 'IN_PROGRESS', finished_at = null where id = $1", [
        running.id,
      ]);
      await kit.run(
        `insert into deployment_log (tenant_id, deployment_id, message) values ($1, $2, 'recent')`,
        [tenant.id, ended.id],
      );
      await kit.run(
        `insert into edge_command (tenant_id, device_id, type, state, finished_at)
         select tenant_id, id, type, state, now() - made_interval from edge_device,
           (values ('open', 'pending', null), ('old', 'succeeded', interval '8 days'), ('older', 'expired', interval '9 days'),
             ('new', 'failed', interval '6 days')) as c (type, state, made_interval)
         where tenant_id = $1 and key = $2`,
        [tenant.id, ended.device_id],
      );
      const back = "- interval '8 days'";
      await kit.run(`update deployment set finished_at = finished_at ${back} where tenant_id = $1`, [
        tenant.id,
      ]);
      await kit.run(
        `update edge_command set finished_at = finished_at ${back} where tenant_id = $1 and type = 'deploy'`,
        [tenant.id],
      );
      await kit.run(
        `update deployment_log set at = at ${back} where tenant_id = $1 and message <> 'recent'`,
        [tenant.id],
      );
    }
    // Hidden at once; the removal comes later.
    expect(await shown(limited)).toEqual([
      ['deploy', 'new', 'open'],
      ['recent', 'running'],
    ]);
    expect(await shown(keep)).toEqual([
      ['deploy', 'new', 'old', 'older', 'open'],
      ['old', 'recent', 'running'],
    ]);
    expect([
      await worker.tidy('retention-commands'),
      await worker.tidy('retention-deployment-lines'),
    ]).toEqual([2, 1]);
    expect(await left(limited)).toEqual([
      ['deploy', 'deploy', 'new', 'open'],
      ['recent', 'running'],
    ]);
    expect(await left(keep)).toEqual([
      ['deploy', 'deploy', 'new', 'old', 'older', 'open'],
      ['old', 'recent', 'running'],
    ]);
  });
});
