import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endpointLogs } from '../../../activities/serving/endpoint-log.js';
import { createRetentionTasks } from '../../../activities/tenants/retention-tasks.platform.js';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { createLogger } from '../../../core/logging/logger.js';
import { asTenantId } from '../../../core/security/ids.js';
import { removeEndpoint } from '../../../models/serving/endpoint.commands.js';
import type { HostedWorkload } from '../../../models/workloads/hosted.types.js';
import { lines, printedLog } from '../support/long-log.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { ENDPOINT_FACTORY } from './endpoint-factory.js';

const MIB = 2 ** 20;
const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });

describe('the log of an endpoint', () => {
  let api: TestApi;
  let objects: ManagedObjectStore;
  let tenant: TestTenant;
  let user: TestUser;
  const folder = mkdtempSync(join(tmpdir(), 'visionops-log-'));

  beforeAll(async () => {
    api = await startTestApi();
    objects = openObjectStore(api.container.settings);
    tenant = await api.addTenant();
    user = await api.addUser({ [tenant.code]: 'ADMIN' });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await objects?.close();
    await api?.close();
  });

  const query = <R extends object>(sql: string, params: unknown[]) =>
    api.container.db.inPlatform((tx) => tx.query<R>(sql, params));

  /** An endpoint whose instances print what the test writes. */
  async function endpoint() {
    const made = await ENDPOINT_FACTORY.create({ api, tenant, user, canary: `c${randomUUID().slice(0, 8)}` });
    const name = made.name as string;
    const [row] = await query<{ id: string; workload_id: string }>(
      'select id, workload_id from serving_endpoint where tenant_id = $1 and name = $2',
      [tenant.id, name],
    );
    const workloadId = randomUUID();
    await query(
      `insert into workload (id, tenant_id, kind, name, spec, wish, status, owner_id)
       values ($1, $2, 'serving', $3, '{}', 'run', 'running', $4)`,
      [workloadId, tenant.id, row?.workload_id, row?.id],
    );
    const workload = {
      ...{ id: workloadId, tenantId: tenant.id, ownerId: row?.id, name: row?.workload_id },
      ...{ replicas: 2, specRevision: 1 },
    } as HostedWorkload;
    const logs = endpointLogs({ database: api.container.db, objects, logger });
    /** A place where it runs: a host, with the logs of its instances. */
    const place = () => {
      const files = mkdtempSync(join(folder, 'host-'));
      const logOf = (instance: number) => printedLog(join(files, String(instance)));
      const runner = {
        readLog: (_: string, offset: number, maxBytes: number, instance = 0) =>
          logOf(instance).read(offset, maxBytes),
      };
      return {
        print: (text: string, instance = 0) => logOf(instance).print(text),
        restart: () => {
          for (const instance of ['0', '1']) {
            rmSync(join(files, instance), { recursive: true, force: true });
            mkdirSync(join(files, instance));
          }
        },
        follow: () => logs.open(workload, { runner, hostId: files }),
      };
    };
    const host = place();
    host.restart();
    return { id: row?.id as string, name, workload, host, place };
  }

  const read = async (name: string, range?: string, instance = 0) => {
    const answer = await fetch(`${api.base}/api/v1/serving/endpoints/${name}/log?instance=${instance}`, {
      headers: {
        ...{ authorization: `Bearer ${user.token}`, 'x-tenant': tenant.code },
        ...(range === undefined ? {} : { range: `bytes=${range}` }),
      },
    });
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  };
  const tail = async (name: string, bytes: number) => {
    const path = `/api/v1/serving/endpoints/${name}/logs?max_bytes=${bytes}`;
    return (await api.call('GET', path, { token: user.token, tenant: tenant.code })).body.text as string;
  };

  it('is kept whole in rows and segments, and read by its end, by ranges and as a file', async () => {
    const { id, name, workload, host } = await endpoint();
    const text = Buffer.from(lines(60_000));
    host.print(text.toString());
    host.print('of the second\n', 1);
    await host.follow().pump(workload, true);
    const [kept] = await query<{ rows: number; segments: number }>(
      `select (select coalesce(sum(octet_length(text)), 0)::int from endpoint_log_chunk where endpoint_id = $1) as rows,
         (select count(*)::int from endpoint_log_segment where endpoint_id = $1) as segments`,
      [id],
    );
    expect(kept?.rows).toBeLessThanOrEqual(2 * MIB);
    expect(kept?.segments).toBeGreaterThanOrEqual(3);
    expect((await read(name)).body.equals(text)).toBe(true);
    const middle = await read(name, `${MIB - 50}-${3 * MIB}`);
    expect([middle.status, middle.body.equals(text.subarray(MIB - 50, 3 * MIB + 1))]).toEqual([206, true]);
    expect((await read(name, undefined, 1)).body.toString()).toBe('of the second\n');
    expect(await tail(name, 200)).toBe(text.subarray(-200).toString());
    const long = Buffer.from(await tail(name, MIB));
    expect(long.length).toBeGreaterThan(MIB - 4);
    expect(long.equals(text.subarray(-long.length))).toBe(true);
    expect((await read('nobody')).status).toBe(404);
  });

  it('goes on once where a killed worker stopped, when the endpoint begins anew, and on another host', async () => {
    const { name, workload, host, place } = await endpoint();
    host.print('one\n');
    await host.follow().pump(workload, true);
    host.print('two\n');
    await Promise.all([host.follow().pump(workload, true), host.follow().pump(workload, true)]);
    expect((await read(name)).body.toString()).toBe('one\ntwo\n');
    const follower = host.follow();
    await follower.pump(workload, true);
    host.restart();
    host.print('new\n');
    await follower.pump(workload, true);
    host.print('newer\n');
    await host.follow().pump(workload, true);
    const other = place();
    other.restart();
    other.print('elsewhere, and longer than all before\n');
    await other.follow().pump(workload, true);
    expect((await read(name)).body.toString()).toBe(
      'one\ntwo\nnew\nnewer\nelsewhere, and longer than all before\n',
    );
  });

  it('is kept as long as the tenant keeps logs, and goes on after that', async () => {
    const { id, name, workload, host } = await endpoint();
    await query(`update tenant set retention = '{"logs": 7}' where id = $1`, [tenant.id]);
    host.print(lines(30_000));
    const follower = host.follow();
    await follower.pump(workload, true);
    const age = (table: string) =>
      query(`update ${table} set created_at = now() - interval '40 days' where endpoint_id = $1`, [id]);
    const keys = await query<{ object_key: string }>(
      'select object_key from endpoint_log_segment where endpoint_id = $1',
      [id],
    );
    await age('endpoint_log_chunk');
    await age('endpoint_log_segment');
    expect((await read(name)).body.toString()).toBe('');
    for (const task of createRetentionTasks(api.container.db)) await task.run(new AbortController().signal);
    const left = await query<{ text: string }>(
      `select text from endpoint_log_chunk where endpoint_id = $1
       union all select object_key from endpoint_log_segment where endpoint_id = $1`,
      [id],
    );
    expect(left).toEqual([{ text: '' }]);
    const due = await query('select 1 from orphaned_object where object_key = any($1) and due_at <= now()', [
      keys.map((row) => row.object_key),
    ]);
    expect([due.length, keys.length]).toEqual([keys.length, expect.any(Number)]);
    host.print('since\n');
    await follower.pump(workload, true);
    host.print('then\n');
    await host.follow().pump(workload, true);
    expect((await read(name)).body.toString()).toBe('since\nthen\n');
    host.print(lines(30_000));
    await host.follow().pump(workload, true);
    expect((await read(name)).body.toString()).toBe(`since\nthen\n${lines(30_000)}`);
    const sealed = await query('select 1 from endpoint_log_segment where endpoint_id = $1', [id]);
    expect(sealed.length).toBeGreaterThan(0);
  });

  it('goes with the endpoint, objects and all', async () => {
    const { id, workload, host } = await endpoint();
    host.print(lines(20_000));
    await host.follow().pump(workload, true);
    const keys = await query<{ object_key: string }>(
      'select object_key from endpoint_log_segment where endpoint_id = $1',
      [id],
    );
    expect(keys.length).toBeGreaterThan(0);
    await query("update serving_endpoint set wish = 'delete' where id = $1", [id]);
    expect(await api.container.db.inTenant(asTenantId(tenant.id), (tx) => removeEndpoint(tx, id))).toBe(true);
    const due = await query('select 1 from orphaned_object where object_key = any($1) and due_at <= now()', [
      keys.map((row) => row.object_key),
    ]);
    expect(due).toHaveLength(keys.length);
  });
});
