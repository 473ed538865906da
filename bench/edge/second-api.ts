import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../../cli/engines/engine-lock.js';
import { choosePorts } from '../../cli/engines/ports.js';
import type { PlatformFacts } from '../harness/platform.js';
import { settingsOf } from '../harness/service-settings.js';

export interface ApiProcess {
  readonly baseUrl: string;
  readonly pid: number;
}

const READY_WITHIN_MS = 60_000;

/** Runs `work` with one more API process beside that of a platform. */
export async function withSecondApi<T>(
  facts: PlatformFacts,
  work: (second: ApiProcess) => Promise<T>,
): Promise<T> {
  const [port, opsPort] = (await choosePorts([undefined, undefined])) as [number, number];
  const env = { ...settingsOf(facts, 'api'), SERVICE_PORT: String(port), SERVICE_OPS_PORT: String(opsPort) };
  const child = spawn(process.execPath, [join(projectRoot(), 'dist/api/main.js')], { env, stdio: 'ignore' });
  const baseUrl = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${baseUrl}/openapi.json`).then(
      (answer) => answer.ok,
      () => false,
    );
  try {
    for (const until = Date.now() + READY_WITHIN_MS; !(await isUp()); await sleep(100))
      if (Date.now() > until || child.exitCode !== null) throw new Error('the second API did not come up');
    return await work({ baseUrl, pid: child.pid as number });
  } finally {
    const gone = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await gone;
  }
}
