import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What making a runtime's environment takes, as its catalog.yaml states it. */
export interface EnvironmentSize {
  readonly gigabytes: number;
  readonly seconds: number;
}

const STATED = /^environment: \{size_gb: (\d+(?:\.\d+)?), seconds: (\d+)\}$/m;
/** Size for a runtime that states nothing. */
const SMALL: EnvironmentSize = { gigabytes: 0.7, seconds: 20 };
/** pip keeps what it fetched beside what it unpacks of it. */
const WHILE_INSTALLING = 1.3;
const GB = 1e9;

export const environmentSize = async (runtimesDir: string, runtime: string): Promise<EnvironmentSize> =>
  (await statedSize(runtimesDir, runtime)) ?? SMALL;

/** Null where the runtime states nothing. */
export async function statedSize(runtimesDir: string, runtime: string): Promise<EnvironmentSize | null> {
  const text = await readFile(join(runtimesDir, runtime, 'catalog.yaml'), 'utf8').catch(() => '');
  const found = STATED.exec(text);
  return found && { gigabytes: Number(found[1]), seconds: Number(found[2]) };
}

/** For people, before it begins. */
export const sizeText = ({ gigabytes, seconds }: EnvironmentSize): string =>
  `made once, about ${gigabytes} GB and ${seconds} s`;

/** Why there is no room for the environment; null where there is. @param cacheDir may not exist yet */
export async function roomProblem(cacheDir: string, size: EnvironmentSize): Promise<string | null> {
  let folder = cacheDir;
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  const [free, needed] = [(bavail * bsize) / GB, size.gigabytes * WHILE_INSTALLING];
  return free >= needed
    ? null
    : `its environment takes ${needed.toFixed(1)} GB while it is made, and ${free.toFixed(1)} GB are free: make room on the disk of the cache.`;
}
