import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isRunning, type ProcessRef, refOf } from '../engines/process-ref.js';
import { dataFiles } from './files.js';

/** The supervisor that holds a data directory, or null when none does. */
export function lockHolder(dataDir: string): ProcessRef | null {
  try {
    const ref = JSON.parse(readFileSync(dataFiles(dataDir).lock, 'utf8')) as ProcessRef;
    return isRunning(ref) ? ref : null;
  } catch {
    return null;
  }
}

/**
 * Takes the data directory for this process.
 * @returns how to let it go, or the process that holds it
 */
export function takeLock(dataDir: string): { release: () => void } | { heldBy: ProcessRef } {
  const { lock } = dataFiles(dataDir);
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(refOf(process.pid)), { mode: 0o600 });
  try {
    for (;;) {
      // A link appears with its content or not at all, and only for one of several that try.
      if (tryLink(mine, lock)) return { release: () => rmSync(lock, { force: true }) };
      const holder = lockHolder(dataDir);
      if (holder !== null) return { heldBy: holder };
      setStaleAside(lock, `${mine}.stale`);
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Between the look and the rename somebody else may have taken the lock: then it is put back. */
function setStaleAside(lock: string, aside: string): void {
  try {
    renameSync(lock, aside);
    const ref = JSON.parse(readFileSync(aside, 'utf8')) as ProcessRef;
    if (isRunning(ref)) tryLink(aside, lock);
  } catch {
    // Somebody else set it aside first, or it holds no JSON.
  }
  rmSync(aside, { force: true });
}
