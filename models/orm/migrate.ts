import type { MigrationObject } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { type DirectConnection, directConnection, escapeLiteral } from './direct-connection.js';
import { MIGRATIONS } from '../migrations/list.js';
import { APP, INGEST, PLATFORM } from '../migrations/table-policies.js';
import { OutdatedDatabaseError, UnfinishedRestoreError } from './outdated-database.js';

interface Passwords {
  readonly app: string;
  readonly platform: string;
  readonly ingest: string;
}

export interface MigrateOptions {
  /** Role that owns the schema; never used to serve. */
  readonly ownerUrl: string;
  /** Passwords the serving roles log in with; null leaves the logins to the database's administrator. */
  readonly passwords: Passwords | null;
  /** For a restore: it alone goes on with a database that it has not finished. */
  readonly isRestore?: boolean;
  /** Only these migrations: the schema of an earlier version, whose rows are about to be loaded. */
  readonly only?: readonly string[];
}

/** Is there from the moment at which a restore loads rows until it has ended. */
export const UNFINISHED_RESTORE = 'unfinished_restore';

const MIGRATION_LOCK = 7_201_001;

/** Names of migrations from before the first release, which the baselines do not continue. */
const BEFORE_BASELINES = /^m\d{4}-/;

/**
 * Brings the schema up to date. Safe to run by several processes at once: the second waits and finds nothing
 * to do.
 * @throws OutdatedDatabaseError when it was made before the first release
 * @throws UnfinishedRestoreError when a restore into it was cut short
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const client = directConnection({ connectionString: options.ownerUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const known = await appliedMigrations(client);
    const outdated = known.find((name) => BEFORE_BASELINES.test(name));
    if (outdated !== undefined) throw new OutdatedDatabaseError(outdated);
    if (options.isRestore !== true && (await hasTable(client, UNFINISHED_RESTORE)))
      throw new UnfinishedRestoreError();
    const wanted = MIGRATIONS.filter(({ name }) => options.only?.includes(name) ?? true);
    const isCurrent = wanted.every((migration) => known.includes(migration.name));
    const applied = isCurrent ? [] : await runMigrations(options.ownerUrl, wanted);
    // A database that was not used for long, or is an old backup, has no partitions for today.
    await client.query('select create_partitions_ahead()');
    if (options.passwords) await setLogins(client, options.passwords);
    return { applied };
  } finally {
    await client.end();
  }
}

export const releaseMigrations = async (client: DirectConnection): Promise<void> =>
  void (await client.query('select pg_advisory_unlock_shared($1)', [MIGRATION_LOCK]));

/** Keeps everybody from migrating until it is released, or the connection ends. @returns false while somebody does */
export async function holdOffMigrations(client: DirectConnection): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock_shared($1) as held', [
    MIGRATION_LOCK,
  ]);
  return rows[0]?.held === true;
}

export async function hasTable(client: DirectConnection, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    `public.${name}`,
  ]);
  return rows[0]?.found === true;
}

/** The tool's own table, which every database makes for itself. */
export const MIGRATIONS_TABLE = 'mikro_orm_migrations';

/** In the order in which they were applied; none when the database has no schema of ours. */
export async function appliedMigrations(client: DirectConnection): Promise<string[]> {
  if (!(await hasTable(client, MIGRATIONS_TABLE))) return [];
  const rows = await client.query<{ name: string }>('select name from mikro_orm_migrations order by name');
  return rows.rows.map((row) => row.name);
}

async function runMigrations(ownerUrl: string, migrationsList: MigrationObject[]): Promise<string[]> {
  const orm = await MikroORM.init({
    clientUrl: ownerUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList, snapshot: false, allOrNothing: true, silent: true },
  });
  try {
    const { migrator } = orm as unknown as { migrator: { up(): Promise<Array<{ name: string }>> } };
    const done = await migrator.up();
    return done.map((migration) => migration.name);
  } finally {
    await orm.close(true);
  }
}

async function setLogins(client: DirectConnection, passwords: Passwords): Promise<void> {
  const roles = [
    [APP, passwords.app],
    [PLATFORM, passwords.platform],
    [INGEST, passwords.ingest],
  ] as const;
  for (const [role, password] of roles) {
    await client.query(`alter role ${role} login password ${escapeLiteral(password)}`);
  }
}
