import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { workloadsRoot } from '../../activities/adapters/process/reachable-places.js';
import { isInside } from './files.js';
import { StateFile } from './state.js';

/** A process that was just killed may still have made a file in a folder that is being removed. */
const REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 } as const;

/** Removes what an installation keeps outside its data directory, where others could not reach it. */
export function wipeElsewhere(dataDir: string, databaseLocation: string | null): void {
  if (databaseLocation !== null && !isInside(dataDir, databaseLocation)) rmSync(dirname(databaseLocation), REMOVE);
  rmSync(workloadsRoot(dataDir), REMOVE);
}

/** Removes an installation whole, its data directory included. Everything of it must have been stopped. */
export function wipeAll(dataDir: string): void {
  wipeElsewhere(dataDir, new StateFile(dataDir).current.databaseLocation);
  rmSync(dataDir, REMOVE);
}
