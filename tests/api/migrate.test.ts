import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { ConcurrentIndex } from '../../models/migrations/concurrent-index.js';
import { MIGRATIONS } from '../../models/migrations/list.js';
import { migrate, type MigrateOptions } from '../../models/orm/migrate.js';
import { ChangedMigrationError } from '../../models/orm/outdated-database.js';
import { MigrationError } from '../../models/orm/migration-error.js';
import { type TestDatabase, testDatabase } from '../setup/engines.js';

const PATIENCE = { lockTimeoutMs: 300, firstPauseMs: 200, longestPauseMs: 400, tries: 50 };

const running = (name: string, ...statements: string[]) => ({
  name,
  class: class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
  },
});
const COUNTED_INDEX = {
  name: '29990101T0002-index',
  class: class extends ConcurrentIndex {
    protected readonly index = 'counted_n';
    protected readonly definition = 'on counted (n)';
  },
};

describe('migrations', () => {
  let clone: TestDatabase;
  let owner: pg.Client;
  let clients: pg.Client[];
  let waits: string[];
  beforeEach(async () => {
    [clients, waits] = [[], []];
    clone = await testDatabase();
    owner = await connect();
    await owner.query('create table counted (n int)');
    await owner.query('insert into counted select generate_series(1, 1000)');
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await clone.drop();
  });

  const connect = async () => {
    const client = new pg.Client({ connectionString: clone.ownerUrl, application_name: 'holder' });
    clients.push(client);
    await client.connect();
    return client;
  };
  const run = (added: ReadonlyArray<ReturnType<typeof running>>, over: Partial<MigrateOptions> = {}) =>
    migrate({
      ownerUrl: clone.ownerUrl,
      passwords: null,
      migrations: [...MIGRATIONS, ...added],
      patience: PATIENCE,
      report: { applied: () => undefined, waits: (text) => waits.push(text) },
      ...over,
    });
  const columns = async () =>
    (
      await owner.query(
        "select attname from pg_attribute where attrelid = 'counted'::regclass and attnum > 0 order by attnum",
      )
    ).rows.map(({ attname }) => attname);
  const indexes = async () =>
    (
      await owner.query(
        "select relname as name, indisvalid as valid from pg_index join pg_class on oid = indexrelid where indrelid = 'counted'::regclass",
      )
    ).rows;

  it('are transactions of their own: those before one that fails stay, and it is kept as a whole or not at all', async () => {
    const added = [
      running('29990101T0000-good', 'alter table counted add column a int'),
      running('29990101T0001-bad', 'alter table counted add column b int', 'select 1 / 0'),
    ];
    const refused = await run(added).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MigrationError);
    expect((refused as Error).message).toMatch(/29990101T0001-bad failed: division by zero.*migrate again/);
    expect(await columns()).toEqual(['n', 'a']);
    expect(await run([...added.slice(0, 1), running('29990101T0001-bad', 'select 1')])).toMatchObject({
      applied: ['29990101T0001-bad'],
    });
  });

  it('of a later release are named and left alone', async () => {
    await run([running('29990101T0000-later', 'select 1')]);
    expect(await run([])).toEqual({ applied: [], later: ['29990101T0000-later'] });
  });

  it('are refused where they were applied in another form, with the next step', async () => {
    const added = (type: string) => [
      running('29990101T0000-column', `alter table counted add column a ${type}`),
    ];
    await run(added('int'));
    const refused = await run(added('text')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ChangedMigrationError);
    expect((refused as Error).message).toMatch(
      /29990101T0000-column.* another form.*npm start -- reset --yes --aside/,
    );
    expect(await run(added('int'))).toEqual({ applied: [], later: [] });
    // As one that 0.1.0 applied.
    await owner.query("update mikro_orm_migrations set sql_hash = null where name like '2999%'");
    expect(await run(added('text'))).toEqual({ applied: [], later: [] });
  });

  it('wait in turns for a lock that another session holds, so that nobody queues behind them for long', async () => {
    const holder = await connect();
    await holder.query('begin');
    await holder.query('select count(*) from counted');
    const migrated = run([running('29990101T0000-column', 'alter table counted add column a int')]);
    const readMs: number[] = [];
    for (const until = Date.now() + 2_000; Date.now() < until; await sleep(20)) {
      const startedAt = Date.now();
      await owner.query('select count(*) from counted');
      readMs.push(Date.now() - startedAt);
    }
    await holder.query('commit');
    expect(await migrated).toMatchObject({ applied: ['29990101T0000-column'] });
    // Some had to wait for the lock that the migration waited for, none for as long as the other session held it.
    expect(Math.max(...readMs)).toBeGreaterThan(50);
    expect(Math.max(...readMs)).toBeLessThan(1_900);
    expect(waits.length).toBeGreaterThan(1);
    expect(waits[0]).toMatch(
      /^29990101T0000-column waits for a lock that another session holds \(the oldest transaction is 00:00:\d\d old, of process \d+, holder\); it tries again in 0.2 s$/,
    );
    expect(await columns()).toEqual(['n', 'a']);
  });

  it('give up with the next step when the lock is never let go', async () => {
    const holder = await connect();
    await holder.query('begin');
    await holder.query('select count(*) from counted');
    const column = running('29990101T0000-column', 'alter table counted add column a int');
    const refused = await run([column], { patience: { ...PATIENCE, tries: 2 } }).catch(
      (error: unknown) => error,
    );
    expect((refused as Error).message).toMatch(
      /got no lock in 2 tries \(the oldest.*holder\): end the transaction/,
    );
    await holder.query('rollback');
    expect(await columns()).toEqual(['n']);
  });

  it('make an index while the table is written to, in place of an invalid one that was left', async () => {
    await owner.query('insert into counted values (1)');
    await expect(owner.query('create unique index concurrently counted_n on counted (n)')).rejects.toThrow();
    expect(await indexes()).toEqual([{ name: 'counted_n', valid: false }]);
    const writer = await connect();
    await writer.query('begin');
    await writer.query('insert into counted values (2)');
    const migrated = run([COUNTED_INDEX]);
    await sleep(500);
    await owner.query('insert into counted values (3)');
    await writer.query('commit');
    expect(await migrated).toMatchObject({ applied: [COUNTED_INDEX.name] });
    expect(await indexes()).toEqual([{ name: 'counted_n', valid: true }]);
    // As after a crash between the index and the note that it is made.
    await owner.query('delete from mikro_orm_migrations where name = $1', [COUNTED_INDEX.name]);
    expect(await run([COUNTED_INDEX])).toMatchObject({ applied: [COUNTED_INDEX.name] });
    expect(await indexes()).toEqual([{ name: 'counted_n', valid: true }]);
  });

  it('of several machines take turns, also while an index is made', async () => {
    const slow = running('29990101T0001-slow', 'select pg_sleep(1)');
    const all = await Promise.all([1, 2, 3].map(() => run([slow, COUNTED_INDEX])));
    expect(all.map(({ applied }) => applied.length).sort()).toEqual([0, 0, 2]);
    expect(waits).toEqual(
      [1, 2].map(() => 'another process migrates this database; this one waits for its turn'),
    );
  });

  it('add a constraint unchecked and check it later, while rows are written', async () => {
    const writer = await connect();
    const unchecked = running(
      '29990101T0000-check',
      'alter table counted add constraint positive check (n > 0) not valid',
    );
    await run([unchecked]);
    await writer.query('begin');
    await writer.query('insert into counted values (5)');
    await expect(owner.query('insert into counted values (-1)')).rejects.toThrow('positive');
    await run([
      unchecked,
      running('29990101T0001-check', 'alter table counted validate constraint positive'),
    ]);
    expect(waits).toEqual([]);
    await writer.query('commit');
    const { rows } = await owner.query("select convalidated from pg_constraint where conname = 'positive'");
    expect(rows).toEqual([{ convalidated: true }]);
  });
});
