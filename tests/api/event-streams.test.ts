import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import { createPostgresEventBus, type ManagedEventBus } from '../../adapters/postgres/postgres-event-bus.js';
import { DECIDED_WITHIN_MS, KEEP_ALIVE_MS, SseHub, type StreamRequest } from '../../api/streams/sse-hub.js';
import { isAffectedBy } from '../../api/streams/stream-access.rules.js';
import type { StreamEnding } from '../../api/streams/stream-events.js';
import { StreamSeats } from '../../api/streams/stream-seats.js';
import { ApiHeartbeat } from '../../api/system/api-heartbeat.js';
import type { AppError } from '../../core/errors/app-error.js';
import type { StreamEvent } from '../../core/events/stream-event.js';
import { createLogger } from '../../core/logging/logger.js';
import { Database } from '../../models/orm/in-tenant.js';
import { Listener } from '../../models/orm/listener.js';
import { testDatabase, type TestDatabase } from '../setup/engines.js';
import { openSse, type SseReader } from './support/sse-reader.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
const tenantId = randomUUID();
const user = randomUUID();

describe('event streams', () => {
  let clone: TestDatabase;
  let db: Database;
  let heartbeat: ApiHeartbeat;
  let listener: Listener;
  let bus: ManagedEventBus;
  let hub: SseHub;
  let server: Server;
  let base: string;
  let allowed = true;
  let decide: () => Promise<boolean>;
  let ending: StreamEnding | null;
  let reads = 0;
  const readers: SseReader[] = [];

  beforeAll(async () => {
    clone = await testDatabase();
    await asOwner(clone, (client) =>
      client.query("insert into tenant (id, code, name) values ($1, 'demo', 'Demo')", [tenantId]),
    );
    db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      authUrl: clone.authUrl,
      appPool: 1,
      platformPool: 2,
      authPool: 2,
      applicationName: 'test',
    });
  });
  beforeEach(async () => {
    allowed = true;
    decide = async () => allowed;
    ending = null;
    reads = 0;
    listener = new Listener({
      connectionString: clone.directUrl ?? clone.platformUrl,
      applicationName: 'test-listen',
    });
    bus = createPostgresEventBus({ connectionString: clone.appUrl, applicationName: 'test-bus' });
    const readLog = async (_tenant: string, _id: string, from: number, to: number) => {
      reads += 1;
      return 'x'.repeat(to - from - 1) + '\n';
    };
    heartbeat = await ApiHeartbeat.start(db, logger);
    hub = new SseHub({ listener, logger, seats: seats(3, 5), readLog });
    await listener.start();
    server = createServer(
      appOf(
        () => hub,
        () => decide(),
        () => ending,
      ),
    ).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.close();
    hub.close();
    await heartbeat.stop();
    await bus.close();
    await listener.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  afterAll(async () => {
    await db.close();
    await clone.drop();
  });

  const seats = (perUser: number, perTenant: number) =>
    new StreamSeats(db, heartbeat.place, { perUser, perTenant });

  const open = async (query: Record<string, string> = {}) => {
    const reader = await openSse(
      `${base}/?${new URLSearchParams({ id: 'e1', user, tenant: tenantId, ...query })}`,
    );
    readers.push(reader);
    return reader;
  };
  const event = (
    name: string,
    data: Record<string, unknown>,
    place: Partial<StreamEvent> = {},
  ): StreamEvent => ({
    stream: 'experiment-logs',
    tenantId,
    id: 'e1',
    event: name,
    data,
    ...place,
  });

  it('answers with the right headers and says first what it is connected to', async () => {
    const reader = await open();
    expect(reader.status).toBe(200);
    expect(reader.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reader.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(reader.headers.get('x-accel-buffering')).toBe('no');
    expect(await reader.next()).toEqual({ event: 'connected', data: { channel: 'experiment-logs:demo' } });
  });

  it('delivers what another process published, in order, with id and time', async () => {
    const reader = await open();
    await reader.next();
    bus.publish([event('progress', { progress: 1 }), event('progress', { progress: 2 })]);
    const first = await reader.next();
    expect(first).toEqual({
      event: 'progress',
      data: { id: 'e1', at: expect.stringMatching(/^\d{4}-.*Z$/), progress: 1 },
    });
    expect((await reader.next()).data).toMatchObject({ progress: 2 });
  });

  it('never shows one tenant what belongs to another, nor another resource or kind', async () => {
    const mine = await open();
    await mine.next();
    bus.publish([
      event('progress', { leak: 1 }, { tenantId: randomUUID() }),
      event('progress', { leak: 2 }, { id: 'e2' }),
      event('progress', { leak: 3 }, { stream: 'deployments' }),
      event('progress', { leak: 4 }, { tenantId: null }),
      event('step', { mine: true }),
    ]);
    expect((await mine.next()).data).toMatchObject({ mine: true });
  });

  it('reads a log range once for all watchers and keeps the order around it', async () => {
    const watchers = [await open(), await open()];
    bus.publish([
      event('experiment', { status: 'running' }),
      event('log', { from: 0, to: 9000 }),
      event('experiment', { status: 'finished' }),
    ]);
    for (const reader of watchers) {
      await reader.next();
      expect((await reader.next()).data).toMatchObject({ status: 'running' });
      expect((await reader.next()).data).toEqual({
        id: 'e1',
        at: expect.any(String),
        lines: [expect.stringMatching(/^x{3000,}…$/)],
      });
      expect((await reader.next()).data).toMatchObject({ status: 'finished' });
    }
    expect(reads).toBe(1);
  });

  it('refuses a person beyond their streams and a tenant beyond its streams with Retry-After, and gives seats back', async () => {
    const mine = [await open(), await open(), await open()];
    const refused = await open();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('30');
    await open({ user: randomUUID() });
    await open({ user: randomUUID() });
    expect((await open({ user: randomUUID() })).status).toBe(429);
    mine[0]?.close();
    let again = await open();
    for (let left = 20; left > 0 && again.status === 429; left -= 1) {
      await settle();
      again = await open();
    }
    expect(again.status).toBe(200);
  });

  it('ends the streams of a person who may no longer watch, and leaves the others', async () => {
    const mine = await open();
    const other = await open({ user: randomUUID() });
    await Promise.all([mine.next(), other.next()]);
    await hub.recheckWhere((watcher) => watcher.userId === user);
    allowed = false;
    await hub.recheckWhere((watcher) => watcher.userId === user);
    await expect(mine.next()).rejects.toThrow('ended');
    expect(mine.retryMs).toBeNull();
    bus.publish([event('step', { still: 'here' })]);
    expect((await other.next()).data).toMatchObject({ still: 'here' });
    hub.closeWhere(() => true);
    await expect(other.next()).rejects.toThrow('ended');
  });

  it('asks about at most sixteen streams at the same time, and about each of them', async () => {
    hub.close();
    hub = new SseHub({ listener, logger, seats: seats(100, 100), readLog: null, decidedWithinMs: 60_000 });
    for (let left = 40; left > 0; left -= 1) await open({ user: randomUUID() });
    const asked: Array<() => void> = [];
    let most = 0;
    let under = 0;
    decide = () => {
      under += 1;
      most = Math.max(most, under);
      return new Promise((resolve) => {
        asked.push(() => {
          under -= 1;
          resolve(true);
        });
      });
    };
    const done = hub.recheckWhere(() => true);
    await settle();
    expect(asked).toHaveLength(16);
    for (let answered = 0; answered < 40; answered += 1) {
      asked[answered]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await done;
    expect([asked.length, most, hub.size]).toEqual([40, 16, 40]);
  });

  it('ends streams of which a change leaves nothing known within a second, and leaves the others', async () => {
    expect(DECIDED_WITHIN_MS).toBeLessThan(1000);
    hub.close();
    hub = new SseHub({ listener, logger, seats: seats(3, 5), readLog: null, decidedWithinMs: 50 });
    const other = await open({ user: randomUUID() });
    const mine = await open();
    await Promise.all([mine.next(), other.next()]);
    await settle();
    // As while the database does not answer.
    decide = () => new Promise(() => {});
    void hub.recheckWhere((watcher) => watcher.userId === user);
    await expect(mine.next()).rejects.toThrow('ended');
    // The client may be allowed: it comes back and is asked.
    expect(mine.retryMs).toBeGreaterThanOrEqual(1000);
    bus.publish([event('step', { still: 'here' })]);
    expect((await other.next()).data).toMatchObject({ still: 'here' });
  });

  it('asks about streams for changes that may concern them, and for none of a token', () => {
    const watcher = {
      stream: 'experiments' as StreamRequest['stream'],
      tenantId,
      id: 'e1',
      userId: user,
      sessionId: 's1',
    };
    for (const change of [{}, { userId: user }, { sessionId: 's1' }, { tenantId }])
      expect(isAffectedBy(watcher, change)).toBe(true);
    for (const change of [{ tokenId: 't1' }, { userId: 'u2' }, { sessionId: 's2' }, { tenantId: 't2' }])
      expect(isAffectedBy(watcher, change)).toBe(false);
  });

  it('sends a comment every 15 seconds, so that nobody on the way takes a silent stream for a dead one', async () => {
    expect(KEEP_ALIVE_MS).toBe(15_000);
    hub.close();
    hub = new SseHub({
      listener,
      logger,
      seats: seats(3, 5),
      readLog: null,
      keepAliveMs: 30,
    });
    const response = await fetch(`${base}/?${new URLSearchParams({ id: 'e1', user, tenant: tenantId })}`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.endsWith(': keep-alive\n\n: keep-alive\n\n')) {
      const piece = await Promise.race([
        reader.read(),
        new Promise<null>((resolve) => setTimeout(resolve, 3000, null)),
      ]);
      if (piece === null) throw new Error(`no comment within 3 s, only ${JSON.stringify(text)}`);
      text += Buffer.from(piece.value ?? []).toString();
    }
    expect(text).toMatch(/^event: connected\ndata: .*\n\n(: keep-alive\n\n){2,}$/);
    await reader.cancel();
  });

  it('sends the state of what has ended before and ends', async () => {
    ending = { find: async () => event('experiment', { status: 'CANCELED' }), isLast: () => false };
    const reader = await open();
    expect((await reader.next()).event).toBe('connected');
    expect(await reader.next()).toEqual({
      event: 'experiment',
      data: { id: 'e1', at: expect.any(String), status: 'CANCELED' },
    });
    await expect(reader.next()).rejects.toThrow('ended');
    expect(reader.retryMs).toBe(60_000);
  });

  it('ends after the last event of what ends meanwhile, and lets clients come back where its state cannot be read', async () => {
    ending = { find: async () => null, isLast: ({ data }) => data.status === 'SUCCEEDED' };
    const reader = await open();
    await reader.next();
    bus.publish([event('experiment', { status: 'FINALIZING' }), event('log', { from: 0, to: 9 })]);
    bus.publish([event('experiment', { status: 'SUCCEEDED' })]);
    expect((await reader.next()).data).toMatchObject({ status: 'FINALIZING' });
    expect((await reader.next()).event).toBe('log');
    expect((await reader.next()).data).toMatchObject({ status: 'SUCCEEDED' });
    await expect(reader.next()).rejects.toThrow('ended');
    ending = { find: () => Promise.reject(new Error('no database')), isLast: () => false };
    const unread = await open();
    await unread.next();
    await expect(unread.next()).rejects.toThrow('ended');
    expect(unread.retryMs).toBeLessThanOrEqual(3000);
  });

  it('says to clients when to come back as it stops', async () => {
    const reader = await open();
    await reader.next();
    hub.close();
    await expect(reader.next()).rejects.toThrow('ended');
    expect(reader.retryMs).toBeGreaterThanOrEqual(1000);
  });

  it('ends streams after a gap in the notifications, so that clients read the state again', async () => {
    const reader = await open();
    await reader.next();
    await cutListener(clone);
    await expect(reader.next()).rejects.toThrow('ended');
    expect(reader.retryMs).toBeGreaterThanOrEqual(1000);
    const again = await open();
    await again.next();
    bus.publish([event('step', { back: true })]);
    expect((await again.next()).data).toMatchObject({ back: true });
  });

  it('cuts off a client that reads nothing, without holding up the others', async () => {
    const stuck = await stuckClient(
      server,
      `/?${new URLSearchParams({ id: 'e1', user: randomUUID(), tenant: tenantId })}`,
    );
    const reader = await open();
    await reader.next();
    const closed = new Promise((resolve) => stuck.once('close', resolve));
    for (let round = 0; round < 60 && hub.size > 1; round += 1) {
      bus.publish(Array.from({ length: 100 }, () => event('step', { fill: 'y'.repeat(3500) })));
      for (let n = 0; n < 100; n += 1) await reader.next();
    }
    expect(hub.size).toBe(1);
    stuck.resume();
    await closed;
  });

  it('forgets everything about clients that left', async () => {
    for (let round = 0; round < 30; round += 1) {
      const reader = await open({ user: randomUUID() });
      await reader.next();
      reader.close();
      await settle();
    }
    expect(hub.size).toBe(0);
  });

  it('ignores notifications that are not ours', async () => {
    const reader = await open();
    await reader.next();
    await notify(clone, [
      'not json',
      '{}',
      '[null, 1, {"stream":"experiment-logs"}, {"stream":"experiment-logs","id":"e1","event":"a\\nb","data":{}}]',
    ]);
    bus.publish([event('step', { ok: true })]);
    expect((await reader.next()).data).toMatchObject({ ok: true });
  });
});

const settle = () => new Promise((resolve) => setTimeout(resolve, 60));

function appOf(hub: () => SseHub, allowed: () => Promise<boolean>, ending: () => StreamEnding | null) {
  const app = express();
  app.get('/', (req: Request, res: Response) => {
    const { id, user: userId, tenant } = req.query as Record<string, string>;
    const request: StreamRequest = {
      stream: 'experiment-logs',
      tenantId: tenant ?? null,
      id: id ?? '',
      channel: 'experiment-logs:demo',
      userId: userId ?? '',
      sessionId: 's',
      stillAllowed: () => allowed(),
      ending: ending(),
    };
    return hub().open(req, res, request);
  });
  app.use((error: AppError, _req: Request, res: Response, _next: NextFunction) => {
    res.setHeader('Retry-After', String(error.options?.retryAfterS));
    res.status(error.code === 'too_many_requests' ? 429 : 500).end();
  });
  return app;
}

async function asOwner(
  clone: TestDatabase,
  work: (client: { query(sql: string, params?: unknown[]): Promise<unknown> }) => Promise<unknown>,
): Promise<void> {
  const pg = (await import('pg')).default;
  const client = new pg.Client({ connectionString: clone.ownerUrl });
  await client.connect();
  await work(client);
  await client.end();
}

const cutListener = (clone: TestDatabase) =>
  asOwner(clone, (client) =>
    client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'test-listen'",
    ),
  );

const notify = (clone: TestDatabase, payloads: string[]) =>
  asOwner(clone, async (client) => {
    for (const payload of payloads) await client.query("select pg_notify('visionops_events', $1)", [payload]);
  });

function stuckClient(server: Server, path: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      socket.once('data', () => {
        socket.pause();
        resolve(socket);
      });
    });
    socket.on('error', () => undefined);
  });
}
