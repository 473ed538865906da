import { existsSync, readdirSync } from 'node:fs';
import { EngineError } from '../engines/engine.js';
import { backupFiles, diskError, makeFolder } from './folder.js';
import { readManifest } from './manifest.js';

/**
 * Makes the folder of a backup, or takes that of an earlier one.
 * @throws EngineError when it holds anything else, or is no folder
 */
export function claimFolder(folder: string): void {
  try {
    makeFolder(folder);
    if (readdirSync(folder).length === 0 || isBackup(folder)) return;
  } catch (error) {
    throw diskError(error, folder);
  }
  throw new EngineError(
    `${folder} holds other files than those of a backup: name a new folder, an empty one, or that of an earlier backup.`,
  );
}

function isBackup(folder: string): boolean {
  const { manifest, database } = backupFiles(folder);
  if (!existsSync(manifest)) return isCutShort(database);
  try {
    readManifest(folder);
    return true;
  } catch {
    return false;
  }
}

const TABLE_FILE = /\.copy\.gz(\.part)?$/;

/** A backup that has not ended has rows before all else. */
const isCutShort = (database: string): boolean =>
  existsSync(database) && readdirSync(database).every((name) => TABLE_FILE.test(name));
