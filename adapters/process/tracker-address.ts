import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Beside the workloads, in a folder that their programs may read; the leading dot keeps it from being taken for one. */
export const trackerAddressFile = (root: string): string => join(root, '.tracker', 'url');

/** Where programs look that an earlier release started. */
const earlierFile = (root: string): string => join(root, '.tracker-url');

/**
 * Writes where the tracker is now, for the programs that run and may be older than this process: the API may have come
 * back on another port. Readable by every tenant's user, replaced in one step.
 */
export async function writeTrackerAddress(root: string, url: string): Promise<void> {
  const folder = dirname(trackerAddressFile(root));
  await mkdir(folder, { recursive: true });
  // Not by the mode of making it, which the umask reduces.
  await chmod(folder, 0o755);
  for (const file of [trackerAddressFile(root), earlierFile(root)]) await replace(file, url);
}

async function replace(file: string, url: string): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, url);
  await chmod(temporary, 0o644);
  await rename(temporary, file);
}
