import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second of /proc/PID/stat; 100 on every Linux that Node supports. */
const TICKS_PER_S = 100;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

function readStat(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (index: number) => Number(fields[index]);
    // utime, stime and those of children that were waited for (proc(5), fields 14 to 17).
    return { pid, parent: at(1), ticks: at(11) + at(12) + at(13) + at(14) };
  } catch {
    return null;
  }
}

function treeOf(roots: readonly number[]): Stat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat !== null);
  const wanted = new Set(roots);
  // Parents may come after their children in the listing: repeat until nothing is added.
  for (let before = -1; before !== wanted.size; ) {
    before = wanted.size;
    for (const stat of all) if (wanted.has(stat.parent)) wanted.add(stat.pid);
  }
  return all.filter((stat) => wanted.has(stat.pid));
}

/** CPU seconds that the processes, all they started and all of those that have ended took so far. */
export const cpuSecondsOf = (roots: readonly number[]): number =>
  treeOf(roots).reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_S;

/** Proportional set size of the processes and all they started, in bytes: shared pages count by their share. */
export const pssBytesOf = (roots: readonly number[]): number =>
  treeOf(roots).reduce((sum, { pid }) => sum + pssOf(pid), 0);

/** Nothing for a process that has ended meanwhile. */
function pssOf(pid: number): number {
  try {
    const match = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return Number(match?.[1] ?? 0) * 1024;
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
}

/** The environment a process was started with. */
export const environmentOf = (pid: number): NodeJS.ProcessEnv =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
