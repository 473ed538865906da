import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensurePackages, unpack } from '../../../cli/engines/debian-packages.js';

/** Debian's nftables, or the reason why there is none. */
export type Nftables =
  | { readonly command: readonly string[]; readonly reason: null }
  | { readonly command: null; readonly reason: string };

/** @param folder to unpack it into */
export async function nftables(folder: string): Promise<Nftables> {
  const found = await ensurePackages('nftables');
  if (found.files === null) return { command: null, reason: found.reason };
  await unpack(found.files, folder);
  const libraries = `LD_LIBRARY_PATH=${join(folder, 'usr/lib/x86_64-linux-gnu')}`;
  const command = ['env', libraries, join(folder, 'usr/sbin/nft')];
  const look = spawnSync('unshare', ['--net', ...command, 'list', 'tables'], { encoding: 'utf8' });
  if (look.status === 0) return { command, reason: null };
  return { command: null, reason: `nftables cannot be used here: ${look.stderr.trim()}` };
}
