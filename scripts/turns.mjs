import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Two commands in one clone take turns to install and build. */
export async function inTurn(root, work) {
  const file = join(
    tmpdir(),
    `visionops-${createHash('sha256').update(root).digest('hex').slice(0, 12)}.lock`,
  );
  for (let waited = 0; !takeLock(file); waited += 1) {
    if (waited === 5)
      process.stderr.write('visionops: another command installs or builds here; this one waits for it.\n');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  try {
    work();
  } finally {
    rmSync(file, { force: true });
  }
}

function takeLock(file) {
  try {
    const handle = openSync(file, 'wx');
    writeFileSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isHeld(file)) rmSync(file, { force: true });
    return false;
  }
}

function isHeld(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid === 0) return Date.now() - statSync(file).mtimeMs < 2_000;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
