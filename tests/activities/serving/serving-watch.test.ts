import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { probeEndpoint } from '../../../activities/serving/endpoint-probe.js';
import { createServingWatch } from '../../../activities/serving/serving-watch.js';
import { asTenantId } from '../../../core/security/ids.js';
import { servingWorkflowId } from '../../../models/serving/serving-work.types.js';
import { startWorkload } from '../../../models/workloads/workload.commands.js';
import { ENDPOINT_FACTORY } from '../../api/serving/endpoint-factory.js';
import { startTestApi, type TestApi, type TestTenant } from '../../api/support/test-api.js';
import { until } from '../../adapters/process/workload-waits.js';

describe('the watch over endpoints that are up', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let server: Server;
  let status = 200;
  let asked = 0;
  let id: string;
  const watching = new AbortController();
  const watches: Array<Promise<void>> = [];

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    const user = await api.addUser({ [tenant.code]: 'ADMIN' });
    const { name = '' } = await ENDPOINT_FACTORY.create({
      ...{ api, tenant, user },
      canary: `e${randomUUID().slice(0, 8)}`,
    });
    server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [row] = await sql<{ id: string; workload_id: string }>(
      "update serving_endpoint set status = 'RUNNING', wish = 'run', instances = $2, last_heartbeat_at = now() - interval '1 hour' where name = $1 returning id, workload_id",
      [name, JSON.stringify([url])],
    );
    id = row?.id as string;
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      startWorkload(tx, api.container.settings.SERVICE_SECRET_KEYS, {
        ...{
          kind: 'serving',
          name: row?.workload_id as string,
          ownerId: id,
          attempt: 1,
          env: {},
          replicas: 1,
        },
        spec: {
          ...{ kind: 'service', runtime: 'sklearn', entrypoint: 'serve.py', args: [], labels: {} },
          ...{ files: [], downloads: [], limits: { memoryBytes: 2 ** 30, timeoutS: null } },
        },
        wake: { workflowId: 'nobody', signal: 'look' },
      }),
    );
    await sql('update workload set endpoints = $1', [JSON.stringify([url])]);
    // Nobody delivers here: what waits is what the watch asks for.
    await sql('delete from dispatch');
    for (let count = 0; count < 2; count += 1) {
      const watch = createServingWatch({
        ...{ database: api.container.db, probe: probeEndpoint, everyMs: 400 },
        connectionString: api.env.DATABASE_DIRECT_URL ?? (api.env.DATABASE_URL as string),
      });
      watches.push(watch.run(watching.signal));
    }
  });
  afterAll(async () => {
    watching.abort();
    await Promise.all(watches);
    server?.close();
    await api?.close();
  });

  const sql = <R extends object>(text: string, params: unknown[] = []) =>
    api.container.db.inPlatform((tx) => tx.query<R>(text, params));
  const calls = () =>
    sql<{ payload: { signal?: string } }>('select payload from dispatch where workflow_id = $1', [
      servingWorkflowId({ tenantId: tenant.id, endpointId: id, attempt: 1 }),
    ]);
  const signals = async () =>
    (await calls()).filter(({ payload }) => JSON.stringify(payload).includes('"look"')).length;

  it('leaves one in peace that answers as its row says, and notes that it was seen', async () => {
    await until('a few questions', async () => asked >= 3);
    expect(await signals()).toBe(0);
    const [row] = await sql<{ fresh: boolean }>(
      "select last_heartbeat_at > now() - interval '1 minute' as fresh from serving_endpoint where id = $1",
      [id],
    );
    expect(row?.fresh).toBe(true);
  });

  it('is held by one of two workers', async () => {
    asked = 0;
    await sleep(2000);
    expect(asked).toBeGreaterThanOrEqual(2);
    expect(asked).toBeLessThanOrEqual(6);
  });

  it('wakes the workflow of one whose instance answers no more', async () => {
    status = 503;
    await until('a call', async () => (await signals()) > 0);
  });

  it('wakes it no second time while the first call waits, however long Temporal is away', async () => {
    asked = 0;
    await until('further looks', async () => asked >= 4);
    expect(await signals()).toBe(1);
    await sql('delete from dispatch');
    await until('a call after the one that was delivered', async () => (await signals()) === 1);
  });

  it('wakes those that are to change and of which nobody has said anything for minutes, each once', async () => {
    await sql('delete from dispatch');
    const set = (status: string, wish: string, minutes: number) =>
      sql(
        "update serving_endpoint set status = $2, wish = $3, last_heartbeat_at = now() - make_interval(mins => $4), updated_at = now() - interval '1 day' where id = $1",
        [id, status, wish, minutes],
      );
    const passes = async () => {
      asked = 0;
      await sleep(1500);
    };
    await set('STOPPED', 'stop', 10);
    await passes();
    await set('CONNECTING', 'run', 1);
    await passes();
    expect(await signals()).toBe(0);
    for (const [status, wish] of [
      ['CONNECTING', 'run'],
      ['RUNNING', 'delete'],
      ['STOPPED', 'run'],
    ] as const) {
      await sql('delete from dispatch');
      await set(status, wish, 10);
      await until(`a call for ${status} and ${wish}`, async () => (await signals()) === 1);
      await sql('delete from dispatch');
      await passes();
      expect(await signals()).toBe(0);
    }
  });

  it('wakes one that is DEGRADED without instances and of which nobody has said anything for minutes', async () => {
    await sql("update workload set endpoints = '[]'");
    await sql('delete from dispatch');
    await sql(
      "update serving_endpoint set status = 'DEGRADED', wish = 'run', instances = '[]', last_heartbeat_at = now() - interval '10 minutes' where id = $1",
      [id],
    );
    await until('a call', async () => (await signals()) === 1);
  });
});
