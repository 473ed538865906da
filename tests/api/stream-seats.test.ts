import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { StreamSeats } from '../../api/streams/stream-seats.js';
import { ApiHeartbeat } from '../../api/system/api-heartbeat.js';
import { createLogger } from '../../core/logging/logger.js';
import { Database } from '../../models/orm/in-tenant.js';
import { testDatabase, type TestDatabase } from '../setup/engines.js';

const { logger } = createLogger({ level: 'fatal', name: 'test', file: null });
const LIMITS = { perUser: 3, perTenant: 5 };

describe('places for event streams', () => {
  let clone: TestDatabase;
  let db: Database;
  let processes: ApiHeartbeat[];
  let [one, two]: StreamSeats[] = [];
  const tenantId = randomUUID();
  const user = randomUUID();

  beforeAll(async () => {
    clone = await testDatabase();
    db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      authUrl: clone.authUrl,
      appPool: 1,
      platformPool: 8,
      authPool: 8,
      applicationName: 'test-seats',
    });
    await run("insert into tenant (id, code, name) values ($1, 'demo', 'Demo')", tenantId);
  });
  beforeEach(async () => {
    processes = [await ApiHeartbeat.start(db, logger), await ApiHeartbeat.start(db, logger)];
    [one, two] = processes.map(({ place }) => new StreamSeats(db, place, LIMITS));
  });
  afterEach(async () => {
    for (const heartbeat of processes) await heartbeat.stop();
    expect(await count()).toBe(0);
  });
  afterAll(async () => {
    await db.close();
    await clone.drop();
  });

  const run = (sql: string, ...params: unknown[]) => db.inPlatform((tx) => tx.execute(sql, params));
  const count = async () =>
    (await db.inPlatform((tx) => tx.query<{ n: number }>('select count(*) as n from stream_seat')))[0]?.n;
  const refused = (text: RegExp) =>
    expect.objectContaining({ code: 'too_many_requests', message: expect.stringMatching(text) });
  const until = async (seats: number) => {
    for (let left = 100; left > 0 && (await count()) !== seats; left -= 1) await sleep(20);
    expect(await count()).toBe(seats);
  };

  it('count a person over all processes, whatever the tenant', async () => {
    await one?.take(user, null);
    await two?.take(user, tenantId);
    await one?.take(user, tenantId);
    await expect(two?.take(user, null)).rejects.toEqual(refused(/^You hold 3 event streams/));
    await expect(one?.take(user, tenantId)).rejects.toEqual(refused(/^You hold 3/));
    await two?.take(randomUUID(), tenantId);
  });

  it('let no more in when many ask at the same moment', async () => {
    const asked = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : two)?.take(randomUUID(), tenantId)),
    );
    const denied = asked.filter((ask) => ask.status === 'rejected').map((ask) => ask.reason);
    expect(denied).toEqual(Array(35).fill(refused(/^The tenant holds 5/)));
    expect(await count()).toBe(5);
  });

  it('are given back once, together', async () => {
    const leave = await Promise.all([1, 2, 3].map(() => one?.take(user, tenantId)));
    for (const end of leave) end?.();
    leave[0]?.();
    await until(0);
    await two?.take(user, tenantId);
  });

  it('are free 15 seconds after the last heartbeat of a process that died, and count again when it was only slow', async () => {
    for (let n = 0; n < 3; n += 1) await one?.take(user, tenantId);
    const seenAgo = (seconds: number) =>
      run(
        'update process_heartbeat set seen_at = clock_timestamp() - make_interval(secs => $2) where place = $1',
        processes[0]?.place,
        seconds,
      );
    await seenAgo(14);
    await expect(two?.take(user, null)).rejects.toEqual(refused(/^You hold/));
    await seenAgo(15);
    await two?.take(user, null);
    await seenAgo(0);
    await expect(two?.take(user, null)).rejects.toEqual(refused(/^You hold/));
  });

  it('go with a process that stops in order, at once', async () => {
    for (let n = 0; n < 3; n += 1) await one?.take(user, tenantId);
    one?.close();
    await processes[0]?.stop();
    await two?.take(user, tenantId);
    expect(await count()).toBe(1);
  });

  it('are refused to a process that the database does not know', async () => {
    const stranger = new StreamSeats(db, 'nobody:1', LIMITS);
    await expect(stranger.take(user, null)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('are given back later where the database refuses it for now', async () => {
    const leave = await one?.take(user, tenantId);
    const pg = (await import('pg')).default;
    const owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
    await owner.query('revoke delete on stream_seat from visionops_auth');
    leave?.();
    await sleep(200);
    expect(await count()).toBe(1);
    await owner.query('grant delete on stream_seat to visionops_auth');
    await owner.end();
    await until(0);
  });
});
