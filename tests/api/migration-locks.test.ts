import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { MIGRATIONS } from '../../models/migrations/list.js';
import { migrate } from '../../models/orm/migrate.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';

const releases = JSON.parse(readFileSync('releases.json', 'utf8')) as Array<{ migrations: string[] }>;
const released = new Set(releases.flatMap(({ migrations }) => migrations));

/** Tables that this transaction keeps writers from, and whether readers too; a partition counts as its table. */
const LOCKED = `select coalesce(pg_partition_root(relation), relation)::regclass::text as name,
    bool_or(mode = 'AccessExclusiveLock') as "isAway"
  from pg_locks join pg_class c on c.oid = relation and relkind in ('r', 'p')
  where pid = pg_backend_pid() and relnamespace = 'public'::regnamespace
    and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  group by 1`;

/** What a migration must not do while others work: take a table away from its readers, and then wait for another. */
describe('a migration that holds a lock', () => {
  let database: TestDatabase;
  let client: pg.Client;
  /** Those that the last release made, and works with while it is upgraded. */
  let old: ReadonlySet<string>;

  beforeAll(async () => {
    database = await testDatabase('template1');
    client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    const migrations = MIGRATIONS.filter(({ name }) => released.has(name));
    await migrate({ ownerUrl: database.ownerUrl, passwords: null, migrations });
    const { rows } = await client.query<{ tablename: string }>(
      "select tablename from pg_tables where schemaname = 'public'",
    );
    old = new Set(rows.map(({ tablename }) => tablename));
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  /** In a transaction of the caller's. @returns a line for each table that is waited for while another is away */
  const waitsOf = async (statements: readonly string[]): Promise<string[]> => {
    const locked = new Set<string>();
    const away = new Set<string>();
    const waits: string[] = [];
    for (const statement of statements) {
      await client.query(statement);
      const { rows } = await client.query<{ name: string; isAway: boolean }>(LOCKED);
      const added = rows.filter(({ name, isAway }) => old.has(name) && !(isAway ? away : locked).has(name));
      // A statement that takes several waits for each of them while it holds those before.
      for (const { name, isAway } of added.sort((a, b) => Number(b.isAway) - Number(a.isAway))) {
        const others = [...away].filter((other) => other !== name);
        if (others.length > 0) waits.push(`${name} while ${others.join(', ')} is away`);
        locked.add(name);
        if (isAway) away.add(name);
      }
    }
    return waits;
  };
  const inTransaction = async (end: 'commit' | 'rollback', statements: readonly string[]) => {
    await client.query('begin');
    try {
      return await waitsOf(statements);
    } finally {
      await client.query(end);
    }
  };

  it('waits for no other table that the last release uses', async () => {
    const found: string[] = [];
    for (const { name, class: Class } of MIGRATIONS.filter((each) => !released.has(each.name))) {
      const migration = new (Class as unknown as new () => Migration)();
      await migration.up();
      const statements = migration.getQueries().map(String);
      if (migration.isTransactional())
        found.push(...(await inTransaction('commit', statements)).map((wait) => `${name}: ${wait}`));
      else for (const statement of statements) await client.query(statement);
    }
    expect(found).toEqual([]);
  });

  it.each([
    [
      'dataset while user_account is away',
      'create policy planted on user_account using (true)',
      'create policy planted on dataset using (true)',
    ],
    [
      'membership while dataset is away',
      'alter table membership add column planted int; alter table dataset add column planted int',
    ],
    [
      'dataset while membership is away',
      'alter table membership add column planted int',
      'create table planted (id uuid, tenant_id uuid, foreign key (tenant_id, id) references dataset (tenant_id, id))',
    ],
  ])('is reported: %s', async (wait, ...statements) => {
    expect(await inTransaction('rollback', statements)).toEqual([wait]);
  });

  it('may take one table away once it has all others', async () => {
    expect(
      await inTransaction('rollback', [
        'create table planted (id uuid, tenant_id uuid, foreign key (tenant_id, id) references dataset (tenant_id, id))',
        'alter table planted add column n int',
        'alter table membership add column planted int',
        'create policy planted on membership using (true)',
      ]),
    ).toEqual([]);
  });
});
