import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { choosePorts } from '../cli/engines/ports.js';
import { projectRoot } from '../cli/engines/engine-lock.js';
import { newDataDir, type RunningPlatform, removeDataDir, startPlatform } from './harness/platform.js';
import { pssBytesOf } from './harness/process-tree.js';
import { settingsOf } from './harness/service-settings.js';
import { atMost, type BenchResult } from './harness/results.js';
import { spreadOf } from './harness/statistics.js';

const ROUNDS = 5;
const IDLE_S = 60;

/** From an empty data directory to a sign-in, the second start, what API and worker take alone, and their memory at rest. */
export async function coldStart(): Promise<BenchResult> {
  const first: number[] = [];
  const second: number[] = [];
  const api: number[] = [];
  const worker: number[] = [];
  let pssMib = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const dataDir = newDataDir();
    try {
      const cold = await startPlatform(dataDir);
      first.push(cold.toSignInS);
      await cold.stop();
      const warm = await startPlatform(dataDir);
      second.push(warm.toSignInS);
      try {
        api.push(await timeService(warm, 'api', 'dist/api/main.js'));
        worker.push(await timeService(warm, 'worker', 'dist/activities/worker.js'));
        if (round === ROUNDS - 1) pssMib = await restingMemory(warm);
      } finally {
        await warm.stop();
      }
    } finally {
      removeDataDir(dataDir);
    }
  }
  const figures = {
    first_start_s: spreadOf(first),
    second_start_s: spreadOf(second),
    api_ready_s: spreadOf(api),
    worker_ready_s: spreadOf(worker),
    api_and_worker_pss_mib: pssMib,
    rounds: ROUNDS,
  };
  return {
    figures,
    goals: [
      atMost('empty data directory to sign-in, s', figures.first_start_s.median, 20),
      atMost('second start to sign-in, s', figures.second_start_s.median, 8),
      atMost('API and worker at rest, MiB', pssMib, 400),
    ],
  };
}

async function restingMemory({ facts }: RunningPlatform): Promise<number> {
  await sleep(IDLE_S * 1000);
  return pssBytesOf([facts.pids.api, facts.pids.worker].filter((pid) => pid !== null)) / 2 ** 20;
}

/** Starts one more process of the kind beside the running one, with the same settings. @returns seconds until /readyz says so */
async function timeService(
  { facts }: RunningPlatform,
  name: 'api' | 'worker',
  program: string,
): Promise<number> {
  const [port, opsPort] = (await choosePorts([undefined, undefined])) as [number, number];
  const env = {
    ...settingsOf(facts, name),
    SERVICE_PORT: String(port),
    SERVICE_OPS_PORT: String(opsPort),
  };
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(projectRoot(), program)], { env, stdio: 'ignore' });
  try {
    await waitUntilReady(child, opsPort, name);
    return (performance.now() - startedAt) / 1000;
  } finally {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
}

async function waitUntilReady(child: ChildProcess, opsPort: number, name: string): Promise<void> {
  for (let left = 3_000; left > 0; left -= 1) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`).catch(() => null);
    if (answer?.status === 200) return;
    await sleep(10);
  }
  throw new Error(`${name} was not ready within 30 s`);
}
