import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createWorkflowEngine,
  type ManagedWorkflowEngine,
} from '../../adapters/temporal/temporal-workflow-engine.js';
import { parseKeyRing } from '../../core/security/key-ring.js';
import { Database } from '../../models/orm/in-tenant.js';
import { dispatch } from '../../models/outbox/dispatch.js';
import { dispatchBacklog } from '../../models/outbox/dispatch.platform.js';
import { sealMail } from '../../models/outbox/sealed-mail.js';
import { MAINTENANCE_SCHEDULE, MAINTENANCE_WORKFLOW } from '../../workflows/system/maintenance.contract.js';
import { CONTROL_QUEUE } from '../../core/events/task-queues.js';
import { testEnvironment } from '../setup/engines.js';

/** Entries that a worker has when it is killed: more than it dispatches until then. */
const EACH = 30;
const ENTRY = fileURLToPath(new URL('../../activities/worker.js', import.meta.url));

describe('the worker process', () => {
  let made: Awaited<ReturnType<typeof testEnvironment>>;
  let database: Database;
  let engine: ManagedWorkflowEngine;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    made = await testEnvironment();
    database = await Database.open({
      appUrl: made.database.appUrl,
      platformUrl: made.database.platformUrl,
      appPool: 2,
      platformPool: 2,
      applicationName: 'test',
    });
    engine = createWorkflowEngine({
      address: made.env.TEMPORAL_ADDRESS ?? '',
      namespace: made.env.TEMPORAL_NAMESPACE ?? '',
    });
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(async () => {
    await engine.close();
    await database.close();
    await made.remove();
  });

  const startWorker = async (extra: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [ENTRY], {
      env: { ...made.env, SERVICE_LOG_LEVEL: 'info', ...extra },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout });
    const opsPort = await new Promise<number>((resolve, reject) => {
      lines.on('line', (line) => {
        const port = (JSON.parse(line) as { ops_port?: number }).ops_port;
        if (port !== undefined) resolve(port);
      });
      child.once('exit', () => reject(new Error('the worker ended')));
    });
    return {
      child,
      ready: () => readiness(opsPort),
      metrics: async () => (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text(),
    };
  };
  const until = async (check: () => Promise<boolean>, seconds = 20) => {
    for (let left = seconds * 20; left > 0; left -= 1) {
      if (await check()) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('did not happen in time');
  };
  const startEntries = (ids: readonly string[]) =>
    database.inPlatform(async (tx) => {
      for (const id of ids)
        await dispatch(tx, {
          kind: 'start',
          start: {
            workflowType: MAINTENANCE_WORKFLOW,
            workflowId: id,
            taskQueue: CONTROL_QUEUE,
            input: null,
            tenantId: null,
          },
        });
    });
  const idle = async () => (await dispatchBacklog(database)).count === 0;
  const newId = () => `maintenance:platform:${randomUUID()}:1`;

  it('runs what the database asks for, keeps its schedule and stops in order', async () => {
    const worker = await startWorker();
    await until(async () => (await worker.ready()).status === 200);
    const id = newId();
    await startEntries([id]);
    await until(idle);
    expect(await engine.client.workflow.getHandle(id).result()).toEqual({
      removed: expect.objectContaining({ 'expired-sessions': 0 }),
    });
    const schedule = await engine.client.schedule.getHandle(MAINTENANCE_SCHEDULE).describe();
    expect(schedule.action).toMatchObject({ workflowType: MAINTENANCE_WORKFLOW, taskQueue: CONTROL_QUEUE });
    expect(await worker.metrics()).toContain(
      'visionops_dispatch_entries_total{kind="start",outcome="done"} 1',
    );
    const stoppedAt = performance.now();
    worker.child.kill('SIGTERM');
    const [code] = (await once(worker.child, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
  });

  it('waits for a Temporal that is not there yet, says so, and goes on when it comes', async () => {
    const proxy = await portOf(made.env.TEMPORAL_ADDRESS ?? '');
    proxy.block();
    const worker = await startWorker({ TEMPORAL_ADDRESS: proxy.address });
    const before = await worker.ready();
    expect(before.status).toBe(503);
    expect(before.body.checks.database).toBe('ok');
    expect(before.body.checks.polling).toBe('not polling Temporal yet');
    const id = newId();
    await startEntries([id]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await idle()).toBe(false);
    proxy.open();
    await until(async () => (await worker.ready()).status === 200, 40);
    await until(idle, 40);
    await engine.client.workflow.getHandle(id).result();
    worker.child.kill('SIGTERM');
    await once(worker.child, 'exit');
    proxy.close();
  });

  it('takes work that needs no object while the store is away, says so, and makes the bucket when it comes', async () => {
    const proxy = await portOf(new URL(made.env.S3_ENDPOINT ?? '').host);
    proxy.block();
    const worker = await startWorker({ S3_ENDPOINT: `http://${proxy.address}` });
    await until(async () => (await worker.ready()).body.checks.polling === 'ok', 40);
    const { status, body } = await worker.ready();
    expect([status, body.checks.bucket]).toEqual([
      503,
      'the bucket of the object store could not be prepared yet',
    ]);
    expect(body.checks.object_store).not.toBe('ok');
    const id = newId();
    await startEntries([id]);
    await until(idle);
    await until(async () => {
      const { events } = await engine.client.workflow.getHandle(id).fetchHistory();
      return (events ?? []).some((event) => event.activityTaskCompletedEventAttributes);
    });
    proxy.open();
    await until(async () => (await worker.ready()).status === 200, 40);
    await engine.client.workflow.getHandle(id).terminate();
    worker.child.kill('SIGTERM');
    await once(worker.child, 'exit');
    proxy.close();
  });

  it('loses and doubles nothing when it is killed in the middle, again and again', async () => {
    const ids = Array.from({ length: 3 * EACH }, newId);
    for (let round = 0; round < 3; round += 1) {
      const worker = await startWorker();
      await startEntries(ids.slice(round * EACH, (round + 1) * EACH));
      await new Promise((resolve) => setTimeout(resolve, 40 + 60 * round));
      worker.child.kill('SIGKILL');
      await once(worker.child, 'exit');
    }
    await startWorker();
    await until(idle, 150);
    const results = await Promise.all(ids.map((id) => engine.client.workflow.getHandle(id).result()));
    expect(results).toHaveLength(ids.length);
  }, 300_000);

  it('writes mails as files for the service alone when there is no mail server', async () => {
    const worker = await startWorker();
    const keys = parseKeyRing(made.env.SERVICE_SECRET_KEYS ?? '');
    await database.inPlatform((tx) =>
      dispatch(tx, {
        kind: 'mail',
        tenantId: null,
        mail: sealMail(
          keys,
          { to: 'a@example.org', subject: 'Hello', text: 'Body', kind: 'verify', token: 'secret-token' },
          null,
        ),
      }),
    );
    await until(idle);
    const directory = join(made.env.SERVICE_DATA_DIR ?? '', 'mail');
    const [file, ...others] = readdirSync(directory);
    expect(others).toEqual([]);
    expect(JSON.parse(readFileSync(join(directory, file ?? ''), 'utf8'))).toMatchObject({
      to: 'a@example.org',
      subject: 'Hello',
      text: 'Body',
      kind: 'verify',
      token: 'secret-token',
    });
    expect(statSync(join(directory, file ?? '')).mode & 0o777).toBe(0o600);
    // It may still be connecting: a stop is heard at any time.
    const stoppedAt = performance.now();
    worker.child.kill('SIGTERM');
    await once(worker.child, 'exit');
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
  });

  it('refuses to start with settings missing and names them all', async () => {
    const child = spawn(process.execPath, [ENTRY], {
      env: { NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(1);
    for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'S3_ENDPOINT', 'SERVICE_SECRET_KEYS', 'SMTP_URL'])
      expect(text).toContain(`${name}: is missing`);
  });
});

async function readiness(
  port: number,
): Promise<{ status: number; body: { checks: Record<string, string> } }> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { status: response.status, body: (await response.json()) as { checks: Record<string, string> } };
}

/** A port in front of another that can be shut: connections are then refused at once. */
async function portOf(
  target: string,
): Promise<{ address: string; block(): void; open(): void; close(): void }> {
  const [host = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  let blocked = false;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    if (blocked) return void socket.destroy();
    const far = connect(Number(port), host);
    sockets.add(far);
    far.on('error', () => socket.destroy());
    socket.on('close', () => far.destroy());
    far.on('close', () => socket.destroy());
    socket.pipe(far).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    block: () => {
      blocked = true;
      for (const socket of sockets) socket.destroy();
    },
    open: () => {
      blocked = false;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
