import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^layer-(\d+)-/;

/** A folder of its own for one layer while it is packed; named after this process, so that it is swept if that dies. */
export async function makeLayerFolder(tempDir: string): Promise<string> {
  await mkdir(tempDir, { recursive: true, mode: 0o700 });
  return mkdtemp(join(tempDir, `layer-${process.pid}-`));
}

/**
 * Removes what killed workers left behind. Called before this process packs anything: a folder with its own number is that
 * of a predecessor, as in a container where every worker has the same one.
 * @returns how many folders were removed
 */
export async function sweepLayerFolders(tempDir: string): Promise<number> {
  const left = (await readdir(tempDir).catch(() => [])).filter((name) => {
    const pid = NAME.exec(name)?.[1];
    return pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid)));
  });
  await Promise.all(left.map((name) => rm(join(tempDir, name), { recursive: true, force: true })));
  return left.length;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process is alive all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
