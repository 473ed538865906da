import { setTimeout as sleep } from 'node:timers/promises';
import { type DirectConnection, directConnection, escapeLiteral } from './direct-connection.js';
import { MIGRATIONS } from '../migrations/list.js';
import { APP, AUTH, INGEST, PLATFORM } from '../migrations/table-policies.js';
import { ChangedMigrationError, OutdatedDatabaseError, UnfinishedRestoreError } from './outdated-database.js';
import { migrationHash, type NamedMigration, type Patience, runMigration } from './run-migration.js';

export interface Passwords {
  readonly app: string;
  readonly platform: string;
  readonly auth: string;
  readonly ingest: string;
}

/** Called while migrations run. */
export interface MigrationReport {
  /** @param place among those of this call, from 1 to `of` */
  applied(name: string, place: number, of: number, ms: number): void;
  /** It goes on later by itself; the text says why, and when. */
  waits(text: string): void;
}

export interface MigrateOptions {
  /** Role that owns the schema; never used to serve. The server's own address: locks do not pass a pooler. */
  readonly ownerUrl: string;
  /** Passwords the serving roles log in with; null leaves the logins to the database's administrator. */
  readonly passwords: Passwords | null;
  readonly report?: MigrationReport;
  /** For a restore: it alone goes on with a database that it has not finished. */
  readonly isRestore?: boolean;
  /** Default: every migration of this version, in order. */
  readonly migrations?: readonly NamedMigration[];
  readonly patience?: Patience;
}

export interface Migrated {
  readonly applied: string[];
  /** Applied by a later release, and not known to this one. */
  readonly later: string[];
}

/** Is there from the moment at which a restore begins to fill database and bucket until it has ended. */
export const UNFINISHED_RESTORE = 'unfinished_restore';

const MIGRATION_LOCK = 7_201_001;
const ASK_FOR_TURN_EVERY_MS = 500;

/** Names of migrations from before the first release, which the baselines do not continue. */
const BEFORE_BASELINES = /^m\d{4}-/;

/** As the library made it for 0.1.0, and with the hash of what was run, which a migration adds to databases of 0.1.0. */
const APPLIED_TABLE = `create table if not exists mikro_orm_migrations (
  id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp(6),
  sql_hash text)`;

/**
 * Brings the schema up to date, each migration in a transaction of its own. Safe to run by several processes at once, also on
 * several machines: they take turns, and whoever comes later finds nothing to do. One that was cut short goes on where it was.
 * @throws OutdatedDatabaseError when the database was made before the first release
 * @throws ChangedMigrationError when a migration was applied in another form, by a version that was never released
 * @throws UnfinishedRestoreError when a restore into it was cut short
 * @throws MigrationError naming the migration that cannot be applied; those before it stay
 */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const client = directConnection({
    connectionString: options.ownerUrl,
    application_name: 'visionops-migrate',
  });
  // A connection that is lost fails the statement under way; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await takeTurn(client, options.report);
    const known = await appliedMigrations(client);
    const outdated = known.find((name) => BEFORE_BASELINES.test(name));
    if (outdated !== undefined) throw new OutdatedDatabaseError(outdated);
    if (options.isRestore !== true && (await hasTable(client, UNFINISHED_RESTORE)))
      throw new UnfinishedRestoreError();
    const migrations = options.migrations ?? MIGRATIONS;
    await assertUnchanged(client, migrations);
    const applied = await applyMissing(client, known, migrations, options);
    // A database that was not used for long, or is an old backup, has no partitions for today.
    await client.query('select create_partitions_ahead()');
    if (options.passwords) await setLogins(client, options.passwords);
    const names = new Set(migrations.map(({ name }) => name));
    return { applied, later: known.filter((name) => !names.has(name)) };
  } finally {
    await client.end();
  }
}

/**
 * Holds the lock for as long as the connection that migrates. Asks again and again: a session that waits for the lock inside
 * a statement would be waited for by `create index concurrently`, which would never end.
 */
async function takeTurn(client: DirectConnection, report?: MigrationReport): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.held === true) return;
    if (tries === 0) report?.waits('another process migrates this database; this one waits for its turn');
    await sleep(ASK_FOR_TURN_EVERY_MS);
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

async function assertUnchanged(
  client: DirectConnection,
  migrations: readonly NamedMigration[],
): Promise<void> {
  if (!(await hasTable(client, MIGRATIONS_TABLE))) return;
  // 0.1.0 had no such column, and recorded no hash.
  const { rows } = await client.query<{ name: string; hash: string }>(
    `select name, to_jsonb(m)->>'sql_hash' as hash from mikro_orm_migrations m where to_jsonb(m)->>'sql_hash' is not null`,
  );
  const applied = new Map(rows.map(({ name, hash }) => [name, hash]));
  for (const migration of migrations) {
    const hash = applied.get(migration.name);
    if (hash !== undefined && hash !== (await migrationHash(migration)))
      throw new ChangedMigrationError(migration.name);
  }
}

async function applyMissing(
  client: DirectConnection,
  known: readonly string[],
  migrations: readonly NamedMigration[],
  { report, patience }: MigrateOptions,
): Promise<string[]> {
  const missing = migrations.filter(({ name }) => !known.includes(name));
  if (missing.length > 0) await client.query(APPLIED_TABLE);
  for (const [index, migration] of missing.entries()) {
    const startedAt = Date.now();
    await runMigration(client, migration, { waits: (text) => report?.waits(text), patience });
    report?.applied(migration.name, index + 1, missing.length, Date.now() - startedAt);
  }
  return missing.map(({ name }) => name);
}

async function setLogins(client: DirectConnection, passwords: Passwords): Promise<void> {
  const roles = [
    [APP, passwords.app],
    [PLATFORM, passwords.platform],
    [AUTH, passwords.auth],
    [INGEST, passwords.ingest],
  ] as const;
  for (const [role, password] of roles) {
    await client.query(`alter role ${role} login password ${escapeLiteral(password)}`);
  }
}
