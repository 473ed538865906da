import { existsSync, rmSync } from 'node:fs';
import type { Arguments } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { waitForEnd } from '../engines/process-ref.js';
import { dataFiles, removeFile } from '../supervisor/files.js';
import { lockHolder } from '../supervisor/lock.js';
import { StateFile } from '../supervisor/state.js';
import { stopSurvivors } from '../supervisor/survivors.js';
import { wipeElsewhere } from '../supervisor/wipe.js';
import { UsageError } from '../arguments.js';

const WITHIN_MS = 60_000;

/** Asks the supervisor to stop and waits for it; without one, stops what it may have left. */
export async function stop(args: Arguments): Promise<number> {
  console.log(await stopPlatform(args.dataDir));
  return 0;
}

async function stopPlatform(dataDir: string): Promise<string> {
  const holder = lockHolder(dataDir);
  if (holder === null) {
    const stopped = await stopSurvivors(dataDir, new StateFile(dataDir));
    removeFile(dataFiles(dataDir).platform);
    return stopped === 0 ? `nothing runs on ${dataDir}` : `stopped ${stopped} process${stopped === 1 ? '' : 'es'} that had lost their supervisor`;
  }
  process.kill(holder.pid, 'SIGTERM');
  if (!(await waitForEnd(holder, WITHIN_MS)))
    throw new EngineError(
      `The supervisor (process ${holder.pid}) has not ended after ${WITHIN_MS / 1000} s: look at its terminal, or end it with "kill -9 ${holder.pid}" and run this command again.`,
    );
  return 'stopped';
}

/** Stops everything and removes all data of this data directory. */
export async function reset(args: Arguments): Promise<number> {
  if (!args.yes) throw new UsageError(`reset removes all data in ${args.dataDir}: add --yes if you mean it.`);
  if (!MARKS.some((name) => existsSync(`${args.dataDir}/${name}`))) throw new UsageError(`${args.dataDir} holds no platform: there is nothing to remove.`);
  const location = new StateFile(args.dataDir).current.databaseLocation;
  await stopPlatform(args.dataDir);
  wipeElsewhere(args.dataDir, location);
  for (const name of OURS) rmSync(`${args.dataDir}/${name}`, { recursive: true, force: true });
  console.log(`removed the data in ${args.dataDir}`);
  return 0;
}

/** A directory with none of these was never a platform's: its folders are somebody else's, whatever their names. */
const MARKS = ['secrets.json', 'supervisor.json'];

/** What the platform makes in a data directory. Whatever else lies there is not ours to remove. */
const OURS = ['postgres', 'temporal', 's3', 'workloads', 'mail', 'logs', 'sample', 'venvs', 'cache', 'tmp', 'secrets.json', 'supervisor.json', 'supervisor.lock', 'platform.json'];
