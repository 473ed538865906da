import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Beside the workloads; the leading dot keeps it from being taken for one. */
export const trackerAddressFile = (root: string): string => join(root, '.tracker-url');

/**
 * Tells the programs that run, and that may be older than this process, where the tracker is now: the API may have come
 * back on another port. Readable by every tenant's user, replaced in one step.
 */
export async function writeTrackerAddress(root: string, url: string): Promise<void> {
  const temporary = `${trackerAddressFile(root)}.${process.pid}.tmp`;
  await writeFile(temporary, url);
  // Not by the mode of the write, which the umask reduces.
  await chmod(temporary, 0o644);
  await rename(temporary, trackerAddressFile(root));
}
