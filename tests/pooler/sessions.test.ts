import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createPostgresEventBus } from '../../adapters/postgres/postgres-event-bus.js';
import { EVENTS_CHANNEL } from '../../core/events/stream-event.js';
import { asTenantId } from '../../core/security/ids.js';
import { Database } from '../../models/orm/in-tenant.js';
import { Listener } from '../../models/orm/listener.js';
import { allowLongStatements } from '../../models/orm/long-statements.js';
import { avoidNestedLoops } from '../../models/orm/planner-settings.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';

const POOL = 10;
const tenantId = asTenantId(randomUUID());

describe('behind a pooler in transaction mode', () => {
  let clone: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    clone = await testDatabase();
    db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      directUrl: clone.directUrl as string,
      appPool: POOL,
      platformPool: 2,
      applicationName: 'pooled',
    });
  });
  afterAll(async () => {
    await db?.close();
    await clone?.drop();
  });

  const settings = `select pg_backend_pid() as pid, current_setting('app.tenant', true) as tenant, current_setting('statement_timeout') as timeout,
    current_setting('enable_nestloop') as nestloop`;
  interface Seen {
    readonly pid: number;
    readonly tenant: string;
    readonly timeout: string;
    readonly nestloop: string;
  }

  it('each transaction sees its own settings alone, on whichever server process it runs', async () => {
    const pids = new Set<number>();
    const tenants = Array.from({ length: 40 }, () => asTenantId(randomUUID()));
    await Promise.all(
      tenants.map((tenant, at) =>
        db.inTenant(tenant, async (tx) => {
          if (at % 2 === 0) await Promise.all([allowLongStatements(tx), avoidNestedLoops(tx)]);
          for (let again = 0; again < 3; again += 1) {
            const [seen] = await tx.query<Seen>(settings);
            pids.add(seen?.pid ?? 0);
            expect({ ...seen, pid: 0 }).toEqual({
              pid: 0,
              tenant,
              timeout: at % 2 === 0 ? '15min' : '1min',
              nestloop: at % 2 === 0 ? 'off' : 'on',
            });
          }
        }),
      ),
    );
    // The pooler has fewer connections than the pool: they were handed on.
    expect(pids.size).toBeLessThan(POOL);
    const client = new pg.Client({ connectionString: clone.appUrl });
    await client.connect();
    expect((await client.query<Seen>(settings)).rows[0]).toMatchObject({
      tenant: '',
      timeout: '0',
      nestloop: 'on',
    });
    await client.end();
  });

  it('a statement that nobody waits for is ended, and none that runs beside it', async () => {
    const leaving = new AbortController();
    const sleeping = (seconds: number, signal?: AbortSignal) =>
      db.inTenant(tenantId, (tx) => tx.query(`select pg_sleep(${seconds})`), signal);
    let isBesideOver = false;
    const beside = Promise.all([sleeping(6), sleeping(6)]).finally(() => {
      isBesideOver = true;
    });
    const cut = [sleeping(60, leaving.signal), sleeping(60, leaving.signal)];
    setTimeout(() => leaving.abort(new Error('leaving')), 500);
    for (const one of await Promise.allSettled(cut))
      expect(one).toMatchObject({ status: 'rejected', reason: { message: 'leaving' } });
    expect(isBesideOver).toBe(false);
    await expect(beside).resolves.toHaveLength(2);
  });

  it('listening past it hears events that are sent through it', async () => {
    const heard: string[] = [];
    const listener = new Listener({ connectionString: clone.directUrl as string, applicationName: 'past' });
    listener.subscribe({ channel: EVENTS_CHANNEL, onNotify: (payload) => heard.push(payload) });
    await listener.start();
    expect(listener.problem).toBeNull();
    const lost: unknown[] = [];
    const bus = createPostgresEventBus({
      connectionString: clone.appUrl,
      applicationName: 'events',
      onLost: (_count, error) => lost.push(error),
    });
    bus.publish([
      {
        stream: 'dataset',
        tenantId,
        id: 'd',
        event: 'state',
        at: new Date().toISOString(),
        data: {},
      } as never,
    ]);
    await bus.close();
    for (let left = 100; left > 0 && heard.length === 0; left -= 1)
      await new Promise((done) => setTimeout(done, 20));
    expect([lost, heard.length]).toEqual([[], 1]);
    await listener.stop();
  });

  it('listening through it is found out: it is never up, and says what to set', async () => {
    let ups = 0;
    const listener = new Listener({ connectionString: clone.appUrl, applicationName: 'through' });
    listener.subscribe({ channel: EVENTS_CHANNEL, onUp: () => (ups += 1) });
    await listener.start();
    expect([listener.isUp, ups]).toEqual([false, 0]);
    expect(listener.problem).toContain('does not arrive; behind a pooler set DATABASE_DIRECT_URL');
    await listener.stop();
  });
});
