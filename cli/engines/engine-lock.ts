import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const platformPin = z.object({ wheelSha256: z.string().length(64), binarySha256: z.string().length(64) });

const binaryPin = z.object({
  version: z.string(),
  /** Environment variable that names a binary of one's own. */
  variable: z.string(),
  binary: z.string(),
  package: z.string(),
  sizeMb: z.number(),
  versionCommand: z.array(z.string()),
  versionPattern: z.string(),
  /** The least version that a binary of one's own may have. */
  minimum: z.string(),
  platforms: z.record(z.string(), platformPin),
});

const jarPin = z.object({
  version: z.string(),
  coordinates: z.string(),
  sizeMb: z.number(),
  jars: z.record(z.string(), z.string().length(64)),
});

const packagePin = z.object({
  title: z.string(),
  version: z.string(),
  sizeMb: z.number(),
  /** By `name=version`, as Debian's package manager takes it. */
  packages: z.record(z.string(), z.string().length(64)),
});

const lockSchema = z.object({
  temporal: binaryPin,
  weed: binaryPin,
  'temporal-test-server': jarPin,
  pgbouncer: packagePin,
  buildah: packagePin,
  nftables: packagePin,
});

export type BinaryPin = z.infer<typeof binaryPin>;
export type BinaryName = 'temporal' | 'weed';
export type PackageSet = 'pgbouncer' | 'buildah' | 'nftables';

/** The repository's root, from the compiled file as well as from the source. */
export function projectRoot(): string {
  const here = fileURLToPath(new URL('../..', import.meta.url));
  return here.endsWith('/dist/') ? join(here, '..') : here;
}

/** Versions and sha256 of every engine that is fetched. */
export const readEngineLock = () =>
  lockSchema.parse(
    JSON.parse(readFileSync(join(projectRoot(), 'scripts/engines/engines.lock.json'), 'utf8')),
  );

/** Where engines are kept: outside the repository, so that every clone on the machine shares them. */
export const cacheDir = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'visionops');

export const platformKey = (): string => `${process.platform}-${process.arch}`;
