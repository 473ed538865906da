import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Where workloads and their runtimes lie. Users without privileges must be able to pass every folder above them. */

export const isRoot = (): boolean => process.getuid?.() === 0;

/** Whether any user may pass the path and every folder above it; of a missing path its nearest existing ancestor counts. */
export function othersCanPass(path: string): boolean {
  let current = resolve(path);
  while (!existsSync(current)) current = dirname(current);
  for (current = realpathSync(current); ; current = dirname(current)) {
    if ((statSync(current).mode & 0o001) === 0) return false;
    if (current === dirname(current)) return true;
  }
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/**
 * Directory of the workloads of an installation: DATA_DIR/workloads, or, as root with a DATA_DIR that other users cannot
 * pass (below /root, or mode 0700), a directory of its own below /var/lib/visionops. A wipe of the installation removes it too.
 */
export function workloadsRoot(dataDir: string): string {
  const inside = join(resolve(dataDir), 'workloads');
  if (!isRoot() || othersCanPass(dataDir)) return inside;
  return join('/var/lib/visionops', shortHash(resolve(dataDir)), 'workloads');
}

/**
 * Where virtual environments are kept between clones: `$XDG_CACHE_HOME/visionops` or `~/.cache/visionops`; as root with a
 * home that other users cannot pass /var/cache/visionops.
 */
export function defaultCacheDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const base =
    env.XDG_CACHE_HOME && env.XDG_CACHE_HOME !== ''
      ? env.XDG_CACHE_HOME
      : join(env.HOME ?? homedir(), '.cache');
  const usual = join(base, 'visionops');
  return isRoot() && !othersCanPass(usual) ? '/var/cache/visionops' : usual;
}

/** Makes the directory with the rights that others need to pass it. */
export function ensurePassable(path: string): void {
  if (existsSync(path)) return;
  ensurePassable(dirname(path));
  mkdirSync(path, { recursive: true });
  // Not by the mode of mkdir, which the umask reduces.
  chmodSync(path, 0o755);
}
