import { readdirSync, readFileSync } from 'node:fs';
import { SUPERVISED_VARIABLE } from '../engines/launch.js';
import { type ProcessRef, readStartTime } from '../engines/process-ref.js';

/**
 * Processes that an earlier supervisor started on this data directory, found by a variable in their environment: the
 * net below the state file for one that was killed before it could write down what it had just started. Linux only.
 */
export function findOrphans(dataDir: string, known: readonly number[]): ProcessRef[] {
  if (process.platform !== 'linux') return [];
  const mark = `${SUPERVISED_VARIABLE}=${dataDir}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && !known.includes(pid) && isLeader(pid) && hasVariable(pid, mark))
    .flatMap((pid) => {
      const startTime = readStartTime(pid);
      return startTime === null ? [] : [{ pid, startTime }];
    });
}

/** Only what leads a process group was started by a supervisor: the rest are its children. */
function isLeader(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === pid;
  } catch {
    return false;
  }
}

function hasVariable(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark);
  } catch {
    return false;
  }
}
