import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { asTenantId } from '../../core/security/ids.js';
import { Database } from '../../models/orm/in-tenant.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';

const POOL = 3;

describe('statements that are cut', () => {
  let clone: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    clone = await testDatabase();
    db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: POOL,
      platformPool: 1,
      applicationName: 'cut',
    });
  });
  afterAll(() => clone?.drop());

  const connections = async (): Promise<number> => {
    const client = new pg.Client({ connectionString: clone.ownerUrl });
    await client.connect();
    try {
      return Number(
        (await client.query("select count(*) from pg_stat_activity where application_name = 'cut'")).rows[0]
          .count,
      );
    } finally {
      await client.end();
    }
  };

  it('end at once also when they hold every connection of the pool', async () => {
    const leaving = new AbortController();
    const tenantId = asTenantId(randomUUID());
    let begun = 0;
    const cut = Array.from({ length: POOL }, () =>
      db.inTenant(
        tenantId,
        async (tx) => {
          begun += 1;
          if (begun === POOL) setTimeout(() => leaving.abort(new Error('leaving')), 100);
          await tx.query('select pg_sleep(60)');
        },
        leaving.signal,
      ),
    );
    const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const begin = performance.now();
    for (const one of await Promise.allSettled(cut))
      expect(one).toMatchObject({ status: 'rejected', reason: { message: 'leaving' } });
    // Waiting for a connection of the pool is given up after 5 s.
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(printed.mock.calls).toEqual([]);
    printed.mockRestore();
    // What ended them took a connection of its own and is gone.
    for (let left = 40; left > 0 && (await connections()) > POOL; left -= 1)
      await new Promise((done) => setTimeout(done, 50));
    expect(await connections()).toBe(POOL);
    await expect(
      Promise.all(
        Array.from({ length: POOL }, () =>
          db.inTenant(tenantId, async (tx) => (await tx.query('select 1')).length),
        ),
      ),
    ).resolves.toEqual([1, 1, 1]);
  });

  it('are not begun once nobody waits for them', async () => {
    const leaving = new AbortController();
    const cut = db.inTenant(
      asTenantId(randomUUID()),
      async (tx) => {
        leaving.abort(new Error('left'));
        await expect(tx.query('select 1')).rejects.toThrow('left');
        expect(() => tx.kysely).toThrow('left');
      },
      leaving.signal,
    );
    await expect(cut).rejects.toThrow('left');
  });

  it('leave no connection behind when the database is closed', async () => {
    await db.close();
    for (let left = 40; left > 0 && (await connections()) > 0; left -= 1)
      await new Promise((done) => setTimeout(done, 50));
    expect(await connections()).toBe(0);
  });
});
