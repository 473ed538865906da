import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createAuditSealer } from '../../activities/system/audit-sealer.js';
import type { BackgroundLoop } from '../../activities/support/background.js';
import { createWokenLoop } from '../../activities/support/woken-loop.js';
import { audit } from '../../models/audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import {
  freeObjects,
  recordOrphanedObjects,
  ORPHANED_OBJECT_CHANNEL,
} from '../../models/objects/orphaned-object.commands.js';
import { Database } from '../../models/orm/in-tenant.js';
import { Listener } from '../../models/orm/listener.js';
import type { PlatformTransaction } from '../../models/orm/transaction.js';
import { newTenant } from '../api/registry/support/registry-builders.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('loops that are called', () => {
  let clone: TestDatabase;
  let db: Database;
  let listener: Listener;
  const ends: Array<() => Promise<void>> = [];
  beforeAll(async () => {
    clone = await testDatabase();
    db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 4,
      platformPool: 4,
      applicationName: 'test',
    });
    listener = new Listener({ connectionString: clone.platformUrl, applicationName: 'test' });
    await listener.start();
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });
  afterAll(async () => {
    await listener?.stop();
    await db?.close();
    await clone?.drop();
  });

  const run = (loop: BackgroundLoop) => {
    const stop = new AbortController();
    const running = loop.run(stop.signal);
    ends.push(async () => {
      stop.abort();
      await running;
    });
  };
  /** A loop that counts its passes. */
  const counting = (channel: string, dueMs: () => number | null = () => null) => {
    const counted = { passes: 0 };
    const pass = async () => {
      counted.passes += 1;
      return dueMs();
    };
    run(createWokenLoop({ name: 'test', listener, channel, pass }));
    return counted;
  };
  const until = async (isTrue: () => Promise<boolean> | boolean, withinMs: number) => {
    const startedAt = performance.now();
    while (!(await isTrue()) && performance.now() - startedAt < withinMs) await rest(20);
    return performance.now() - startedAt;
  };

  it('rest until they are called', async () => {
    const counted = counting('test_calls');
    await rest(3000);
    const before = counted.passes;
    await db.inPlatform((tx) => tx.query("select pg_notify('test_calls', '')"));
    await until(() => counted.passes > before, 20_000);
    // The first pass, one when the channel is listened to, and the call.
    expect([before <= 2, counted.passes]).toEqual([true, before + 1]);
  });

  it('come back by themselves when something falls due, and at once when there is more', async () => {
    const due: number[] = [];
    const counted = counting('test_due', () => due.shift() ?? null);
    await rest(500);
    due.push(0, 300);
    const before = counted.passes;
    await db.inPlatform((tx) => tx.query("select pg_notify('test_due', '')"));
    const tookMs = await until(() => counted.passes >= before + 3, 20_000);
    expect(tookMs).toBeGreaterThan(200);
    expect(counted.passes).toBe(before + 3);
  });

  it('are called for objects that are due, not for those that are about to be written', async () => {
    const tenant = await newTenant(db);
    const counted = counting(ORPHANED_OBJECT_CHANNEL);
    await rest(500);
    const before = counted.passes;
    const key = `t/${tenant}/called`;
    await db.inTenant(tenant, (tx) => recordOrphanedObjects(tx, [{ key }]));
    await rest(500);
    const recorded = counted.passes;
    await db.inTenant(tenant, (tx) => freeObjects(tx, [{ key }]));
    await until(() => counted.passes > recorded, 2000);
    expect([recorded - before, counted.passes - before]).toEqual([0, 1]);
  });

  const entry = (tx: PlatformTransaction, id: string) =>
    audit(tx, null, SYSTEM_ACTOR, { action: 'test.call', target: { kind: 'test', id, label: id } });
  const isSealed = async (id: string) =>
    (
      await db.inPlatform((tx) =>
        tx.query(
          "select 1 from audit_seal s join audit_entry e on e.id > s.from_id and e.id <= s.to_id where s.chain = 'platform' and e.target_id = $1",
          [id],
        ),
      )
    ).length > 0;

  it('seal an audit entry when it is written, also when nothing happened for a while', async () => {
    run(createAuditSealer(db, listener));
    await rest(2500);
    await db.inPlatform((tx) => entry(tx, 'after a rest'));
    // By itself the loop would look after half a minute.
    expect(await until(() => isSealed('after a rest'), 20_000)).toBeLessThan(10_000);
  });

  it('seal an entry that an older transaction kept open, soon after that has ended', async () => {
    run(createAuditSealer(db, listener));
    let written = 0;
    await db.inPlatform(async (older) => {
      await older.query('select pg_current_xact_id()');
      await db.inPlatform((tx) => entry(tx, 'kept open'));
      await rest(2500);
      written = (await isSealed('kept open')) ? 1 : 0;
    });
    expect([written, (await until(() => isSealed('kept open'), 10_000)) < 9000]).toEqual([0, true]);
  });
});
