import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type EngineHandle, EngineError } from './engine.js';
import { baseEnvironment, launch } from './launch.js';
import { choosePorts } from './ports.js';
import {
  canReach,
  type DatabaseUser,
  databaseUser,
  postgresHome,
  sharedFolderOf,
} from './postgres-binaries.js';
import { type StartOptions, startEngine } from './start-engine.js';

const run = promisify(execFile);

export const OWNER_ROLE = 'visionops_owner';
export const DATABASE_NAME = 'visionops';

export interface PostgresOptions extends StartOptions {
  readonly ownerPassword: string;
  /** For tests: nothing survives a power cut, but everything is quicker. */
  readonly fast?: boolean;
}

export interface PostgresHandle extends EngineHandle<'postgres'> {
  /** Where the cluster's files are: elsewhere than the data directory when its user cannot reach that. */
  readonly location: string;
}

/** Starts the packaged PostgreSQL on the data directory, which is made on first use, with the database `visionops`. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresHandle> {
  const user = databaseUser();
  const home = postgresHome(user);
  const location = await ensureCluster(home, user, options);
  const logFile = join(options.dataDir, 'logs', 'postgres.log');
  const handle = await startEngine<'postgres'>(
    {
      name: 'postgres',
      title: 'PostgreSQL',
      logFile,
      // A fast shutdown: sessions are ended, a checkpoint is written.
      signal: 'SIGINT',
      graceMs: 15_000,
      choosePorts: async (wanted) => ({ postgres: (await choosePorts([wanted.postgres]))[0] as number }),
      launch: ({ postgres: port }) =>
        launch({
          command: join(home, 'bin', 'postgres'),
          args: ['-D', location, ...flags(port, options.fast === true)],
          env: { ...baseEnvironment(), LC_MESSAGES: 'C' },
          cwd: '/',
          logFile,
          ...(user === null ? {} : { runAs: user }),
        }),
      probe: ({ postgres: port }) => ensureDatabase(port, options.ownerPassword),
    },
    options,
  );
  return { ...handle, location };
}

/** The connection string of the owner, who migrates and never serves. */
export const ownerUrl = (port: number, password: string, database = DATABASE_NAME): string =>
  `postgresql://${OWNER_ROLE}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

/** @throws EngineError while the provisioned database has no port yet */
export function requirePort(port: number | undefined): number {
  if (port === undefined)
    throw new EngineError(
      'The database is just starting: wait until the platform is ready and run the command again.',
    );
  return port;
}

/** Addresses of the serving roles in the provisioned database. */
export function servingUrls(
  port: number,
  passwords: { readonly app: string; readonly platform: string },
): { readonly appUrl: string; readonly platformUrl: string } {
  const login = (role: 'app' | 'platform') =>
    `postgresql://visionops_${role}:${passwords[role]}@127.0.0.1:${port}/${DATABASE_NAME}`;
  return { appUrl: login('app'), platformUrl: login('platform') };
}

function flags(port: number, fast: boolean): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 60,
    // A list of the audit trail locks each month with its indexes.
    max_locks_per_transaction: 256,
    shared_buffers: '128MB',
    wal_compression: 'on',
    max_wal_size: '512MB',
    jit: 'off',
    log_min_messages: 'warning',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(fast
      ? {
          fsync: 'off',
          synchronous_commit: 'off',
          full_page_writes: 'off',
          max_connections: 200,
          autovacuum_naptime: '10s',
          // Files of a database that is a copy share what is the same, where the file system can.
          file_copy_method: 'clone',
        }
      : {}),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function ensureCluster(
  home: string,
  user: DatabaseUser | null,
  options: PostgresOptions,
): Promise<string> {
  const location = chooseLocation(user, options.dataDir);
  if (existsSync(join(location, 'PG_VERSION'))) return location;
  if (existsSync(location))
    throw new EngineError(
      `${location} holds no PostgreSQL cluster but is in its place: move it away and start again.`,
    );
  await initCluster(home, user, location, options);
  return location;
}

/** In the data directory, or in a shared folder when the database's user cannot pass the folders above it. */
function chooseLocation(user: DatabaseUser | null, dataDir: string): string {
  const usual = join(resolve(dataDir), 'postgres');
  if (user === null || canReach(user, resolve(dataDir))) return usual;
  const elsewhere = sharedFolderOf(dataDir);
  mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
  return join(elsewhere, 'postgres');
}

/** initdb works in a folder beside the place; the rename makes the cluster appear whole or not at all. */
async function initCluster(
  home: string,
  user: DatabaseUser | null,
  location: string,
  options: PostgresOptions,
): Promise<void> {
  const work = mkdtempSync(join(dirname(location), '.initdb-'));
  const passwordFile = join(work, 'password');
  const cluster = join(work, 'cluster');
  try {
    chmodSync(work, 0o755);
    mkdirSync(cluster, { mode: 0o700 });
    writeFileSync(passwordFile, `${options.ownerPassword}\n`, { mode: 0o600 });
    if (user !== null) for (const path of [cluster, passwordFile]) chownSync(path, user.uid, user.gid);
    const args = [
      `--pgdata=${cluster}`,
      '--auth=scram-sha-256',
      `--username=${OWNER_ROLE}`,
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      ...localeArgs(),
    ];
    await run(join(home, 'bin', 'initdb'), options.fast === true ? [...args, '--no-sync'] : args, {
      env: { ...baseEnvironment(), LC_ALL: 'C' },
      cwd: '/',
      ...(user ?? {}),
    });
    rmSync(passwordFile);
    renameSync(cluster, location);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new EngineError(
      `PostgreSQL could not make its files in ${location}: ${(stderr || message).trim().split('\n').at(-1)}`,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The builtin provider sorts by code point, alike on every machine; the C library's locale only classifies. */
const localeArgs = (): string[] => ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

async function ensureDatabase(port: number, password: string): Promise<void> {
  const client = new pg.Client({
    connectionString: ownerUrl(port, password, 'postgres'),
    connectionTimeoutMillis: 2_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE_NAME]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE_NAME}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}
