import { startChildServer } from './harness/child-server.js';
import { measureLoad } from './harness/load.js';
import { comparePairs } from './harness/pairs.js';
import { newDataDir, removeDataDir, signIn, startPlatform } from './harness/platform.js';
import { atLeast, type BenchResult } from './harness/results.js';

const PAIRS = 5;
const SECONDS = 5;
const CONNECTIONS = 32;

/** GET /users/me with shipped defaults (access log to a file) against bare node:http, in requests per CPU-second. */
export async function httpFullStack(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir);
    try {
      return await compareWithBare(
        platform.facts.base_url,
        platform.facts.ops_url,
        [platform.facts.pids.api, platform.facts.pids.postgres].filter((pid) => pid !== null),
      );
    } finally {
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

async function compareWithBare(
  baseUrl: string,
  opsUrl: string,
  servers: readonly number[],
): Promise<BenchResult> {
  const cookie = await signIn(baseUrl);
  if (cookie === null) throw new Error('the sign-in was refused');
  const headers = { Cookie: cookie };
  const body = await (await fetch(`${baseUrl}/users/me`, { headers })).text();
  const bare = await startChildServer('bare-http', [body]);
  const load = (url: string, pids: readonly number[], seconds = SECONDS) =>
    measureLoad({ url, headers, connections: CONNECTIONS, seconds, servers: pids });
  try {
    for (const [url, pids] of [
      [`${baseUrl}/users/me`, servers],
      [bare.baseUrl, [bare.pid]],
    ] as const)
      await load(url, pids, 3);
    const countedBefore = await countRequests(opsUrl);
    const result = await comparePairs(
      PAIRS,
      () => load(`${baseUrl}/users/me`, servers),
      () => load(`${bare.baseUrl}/`, [bare.pid]),
    );
    const counted = (await countRequests(opsUrl)) - countedBefore;
    const after = await (await fetch(`${baseUrl}/users/me`, { headers })).text();
    if (after !== body) throw new Error('the answer changed during the run');
    return {
      figures: { ...result, connections: CONNECTIONS, seconds: SECONDS, requests_counted_by_server: counted },
      goals: [atLeast('requests per CPU-second, full stack / bare node:http', result.ratio.median, 0.3)],
    };
  } finally {
    await bare.stop();
  }
}

async function countRequests(opsUrl: string): Promise<number> {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  const lines = metrics
    .split('\n')
    .filter(
      (line) =>
        line.startsWith('visionops_http_requests_total') &&
        line.includes('/users/me') &&
        line.includes('status="200"'),
    );
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
