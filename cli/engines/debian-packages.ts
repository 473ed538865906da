import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir, type PackageSet, platformKey, readEngineLock } from './engine-lock.js';
import { sha256Of } from './fetch-engine.js';

const run = promisify(execFile);

/** Packages of Debian for the tests, or the reason why there are none. */
export type Packages =
  | { readonly files: readonly string[]; readonly reason: null }
  | { readonly files: null; readonly reason: string };

/**
 * Fetches pinned packages of Debian once, each checked against its pin, with package lists of their own: those of the
 * machine may be missing or old, and stay as they are. Nothing is installed.
 */
export async function ensurePackages(name: PackageSet): Promise<Packages> {
  const pin = readEngineLock()[name];
  if (platformKey() !== 'linux-x64' || !(await has('apt-get')) || !(await has('dpkg-deb')))
    return {
      files: null,
      reason: `${pin.title} ${pin.version} is fetched as a package of Debian for x86-64`,
    };
  const folder = join(cacheDir(), 'engines', `${name}-${pin.version}`);
  try {
    if (!(await matchesPins(folder, pin.packages))) await fetchPackages(folder, pin.packages);
  } catch (error) {
    return { files: null, reason: `${pin.title} ${pin.version} cannot be fetched: ${lastLine(error)}` };
  }
  return { files: (await readdir(folder)).map((file) => join(folder, file)), reason: null };
}

/** Lays the files of packages below a folder. */
export async function unpack(packages: readonly string[], folder: string): Promise<void> {
  for (const file of packages) await run('dpkg-deb', ['-x', file, folder]);
}

export const has = (command: string): Promise<boolean> =>
  run(command, ['--version']).then(
    () => true,
    () => false,
  );

async function matchesPins(folder: string, pins: Readonly<Record<string, string>>): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const found = await Promise.all((await readdir(folder)).map((file) => sha256Of(join(folder, file))));
  return found.sort().join() === Object.values(pins).sort().join();
}

const fetchPackages = (folder: string, pins: Readonly<Record<string, string>>): Promise<void> =>
  inOwnLists(folder, async (work, own) => {
    const packages = join(work, 'packages');
    await mkdir(packages);
    await run('apt-get', [...own, 'download', ...Object.keys(pins)], { cwd: packages, timeout: 60_000 });
    if (!(await matchesPins(packages, pins))) throw new Error('a package differs from its pin');
    return packages;
  });

/**
 * Unpacks a package and all that this machine lacks for it into a folder, in the versions that Debian has now, by the signatures
 * of Debian. For what Debian renews so often that a pin would be gone within weeks.
 */
export const unpackNewest = (folder: string, name: string): Promise<void> =>
  inOwnLists(folder, async (work, own) => {
    const order = ['-o', 'Debug::NoLocking=1', '--download-only', '--no-install-recommends', '--yes'];
    await run('apt-get', [...own, ...order, 'install', name], { timeout: 180_000 });
    const archives = join(work, 'cache/archives');
    const files = (await readdir(archives)).filter((file) => file.endsWith('.deb'));
    const root = join(work, 'root');
    await mkdir(root);
    await unpack(
      files.map((file) => join(archives, file)),
      root,
    );
    return root;
  });

/**
 * Lets apt work on lists of its own and puts what comes of it in the folder's place.
 * @param make gets a folder to work in and the options of apt, and answers with a folder in it
 */
async function inOwnLists(
  folder: string,
  make: (work: string, own: readonly string[]) => Promise<string>,
): Promise<void> {
  await mkdir(join(folder, '..'), { recursive: true });
  const work = await mkdtemp(join(folder, '..', '.fetch-'));
  try {
    for (const part of ['lists/partial', 'cache/archives/partial'])
      await mkdir(join(work, part), { recursive: true });
    const own = [
      ...['-o', `Dir::State::lists=${join(work, 'lists')}`, '-o', `Dir::Cache=${join(work, 'cache')}`],
      ...['-o', 'APT::Sandbox::User=root', '-qq'],
    ];
    await run('apt-get', [...own, 'update'], { timeout: 90_000 });
    const made = await make(work, own);
    await rm(folder, { recursive: true, force: true });
    await rename(made, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

export function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr?.trim().split('\n').at(-1) || message).slice(0, 200);
}
