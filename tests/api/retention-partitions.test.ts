import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Database } from '../../models/orm/in-tenant.js';
import {
  createPartitionsAhead,
  detachExpiredPartitions,
  dropExpiredPartitions,
} from '../../models/system/time-partitions.sql.js';
import { testDatabase, type TestDatabase } from '../setup/engines.js';

const DAY_MS = 86_400_000;

describe('tables partitioned by class of retention and day', () => {
  let clone: TestDatabase;
  let owner: pg.Client;
  let db: Database;
  beforeAll(async () => {
    clone = await testDatabase();
    owner = new pg.Client({ connectionString: clone.ownerUrl });
    await owner.connect();
    db = await Database.open({
      appUrl: clone.appUrl,
      platformUrl: clone.platformUrl,
      appPool: 1,
      platformPool: 2,
      applicationName: 'test',
    });
  });
  afterAll(async () => {
    await db.close();
    await owner.end();
    await clone.drop();
  });

  const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
  const partition = (kept: string, offset: number) => `telemetry_${kept}_${day(offset).replaceAll('-', '_')}`;
  const partitionsOf = async (table: string) =>
    (
      await owner.query<{ name: string }>(
        'select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by 1',
        [table],
      )
    ).rows.map(({ name }) => name);
  const expired = async () =>
    (
      await owner.query<{ name: string }>(
        "select relname as name from pg_class where relnamespace = 'expired'::regnamespace and relkind = 'r' order by 1",
      )
    ).rows.map(({ name }) => name);
  const addDay = async (kept: string, offset: number) => {
    const at = `${day(offset)}T12:00:00Z`;
    await owner.query("select create_partitions($1, 'day', $2::timestamptz, $2::timestamptz)", [
      `telemetry_${kept}`,
      at,
    ]);
    await owner.query(
      "insert into telemetry (tenant_id, device, received_at, kept_days, kind, ts, data) values ($1, 1, $2, $3, 'k', now(), '{}')",
      [randomUUID(), at, Number(kept)],
    );
  };
  const count = async () => Number((await owner.query('select count(*) as n from telemetry')).rows[0].n);

  it('have days ahead for each class once they are migrated, and months for what has no limit', async () => {
    expect(await partitionsOf('telemetry')).toEqual([
      'telemetry_30',
      'telemetry_365',
      'telemetry_7',
      'telemetry_90',
      'telemetry_unlimited',
    ]);
    for (const kept of ['7', '30', '90', '365'])
      expect(await partitionsOf(`telemetry_${kept}`)).toEqual(
        Array.from({ length: 9 }, (_, n) => partition(kept, n - 1)),
      );
    expect(await partitionsOf('telemetry_unlimited')).toHaveLength(14);
    expect(await db.inPlatform(createPartitionsAhead)).toBe(0);
    await owner.query(`drop table ${partition('90', 3)}`);
    expect(await db.inPlatform(createPartitionsAhead)).toBe(1);
  });

  it('lose the days of a class that are over, with all rows, and keep those that are not', async () => {
    for (const [kept, offset] of [
      ['7', -20],
      ['7', -8],
      ['7', -7],
      ['7', -6],
      ['30', -20],
      ['30', -31],
      ['365', -366],
      ['365', -300],
    ] as const)
      await addDay(kept, offset);
    expect(await count()).toBe(8);
    const gone = [
      partition('30', -31),
      partition('365', -366),
      partition('7', -20),
      partition('7', -8),
    ].sort();
    expect(await db.inPlatform(detachExpiredPartitions)).toBe(4);
    expect([await expired(), await count()]).toEqual([gone, 4]);
    expect(await partitionsOf('telemetry_7')).toEqual(
      expect.arrayContaining([partition('7', -7), partition('7', -6)]),
    );
    expect(await db.inPlatform(dropExpiredPartitions)).toBe(4);
    expect(await expired()).toEqual([]);
    expect([await db.inPlatform(detachExpiredPartitions), await count()]).toEqual([0, 4]);
  });

  it('are left to the next call while somebody reads them for long', async () => {
    await addDay('90', -92);
    const reader = new pg.Client({ connectionString: clone.ownerUrl });
    await reader.connect();
    await reader.query('begin; select count(*) from telemetry');
    const startedAt = Date.now();
    expect(await db.inPlatform(detachExpiredPartitions)).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    await reader.query('rollback');
    await reader.end();
    expect(await db.inPlatform(detachExpiredPartitions)).toBe(1);
    expect(await db.inPlatform(dropExpiredPartitions)).toBe(1);
  });

  it('let nobody but the platform take them away', async () => {
    const app = new pg.Client({ connectionString: clone.appUrl });
    await app.connect();
    for (const call of ['detach_expired_partitions()', 'drop_expired_partitions()'])
      await expect(app.query(`select ${call}`)).rejects.toThrow('permission denied');
    await expect(app.query('create table expired.mine (n int)')).rejects.toThrow('permission denied');
    await app.end();
  });
});
