import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { type DirectConnection, directConnection, escapeLiteral } from './direct-connection.js';
import { MIGRATIONS } from '../migrations/list.js';
import { APP, AUTH, INGEST, PLATFORM } from '../migrations/table-policies.js';
import { OutdatedDatabaseError } from './outdated-database.js';

interface Passwords {
  readonly app: string;
  readonly platform: string;
  readonly auth: string;
  readonly ingest: string;
}

export interface MigrateOptions {
  /** Role that owns the schema; never used to serve. */
  readonly ownerUrl: string;
  /** Passwords the serving roles log in with; null leaves the logins to the database's administrator. */
  readonly passwords: Passwords | null;
}

const MIGRATION_LOCK = 7_201_001;

/** Names of migrations from before the first release, which the baselines do not continue. */
const BEFORE_BASELINES = /^m\d{4}-/;

/**
 * Brings the schema up to date. Safe to run by several processes at once: the second waits and finds nothing
 * to do.
 * @throws OutdatedDatabaseError when it was made before the first release
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const client = directConnection({ connectionString: options.ownerUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const known = await appliedMigrations(client);
    const outdated = known.find((name) => BEFORE_BASELINES.test(name));
    if (outdated !== undefined) throw new OutdatedDatabaseError(outdated);
    const isCurrent = MIGRATIONS.every((migration) => known.includes(migration.name));
    const applied = isCurrent ? [] : await runMigrations(options.ownerUrl);
    // A database that was not used for long, or is an old backup, has no partitions for today.
    await client.query('select create_partitions_ahead()');
    if (options.passwords) await setLogins(client, options.passwords);
    return { applied };
  } finally {
    await client.end();
  }
}

async function appliedMigrations(client: DirectConnection): Promise<string[]> {
  const exists = await client.query("select to_regclass('public.mikro_orm_migrations') is not null as found");
  if (exists.rows[0]?.found !== true) return [];
  const rows = await client.query<{ name: string }>('select name from mikro_orm_migrations order by name');
  return rows.rows.map((row) => row.name);
}

async function runMigrations(ownerUrl: string): Promise<string[]> {
  const orm = await MikroORM.init({
    clientUrl: ownerUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList: MIGRATIONS, snapshot: false, allOrNothing: true, silent: true },
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
    [AUTH, passwords.auth],
    [INGEST, passwords.ingest],
  ] as const;
  for (const [role, password] of roles) {
    await client.query(`alter role ${role} login password ${escapeLiteral(password)}`);
  }
}
