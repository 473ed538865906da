import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { workloadsRoot } from '../../adapters/process/workload-dirs.js';
import { isInside } from './files.js';
import { StateFile } from './state.js';

/** A process that was just killed may still have made a file in a folder that is being removed. */
const REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 } as const;

/** Removes what an installation keeps outside its data directory, where others could not reach it. */
export function wipeElsewhere(dataDir: string, databaseLocation: string | null): void {
  if (databaseLocation !== null && !isInside(dataDir, databaseLocation))
    rmSync(dirname(databaseLocation), REMOVE);
  rmSync(workloadsRoot(dataDir), REMOVE);
}

/**
 * Moves an installation aside, into new folders beside those it is in, named after them and the time. Everything of it
 * must have been stopped.
 * @param database where its database's files are; null where it has none yet
 * @param names what of the data directory is the installation's
 * @returns the new folders
 */
export function moveAside(dataDir: string, database: string | null, names: readonly string[]): string[] {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const places = database === null ? [workloadsRoot(dataDir)] : [database, workloadsRoot(dataDir)];
  const outside = places.filter((place) => !isInside(dataDir, place));
  const folders = [...new Set(outside.map((place) => dirname(place)))].filter((folder) => existsSync(folder));
  for (const folder of folders) renameSync(folder, `${folder}-${time}`);
  const aside = `${resolve(dataDir)}-${time}`;
  mkdirSync(aside, { mode: statSync(dataDir).mode & 0o777 });
  const found = names.filter((name) => existsSync(join(dataDir, name)));
  for (const name of found) renameSync(join(dataDir, name), join(aside, name));
  return [aside, ...folders.map((folder) => `${folder}-${time}`)];
}

/** Removes an installation whole, its data directory included. Everything of it must have been stopped. */
export function wipeAll(dataDir: string): void {
  wipeElsewhere(dataDir, new StateFile(dataDir).current.databaseLocation);
  rmSync(dataDir, REMOVE);
}
