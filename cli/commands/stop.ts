import type { Arguments } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { waitForEnd } from '../engines/process-ref.js';
import { dataFiles, removeFile } from '../supervisor/files.js';
import { lockHolder } from '../supervisor/lock.js';
import { StateFile } from '../supervisor/state.js';
import { stopPreviousProcesses } from '../supervisor/previous-processes.js';

const WITHIN_MS = 60_000;

/** Asks the supervisor to stop and waits for it; without one, stops what it may have left. */
export async function stop(args: Arguments): Promise<number> {
  console.log(await stopPlatform(args.dataDir));
  return 0;
}

/** @returns what happened, in words */
export async function stopPlatform(dataDir: string): Promise<string> {
  const holder = lockHolder(dataDir);
  if (holder === null) {
    const stopped = await stopPreviousProcesses(dataDir, new StateFile(dataDir));
    removeFile(dataFiles(dataDir).platform);
    return stopped === 0
      ? `nothing runs on ${dataDir}`
      : `stopped ${stopped} process${stopped === 1 ? '' : 'es'} that had lost their supervisor`;
  }
  process.kill(holder.pid, 'SIGTERM');
  if (!(await waitForEnd(holder, WITHIN_MS)))
    throw new EngineError(
      `The supervisor (process ${holder.pid}) has not ended after ${WITHIN_MS / 1000} s: look at its terminal, or end it with "kill -9 ${holder.pid}" and run this command again.`,
    );
  return 'stopped';
}
