import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process named so that a reused pid is never mistaken for it. */
export interface ProcessRef {
  readonly pid: number;
  /** Start time as the kernel counts it (clock ticks since boot), or what `ps` prints where there is no /proc. */
  readonly startTime: string;
}

/** Null when there is no such process, or only a zombie that nobody has reaped yet. */
export function readStartTime(pid: number): string | null {
  if (process.platform !== 'linux') return startTimeFromPs(pid);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name may hold spaces and parentheses: fields are counted behind the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function startTimeFromPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}

/** @throws Error when the process has ended already */
export function refOf(pid: number): ProcessRef {
  const startTime = readStartTime(pid);
  if (startTime === null) throw new Error(`process ${pid} ended before it could be recorded`);
  return { pid, startTime };
}

export const isRunning = (ref: ProcessRef): boolean => readStartTime(ref.pid) === ref.startTime;

/** Sends a signal to the process alone; nothing happens when it has ended. */
export function signalProcess(ref: ProcessRef, signal: NodeJS.Signals): void {
  if (!isRunning(ref)) return;
  try {
    process.kill(ref.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Kills the whole process group that the process leads. Idempotent. */
export function killGroup(ref: ProcessRef): void {
  if (!isRunning(ref)) return;
  try {
    process.kill(-ref.pid, 'SIGKILL');
  } catch {
    signalProcess(ref, 'SIGKILL');
  }
}

/** @returns false when it still runs after the time */
export async function waitForEnd(ref: ProcessRef, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isRunning(ref)) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

/** Asks the process to end, waits, and kills its group when it does not. Idempotent. */
export async function stopProcess(ref: ProcessRef, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  signalProcess(ref, signal);
  if (await waitForEnd(ref, graceMs)) return;
  killGroup(ref);
  await waitForEnd(ref, 5_000);
}
