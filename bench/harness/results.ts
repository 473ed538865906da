import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../cli/engines/engine-lock.js';

export interface Goal {
  readonly text: string;
  readonly met: boolean;
}

/** What a benchmark hands back. Goals are reported; `--strict` names the benchmarks that fail by one. */
export interface BenchResult {
  readonly figures: Readonly<Record<string, unknown>>;
  readonly goals: readonly Goal[];
}

export const atLeast = (what: string, value: number, goal: number): Goal => ({
  text: `${what} ${round(value)}, goal at least ${goal}`,
  met: value >= goal,
});
export const atMost = (what: string, value: number, goal: number): Goal => ({
  text: `${what} ${round(value)}, goal at most ${goal}`,
  met: value <= goal,
});

const round = (value: number): number => Number(value.toPrecision(4));

/** Writes `bench/results/<name>.json` with what distinguishes machines and moments. */
export function writeResult(name: string, result: BenchResult, loadBefore: readonly number[]): string {
  const folder = join(projectRoot(), 'bench/results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const record = {
    name,
    at: new Date().toISOString(),
    machine,
    load_average: { before: loadBefore, after: loadavg() },
    ...result,
  };
  writeFileSync(
    file,
    `${JSON.stringify(record, (_key, value: unknown) => (typeof value === 'number' ? round(value) : value), 2)}\n`,
  );
  return file;
}
