import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../core/security/ids.js';
import { isCommitInDoubt } from '../../models/orm/errors.js';
import { Database } from '../../models/orm/in-tenant.js';
import { allowLongStatements } from '../../models/orm/long-statements.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import { SilentProxy } from '../fakes/silent-proxy.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';

const LIMIT_MS = 300;
/** Longer than an answer is waited for after the limit. */
const LONG_S = 6;
const tenantId = asTenantId(randomUUID());

describe('a database that vanishes without ending its connections', () => {
  let clone: TestDatabase;
  let proxy: SilentProxy;
  let database: Database;
  beforeAll(async () => {
    clone = await testDatabase();
    const url = new URL(clone.appUrl);
    proxy = await SilentProxy.before(url.host);
    url.host = proxy.address;
    database = await Database.open({
      appUrl: url.href,
      platformUrl: clone.platformUrl,
      appPool: 2,
      platformPool: 1,
      applicationName: 'vanishing',
      statementLimitMs: LIMIT_MS,
    });
  });
  afterAll(async () => {
    proxy?.close();
    await database?.close();
    await clone?.drop();
  });

  const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>) => database.inTenant(tenantId, work);
  /** On as many connections as the pool has. */
  const pids = async () => {
    const pid = () =>
      inTenant((tx) => tx.query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep(0.1)'));
    return (await Promise.all([pid(), pid()])).map(([row]) => row?.pid).sort();
  };

  it('gives statements their own time, and keeps connections that answer', async () => {
    const before = await pids();
    const long = inTenant(async (tx) => {
      await allowLongStatements(tx);
      return tx.query(`select 'done' as state, pg_sleep(${LONG_S})`);
    });
    await expect(inTenant((tx) => tx.query('select pg_sleep(60)'))).rejects.toThrow('took too long');
    expect(await long).toMatchObject([{ state: 'done' }]);
    expect(await pids()).toEqual(before);
  });

  it('is away for statements and commits that get no answer, and is reached by new connections later', async () => {
    const before = await pids();
    const [open, vanished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const reading = inTenant(async (tx) => {
      await tx.query('select 1');
      open.resolve();
      await vanished.promise;
      return tx.query('select 1');
    });
    const committing = inTenant(async (tx) => {
      await tx.query('select 1');
      await open.promise;
      proxy.silence();
      vanished.resolve();
    });
    const [read, committed] = await Promise.allSettled([reading, committing]);
    const away = { status: 'rejected', reason: { code: 'service_unavailable', options: { retryAfterS: 5 } } };
    expect([read, committed]).toMatchObject([away, away]);
    const inDoubt = [read, committed].map((one) => one.status === 'rejected' && isCommitInDoubt(one.reason));
    expect(inDoubt).toEqual([false, true]);
    proxy.speak();
    const after = await pids();
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('keeps the rows of a client that vanishes no longer than a minute', async () => {
    const left = inTenant(async (tx) => {
      expect(await tx.query('show idle_in_transaction_session_timeout')).toEqual([
        { idle_in_transaction_session_timeout: '1min' },
      ]);
      await tx.query('set local idle_in_transaction_session_timeout = 50');
      await sleep(500);
      return tx.query('select 1');
    });
    await expect(left).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await pids()).toHaveLength(2);
  });
});

describe('a database that is killed amid statements', () => {
  it('is away for transactions and for single statements, each of which gives its connection back', async () => {
    const clone = await testDatabase();
    const proxies = { app: await urlBehind(clone.appUrl), platform: await urlBehind(clone.platformUrl) };
    const database = await Database.open({
      ...{ appUrl: proxies.app.url, platformUrl: proxies.platform.url, appPool: 1, platformPool: 1 },
      applicationName: 'killed',
    });
    const away = { status: 'rejected', reason: { code: 'service_unavailable' } };
    for (let time = 0; time < 2; time += 1) {
      const asked = [
        database.inTenant(tenantId, (tx) => tx.query('select pg_sleep(10)')),
        database.inPlatformOnce('select pg_sleep(10)', []),
      ];
      await sleep(500);
      for (const { proxy } of Object.values(proxies)) proxy.cut();
      expect(await Promise.allSettled(asked)).toMatchObject([away, away]);
    }
    // A pool of one.
    expect(await database.inPlatformOnce('select 1 as one', [])).toEqual([{ one: 1 }]);
    await database.close();
    for (const { proxy } of Object.values(proxies)) proxy.close();
    await clone.drop();
  });
});

async function urlBehind(direct: string): Promise<{ readonly url: string; readonly proxy: SilentProxy }> {
  const url = new URL(direct);
  const proxy = await SilentProxy.before(url.host);
  url.host = proxy.address;
  return { url: url.href, proxy };
}

describe('a database whose host has no address', () => {
  it('is away for transactions and for single statements', async () => {
    const url = 'postgresql://nobody:none@no-such-database.invalid:5432/none';
    const database = await Database.open({
      ...{ appUrl: url, platformUrl: url, appPool: 1, platformPool: 1, applicationName: 'away' },
    });
    const away = { code: 'service_unavailable' };
    await expect(database.inTenant(tenantId, (tx) => tx.query('select 1'))).rejects.toMatchObject(away);
    await expect(database.inPlatformOnce('select 1', [])).rejects.toMatchObject(away);
    await expect(database.ping()).rejects.toMatchObject(away);
    await database.close();
  });
});
