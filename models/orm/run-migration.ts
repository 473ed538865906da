import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Migration } from '@mikro-orm/migrations';
import type { DirectConnection } from './direct-connection.js';
import { MigrationError } from './migration-error.js';

export interface NamedMigration {
  readonly name: string;
  readonly class: new (...args: never[]) => unknown;
}

export interface Patience {
  /** A statement that waits for a lock holds up everybody who comes after it: it gives up so soon. */
  readonly lockTimeoutMs: number;
  /** Before the second try; twice as long each time, up to the longest pause. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  readonly tries: number;
}

/** Ten minutes of others' long transactions. */
const PATIENCE: Patience = { lockTimeoutMs: 3_000, firstPauseMs: 1_000, longestPauseMs: 30_000, tries: 22 };

/** lock_not_available and deadlock_detected: another session was first, and a later try may succeed. */
const BLOCKED = new Set(['55P03', '40P01']);

/** Who may hold the lock. An owner without pg_read_all_stats learns nothing of others' transactions: then nobody is named. */
const OLDEST_TRANSACTION = `select pid, application_name as name, date_trunc('second', now() - xact_start)::text as age
  from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
  order by xact_start limit 1`;

interface Run {
  readonly waits: (text: string) => void;
  readonly patience?: Patience | undefined;
}

async function sqlOf({ class: Class }: NamedMigration) {
  const migration = new Class() as Migration;
  await migration.up();
  return { isTransactional: migration.isTransactional(), statements: migration.getQueries().map(String) };
}

const hashOf = (statements: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(statements)).digest('hex');

/** Differs where a migration was applied in another form than it has here. */
export const migrationHash = async (migration: NamedMigration): Promise<string> =>
  hashOf((await sqlOf(migration)).statements);

/**
 * Applies one migration and records it, in one transaction. One that is not transactional runs statement by statement.
 * Recorded afterwards, so its statements must be repeatable.
 * @throws MigrationError when a statement fails, or no try got its locks
 */
export async function runMigration(
  client: DirectConnection,
  migration: NamedMigration,
  { waits, patience = PATIENCE }: Run,
): Promise<void> {
  const { name } = migration;
  const { isTransactional, statements } = await sqlOf(migration);
  const work = isTransactional
    ? () => inTransaction(client, name, statements, patience.lockTimeoutMs)
    : () => oneByOne(client, name, statements);
  let pauseMs = patience.firstPauseMs;
  for (let left = patience.tries; ; left -= 1) {
    const failure = await work().then(
      () => null,
      (error: Error & { code?: string }) => error,
    );
    if (failure === null) return;
    if (!BLOCKED.has(failure.code ?? '')) throw MigrationError.failed(name, failure);
    const holder = await oldestTransaction(client);
    if (left <= 1) throw MigrationError.blocked(name, patience.tries, holder, failure);
    waits(
      `${name} waits for a lock that another session holds${holder}; it tries again in ${pauseMs / 1000} s`,
    );
    await sleep(pauseMs);
    pauseMs = Math.min(2 * pauseMs, patience.longestPauseMs);
  }
}

const recordApplied = (client: DirectConnection, name: string, statements: readonly string[]) =>
  client.query('insert into mikro_orm_migrations (name, sql_hash) values ($1, $2)', [
    name,
    hashOf(statements),
  ]);

async function inTransaction(
  client: DirectConnection,
  name: string,
  statements: readonly string[],
  lockTimeoutMs: number,
): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    for (const statement of statements) await client.query(statement);
    await recordApplied(client, name, statements);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Without a limit: what is made concurrently lets others pass while it waits. */
async function oneByOne(
  client: DirectConnection,
  name: string,
  statements: readonly string[],
): Promise<void> {
  await client.query('set lock_timeout = 0');
  for (const statement of statements) await client.query(statement);
  await recordApplied(client, name, statements);
}

async function oldestTransaction(client: DirectConnection): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; age: string }>(OLDEST_TRANSACTION);
  const [oldest] = rows;
  if (oldest === undefined) return '';
  return ` (the oldest transaction is ${oldest.age} old, of process ${oldest.pid}, ${oldest.name || 'without a name'})`;
}
