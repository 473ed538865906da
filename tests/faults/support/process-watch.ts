import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const MIB = 2 ** 20;

/** Descriptors and memory of processes and their children, by Linux's /proc. */
export class ProcessWatch {
  private readonly before: { readonly files: readonly number[]; readonly memory: readonly number[] };
  private readonly peaks: number[];
  private readonly timer: NodeJS.Timeout;

  /** Begins to watch; what the processes hold now is what they are held against. */
  constructor(private readonly pids: readonly number[]) {
    this.before = { files: pids.map(openFiles), memory: pids.map(memoryOfTree) };
    this.peaks = [...this.before.memory];
    this.timer = setInterval(() => {
      for (const [at, pid] of pids.entries()) this.peaks[at] = Math.max(this.peaks[at] as number, memoryOfTree(pid));
    }, 100);
  }

  /** By how much each process with its children was larger than at the beginning, at worst; MiB. */
  get risesMib(): number[] {
    return this.peaks.map((peak, at) => Math.round((peak - (this.before.memory[at] as number)) / MIB));
  }

  /** Descriptors beyond those of the beginning, once connections at rest had time to close. */
  async extraFiles(withinMs: number): Promise<number[]> {
    const extra = () => this.pids.map((pid, at) => Math.max(0, openFiles(pid) - (this.before.files[at] as number)));
    for (const end = Date.now() + withinMs; Date.now() < end && extra().some((files) => files > 0); ) await sleep(100);
    return extra();
  }

  end(): void {
    clearInterval(this.timer);
  }
}

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Bytes of proportional set size, which counts shared pages once. A process that is gone holds none. */
function memoryOfTree(pid: number): number {
  try {
    const own = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean));
    return children.reduce((sum, child) => sum + memoryOfTree(Number(child)), own);
  } catch {
    return 0;
  }
}
