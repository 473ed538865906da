import { readdirSync, readFileSync, statSync } from 'node:fs';

/** What the kernel says about processes. Reads /proc, which is memory: the calls are synchronous and short. */

/** Fields of /proc/PID/stat from the third on (state, ppid, pgrp, session, ...); null when there is no such process. */
function statFields(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Start in clock ticks since boot, null when the process does not exist or has ended and waits to be reaped. */
export function startOf(pid: number): number | null {
  const fields = statFields(pid);
  return fields === null || fields[0] === 'Z' || fields[0] === 'X' ? null : Number(fields[19]);
}

/** Pid and start time together name a process once and for all; a pid alone may have been given to another. */
export function isRunning(pid: number, start: number): boolean {
  if (process.platform === 'linux') return startOf(pid) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

let boot: string | undefined;

/** Differs after every boot of the machine. */
export function bootId(): string {
  try {
    boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    boot = 'unknown';
  }
  return boot;
}

/** Processes whose environment carries the line NAME=VALUE, wherever they went since. */
export function processesMarked(marker: string): number[] {
  const found: number[] = [];
  for (const name of listPids()) {
    try {
      if (readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(marker)) found.push(name);
    } catch {
      // It ended in between, or belongs to another user: not ours.
    }
  }
  return found.filter((pid) => startOf(pid) !== null);
}

/**
 * Processes of a tenant's user that no shim looks after any more. Every process of a workload has a living shim above it
 * (the shim is the reaper of its orphans), so one whose nearest ancestor of another user is no shim is left over.
 */
export function straysOf(uid: number): number[] {
  const parents = new Map<number, number>();
  const owners = new Map<number, number>();
  for (const pid of listPids()) {
    const fields = statFields(pid);
    if (fields === null || fields[0] === 'Z') continue;
    parents.set(pid, Number(fields[1]));
    owners.set(pid, ownerOf(pid));
  }
  return [...owners]
    .filter(([pid, owner]) => {
      if (owner !== uid) return false;
      let above = parents.get(pid) ?? 1;
      while (owners.get(above) === uid) above = parents.get(above) ?? 1;
      return !isShim(above);
    })
    .map(([pid]) => pid);
}

function ownerOf(pid: number): number {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return -1;
  }
}

function isShim(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .some((part) => part.endsWith('/shim.py'));
  } catch {
    return false;
  }
}

function listPids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid);
  } catch {
    return [];
  }
}

/** No error when it has ended already. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * User that owns the listening TCP socket on an IPv4 address; null when nobody listens or the kernel does not say. A
 * port is only trusted to be a tenant's own when its user matches.
 */
export function listenerUid(address: string, port: number): number | null {
  // The kernel writes the address as a number of the machine's own byte order.
  const hex = (byte: string) => Number(byte).toString(16).toUpperCase().padStart(2, '0');
  const wanted = `${address.split('.').reverse().map(hex).join('')}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  try {
    for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
      const fields = line.trim().split(/\s+/);
      if (fields[1] === wanted && fields[3] === '0A') return Number(fields[7]);
    }
  } catch {
    // Not Linux.
  }
  return null;
}
