import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../models/orm/migrate.js';
import { Database } from '../../models/orm/in-tenant.js';
import { createPartitionsAhead, dropEmptyPartitions } from '../../models/system/time-partitions.sql.js';
import { testDatabase, type TestDatabase } from '../setup/engines.js';

describe('tables partitioned by time', () => {
  let clone: TestDatabase;
  let owner: pg.Client;
  let db: Database;
  const clients: pg.Client[] = [];
  beforeAll(async () => {
    clone = await testDatabase();
    owner = await connect();
    const { appUrl, platformUrl } = clone;
    db = await Database.open({ appUrl, platformUrl, appPool: 1, platformPool: 8, applicationName: 'test' });
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await db.close();
    await clone.drop();
  });

  const connect = async () => {
    const client = new pg.Client({ connectionString: clone.ownerUrl });
    clients.push(client);
    await client.connect();
    return client;
  };
  const create = () => db.inPlatform(createPartitionsAhead);
  const drop = () => db.inPlatform(dropEmptyPartitions);
  const partitionsOf = async (table: string) =>
    (
      await owner.query<{ name: string; bound: string }>(
        'select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass($1) order by 1',
        [table],
      )
    ).rows;
  const names = async (table = 'audit_entry') => (await partitionsOf(table)).map(({ name }) => name);
  /** That of the month that lies so many months from now. */
  const month = (offset: number) => {
    const now = new Date();
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset));
    return `audit_entry_${first.toISOString().slice(0, 7).replace('-', '_')}`;
  };
  const monthsUpTo = (last: number) => Array.from({ length: last + 2 }, (_, n) => month(n - 1));
  const older = (months: number) =>
    owner.query("select create_partitions('audit_entry', 'month', now() - $1 * interval '1 month', now())", [
      months,
    ]);

  it('have partitions from the last month to twelve months ahead once they are migrated, and none for the rest', async () => {
    expect(await names()).toEqual(monthsUpTo(12));
    await expect(
      owner.query(
        "insert into audit_entry (at, action, target_kind, target_id) values ('2001-01-01', 'x', 'x', 'x')",
      ),
    ).rejects.toThrow('no partition of relation "audit_entry" found');
  });

  it('begin in UTC, wherever the caller lives, and leave no gap', async () => {
    await owner.query("set timezone = 'Pacific/Kiritimati'");
    await owner.query("select create_partitions('audit_entry', 'month', '2025-01-01Z', now())");
    await owner.query("set timezone = 'UTC'");
    const bounds = (await partitionsOf('audit_entry')).map(({ bound }) => [...bound.matchAll(/'([^']+)'/g)]);
    expect(bounds[0]?.map((match) => match[1])).toEqual(['2025-01-01 00:00:00+00', '2025-02-01 00:00:00+00']);
    for (const [n, bound] of bounds.entries()) if (n > 0) expect(bound[0]?.[1]).toBe(bounds[n - 1]?.[1]?.[1]);
  });

  it('get what is missing once, whoever asks at the same time, while entries are written', async () => {
    for (const offset of [12, 11, 7]) await owner.query(`drop table ${month(offset)}`);
    let isDone = false;
    let written = 0;
    const writer = (async () => {
      for (; !isDone; written += 1)
        await db.inPlatform((tx) =>
          tx.execute("insert into audit_entry (action, target_kind, target_id) values ('x', 'x', 'x')"),
        );
    })();
    const made = await Promise.all(Array.from({ length: 6 }, create));
    isDone = true;
    await writer;
    expect(made.reduce((sum, each) => sum + each, 0)).toBe(3);
    expect((await names()).filter((name) => name >= month(-1))).toEqual(monthsUpTo(12));
    expect(await create()).toBe(0);
    const { rows } = await owner.query('select count(*)::int as n from audit_entry');
    expect([rows[0].n, written > 0]).toEqual([written, true]);
  });

  it('wait for nobody who reads or writes, and keep nobody waiting', async () => {
    await owner.query(`drop table ${month(12)}`);
    const work = "insert into audit_entry (action, target_kind, target_id) values ('x', 'x', 'x')";
    const slow = await connect();
    await slow.query('begin');
    await slow.query(work);
    await slow.query('select count(*) from audit_entry');
    expect(await create()).toBe(1);
    await slow.query('commit');

    await slow.query('begin');
    await slow.query("select create_partitions('audit_entry', 'month', now(), now() + interval '14 months')");
    await owner.query("set lock_timeout = '1s'");
    await owner.query(work);
    await owner.query('select count(*) from audit_entry');
    await owner.query('reset lock_timeout');
    await slow.query('rollback');
  });

  it('lose empty partitions of the past, and no other', async () => {
    await older(4);
    await owner.query(
      `insert into audit_entry (at, action, target_kind, target_id) values (now() - interval '3 months', 'x', 'x', 'x')`,
    );
    await older(5);
    const before = await names();
    expect(await drop()).toBeGreaterThanOrEqual(3);
    const after = await names();
    expect(after.filter((name) => name < month(-1))).toEqual([month(-3)]);
    expect(after.filter((name) => name >= month(-1))).toEqual(before.filter((name) => name >= month(-1)));
    expect([await drop(), await create()]).toEqual([0, 0]);
    await owner.query("delete from audit_entry where at < now() - interval '2 months'");
    expect(await drop()).toBe(1);
  });

  it('leave an empty partition for the next time where somebody reads the table for long', async () => {
    await older(3);
    const reader = await connect();
    await reader.query('begin');
    await reader.query('select count(*) from audit_entry');
    const startedAt = performance.now();
    expect(await drop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    await reader.query('commit');
    expect(await drop()).toBe(2);
  });

  it('are there after a start, however long the database was not used', async () => {
    await owner.query(`drop table ${month(0)}, ${month(1)}`);
    await migrate({ ownerUrl: clone.ownerUrl, passwords: null });
    expect(await names()).toEqual(monthsUpTo(12));
  });

  it('are made by the day too', async () => {
    await owner.query('create table day_log (at timestamptz not null, line text) partition by range (at)');
    await owner.query("select create_partitions('day_log', 'day', '2026-02-27Z', '2026-03-01Z')");
    expect(await partitionsOf('day_log')).toEqual(
      [
        ['2026_02_27', '2026-02-27', '2026-02-28'],
        ['2026_02_28', '2026-02-28', '2026-03-01'],
        ['2026_03_01', '2026-03-01', '2026-03-02'],
      ].map(([suffix, from, to]) => ({
        name: `day_log_${suffix}`,
        bound: `FOR VALUES FROM ('${from} 00:00:00+00') TO ('${to} 00:00:00+00')`,
      })),
    );
  });

  it('are made and dropped for the tables of a list alone, and by the platform role alone', async () => {
    await expect(
      db.inPlatform((tx) => tx.query("select create_partitions('audit_entry', 'month', now(), now())")),
    ).rejects.toThrow('permission denied');
    const app = new pg.Client({ connectionString: clone.appUrl });
    await app.connect();
    for (const call of ['create_partitions_ahead()', 'drop_empty_partitions()'])
      await expect(app.query(`select ${call}`)).rejects.toThrow('permission denied');
    await app.end();
  });
});
