import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { LoadOptions, LoadResult } from './load.types.js';
import { runNetLoad } from './net-load.js';
import type { Sample } from './pairs.js';
import { cpuSecondsOf } from './process-tree.js';

const run = promisify(execFile);

/**
 * Closed-loop load: each connection sends its next request when the answer is there; no pipelining.
 * @throws Error when any answer was not a success: a fast wrong run is no result
 */
export async function measureLoad(options: LoadOptions): Promise<Sample> {
  const cpuBefore = cpuSecondsOf(options.servers);
  const startedAt = process.hrtime.bigint();
  const { requests, failures } = (await hasWrk()) ? await runWrk(options) : await runNetLoad(options);
  const wallS = Number(process.hrtime.bigint() - startedAt) / 1e9;
  const cpuS = cpuSecondsOf(options.servers) - cpuBefore;
  if (failures > 0 || requests === 0)
    throw new Error(`${options.url}: ${failures} of ${requests} requests failed`);
  return { perCpuS: requests / cpuS, perWallS: requests / wallS };
}

export const hasWrk = (): Promise<boolean> =>
  run('wrk', ['--version']).then(
    () => true,
    // wrk prints its version and ends with 1.
    (error: { code?: unknown }) => error.code === 1,
  );

async function runWrk(options: LoadOptions): Promise<LoadResult> {
  const headers = Object.entries(options.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await run('wrk', [
    '-t1',
    `-c${options.connections}`,
    `-d${options.seconds}s`,
    ...headers,
    options.url,
  ]);
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  const broken =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/
      .exec(stdout)
      ?.slice(1)
      .reduce((sum, count) => sum + Number(count), 0) ?? 0;
  return { requests, failures: refused + broken };
}
