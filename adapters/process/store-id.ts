import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The mark of a directory of workloads, made when it is first asked for. It moves with the directory. */
export function storeId(root: string): string {
  const file = join(root, '.store');
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, randomUUID(), { mode: 0o600 });
  try {
    // If two processes ask at once, one wins and both read its mark.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8');
}
