import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { ensurePackages, unpack } from '../../cli/engines/debian-packages.js';
import type { EngineHandle } from '../../cli/engines/engine.js';
import { baseEnvironment, launch } from '../../cli/engines/launch.js';
import { choosePorts } from '../../cli/engines/ports.js';
import { databaseUser } from '../../cli/engines/postgres-binaries.js';
import { startEngine } from '../../cli/engines/start-engine.js';

export interface PoolerOptions {
  /** The user of the database must be able to pass it. */
  readonly dataDir: string;
  readonly postgresPort: number;
  /** By role without its prefix. */
  readonly passwords: Readonly<Record<'app' | 'platform' | 'ingest', string>>;
}

/** Starts a program again half a second after it has ended, as a machine does; a signal ends both. */
const RESPAWN =
  'trap \'kill -9 "$child" 2>/dev/null; exit 0\' INT TERM; while :; do "$@" & child=$!; wait "$child"; sleep 0.5; done';

/** PgBouncer in transaction mode in front of a PostgreSQL; the process is a shell that starts it again when it is killed. */
export async function startPooler(options: PoolerOptions): Promise<EngineHandle<'pooler'>> {
  const found = await ensurePackages('pgbouncer');
  if (found.files === null) throw new Error(found.reason);
  const root = join(options.dataDir, 'pooler');
  mkdirSync(root, { recursive: true, mode: 0o755 });
  await unpack(found.files, root);
  const logFile = join(options.dataDir, 'logs', 'pooler.log');
  const user = databaseUser();
  return startEngine<'pooler'>(
    {
      name: 'pooler',
      title: 'PgBouncer',
      logFile,
      signal: 'SIGINT',
      graceMs: 5000,
      choosePorts: async (wanted) => ({ pooler: (await choosePorts([wanted.pooler]))[0] as number }),
      launch: ({ pooler }) => {
        writeConfiguration(root, pooler, options);
        return launch({
          command: '/bin/sh',
          args: ['-c', RESPAWN, 'pooler', join(root, 'usr/sbin/pgbouncer'), join(root, 'pgbouncer.ini')],
          env: { ...baseEnvironment(), LD_LIBRARY_PATH: join(root, 'usr/lib/x86_64-linux-gnu') },
          cwd: '/',
          logFile,
          ...(user === null ? {} : { runAs: user }),
        });
      },
      probe: async ({ pooler }) => {
        const url = `postgresql://visionops_app:${options.passwords.app}@127.0.0.1:${pooler}/visionops`;
        const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
        client.on('error', () => undefined);
        await client.connect();
        await client.end();
      },
    },
    { dataDir: options.dataDir },
  );
}

function writeConfiguration(root: string, port: number, { postgresPort, passwords }: PoolerOptions): void {
  const logins = Object.entries(passwords).map(([role, password]) => `"visionops_${role}" "${password}"`);
  writeFileSync(join(root, 'logins.txt'), logins.join('\n'));
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: join(root, 'logins.txt'),
    pool_mode: 'transaction',
    // Fewer than a process has connections, so that transactions take turns on the same ones.
    default_pool_size: 6,
    max_client_conn: 2000,
    // Asked again soon after the database was away; the default is 15 s.
    server_login_retry: 1,
    // Tests make databases and drop them.
    server_idle_timeout: 5,
  };
  writeFileSync(
    join(root, 'pgbouncer.ini'),
    `[databases]\n* = host=127.0.0.1 port=${postgresPort}\n[pgbouncer]\n${Object.entries(lines)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('')}`,
  );
}
