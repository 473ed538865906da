import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Descriptors and memory of processes and their children, by Linux's /proc. */
export class ProcessWatch {
  private readonly before: { readonly held: readonly Descriptors[]; readonly memory: readonly number[] };
  private readonly peaks: number[];
  private readonly timer: NodeJS.Timeout;

  /** Begins to watch; what the processes hold now is what they are held against. */
  constructor(private readonly pids: readonly number[]) {
    this.before = { held: pids.map(descriptors), memory: pids.map(memoryOfTree) };
    this.peaks = [...this.before.memory];
    this.timer = setInterval(() => {
      for (const [at, pid] of pids.entries())
        this.peaks[at] = Math.max(this.peaks[at] as number, memoryOfTree(pid));
    }, 100);
  }

  /** By how much each process with its children was larger than at the beginning, at worst; MB of 10^6 bytes, rounded up. */
  get risesMb(): number[] {
    return this.peaks.map((peak, at) => Math.ceil((peak - (this.before.memory[at] as number)) / 1e6));
  }

  /** Descriptors beyond those of the beginning, once connections at rest had time to close. @param kept how many that are no files may stay */
  async extra(withinMs: number, kept: number): Promise<Descriptors[]> {
    const extra = () =>
      this.pids.map((pid, at) => {
        const [now, before] = [descriptors(pid), this.before.held[at] as Descriptors];
        return {
          files: Math.max(0, now.files - before.files),
          others: Math.max(0, now.others - before.others),
        };
      });
    for (
      const end = Date.now() + withinMs;
      Date.now() < end && extra().some(({ files, others }) => files > 0 || others > kept);
    )
      await sleep(100);
    return extra();
  }

  end(): void {
    clearInterval(this.timer);
  }
}

/** Files of the disk apart from the others, which come and go with connections, threads and children that stay for the next call. */
export interface Descriptors {
  readonly files: number;
  readonly others: number;
}

function descriptors(pid: number): Descriptors {
  const folder = `/proc/${pid}/fd`;
  const targets = readdirSync(folder).map((fd) => targetOf(`${folder}/${fd}`));
  const files = targets.filter((target) => target?.startsWith('/')).length;
  return { files, others: targets.filter((target) => target !== null).length - files };
}

/** Null: closed meanwhile. */
function targetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** Bytes of proportional set size, which counts shared pages once, of a process and its children. One that is gone holds none. */
export function memoryOfTree(pid: number): number {
  const own = Number(/^Pss:\s+(\d+)/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;
  return childrenOf(pid).reduce((sum, child) => sum + memoryOfTree(child), own);
}

/** That of all threads of the process. One that ends meanwhile takes none of the others' along. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      textOf(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** Empty where the process or thread is gone. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
