import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { SUPERVISED_VARIABLE } from '../../../cli/engines/launch.js';

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};

const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();

/** The processes that serve an endpoint, each below its shim. */
export function serversOf(workloads: string): Array<FoundProcess & { readonly shim: number }> {
  return namesIn(workloads)
    .filter((name) => name.startsWith('ep-'))
    .flatMap((name) => workersOf(join(workloads, name)));
}

/** The processes that do the work of a running training: below the shim, which looks after them. */
export function trainersOf(
  workloads: string,
): Array<FoundProcess & { readonly experimentId: string; readonly shim: number }> {
  return namesIn(workloads).flatMap((name) => {
    const experimentId = /^tr-(.{36})-\d+$/.exec(name)?.[1];
    if (experimentId === undefined) return [];
    return workersOf(join(workloads, name)).map((found) => ({ ...found, experimentId }));
  });
}

function workersOf(workload: string): Array<FoundProcess & { readonly shim: number }> {
  const { pid: shim } = JSON.parse(textOf(join(workload, 'instances/0/pid.json')) || '{"pid":0}') as {
    pid: number;
  };
  if (shim === 0 || !commandOf(shim).includes('shim.py')) return [];
  return childrenOf(shim).map((pid) => ({ pid, shim, command: commandOf(pid) }));
}

export const childrenOf = (pid: number): number[] =>
  textOf(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);

/** Kills it. @returns false when it had gone by itself */
export function end(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Every process that belongs to a data directory, by its environment, its command or where it works. */
export function processesOf(dataDir: string, workloads: string): FoundProcess[] {
  const mark = `${SUPERVISED_VARIABLE}=${dataDir}`;
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandOf(Number(name)) }))
    .filter(({ pid, command }) => {
      if (pid === process.pid || command === '') return false;
      const place = linkOf(`/proc/${pid}/cwd`);
      return (
        command.includes(dataDir) ||
        command.includes(workloads) ||
        place.startsWith(dataDir) ||
        place.startsWith(workloads) ||
        textOf(`/proc/${pid}/environ`).split('\0').includes(mark)
      );
    });
}
