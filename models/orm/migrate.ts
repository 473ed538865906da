import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import pg from 'pg';
import { APP, INGEST, PLATFORM } from './migrations/house.js';
import { MIGRATIONS } from './migrations/list.js';

export interface MigrateOptions {
  /** Role that owns the schema; never used to serve. */
  readonly ownerUrl: string;
  /** Passwords the serving roles log in with; null leaves the logins to the database's administrator. */
  readonly passwords: { readonly app: string; readonly platform: string; readonly ingest: string } | null;
}

const MIGRATION_LOCK = 7_201_001;

/** Brings the schema up to date. Safe to run by several processes at once: the second waits and finds nothing to do. */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: options.ownerUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = (await isCurrent(client)) ? [] : await runMigrations(options.ownerUrl);
    if (options.passwords) await setLogins(client, options.passwords);
    return { applied };
  } finally {
    await client.end();
  }
}

async function isCurrent(client: pg.Client): Promise<boolean> {
  const exists = await client.query("select to_regclass('public.mikro_orm_migrations') is not null as found");
  if (exists.rows[0]?.found !== true) return false;
  const rows = await client.query<{ name: string }>('select name from mikro_orm_migrations');
  const names = new Set(rows.rows.map((row) => row.name));
  return MIGRATIONS.every((migration) => names.has(migration.name));
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
    const done = await (orm as unknown as { migrator: { up(): Promise<Array<{ name: string }>> } }).migrator.up();
    return done.map((migration) => migration.name);
  } finally {
    await orm.close(true);
  }
}

async function setLogins(client: pg.Client, passwords: { app: string; platform: string; ingest: string }): Promise<void> {
  const roles = [
    [APP, passwords.app],
    [PLATFORM, passwords.platform],
    [INGEST, passwords.ingest],
  ] as const;
  for (const [role, password] of roles) await client.query(`alter role ${role} login password ${pg.escapeLiteral(password)}`);
}
