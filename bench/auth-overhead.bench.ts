import { setTimeout as sleep } from 'node:timers/promises';
import { addBenchTenant, addBenchUser, type BenchTenant, callerOf } from './harness/bench-tenant.js';
import { type ChildServer, startChildServer } from './harness/child-server.js';
import { type Latency, latencyOf } from './harness/latency.js';
import { measureLoad } from './harness/load.js';
import { comparePairs, type PairResult } from './harness/pairs.js';
import { newDataDir, type PlatformFacts, removeDataDir, startPlatform } from './harness/platform.js';
import { settingsOf } from './harness/service-settings.js';
import { atLeast, atMost, type BenchResult } from './harness/results.js';

const PAIRS = 7;
const SECONDS = 4;
const CONNECTIONS = 16;
const REVOCATIONS = 30;

/** What authentication, tenant and permission cost: the same handler behind them and open, and how soon a lost role is known elsewhere. */
export async function authOverhead(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir);
    try {
      const { facts } = platform;
      const tenant = await addBenchTenant(facts.base_url, 25);
      const child = await startChildServer('auth-pair', [tenant.id], {
        NODE_ENV: 'development',
        ...settingsOf(facts, 'api'),
        SERVICE_OPS_PORT: '0',
      });
      try {
        return await measure(facts, tenant, child);
      } finally {
        await child.stop();
      }
    } finally {
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

async function measure(facts: PlatformFacts, tenant: BenchTenant, child: ChildServer): Promise<BenchResult> {
  const reader = await addBenchUser(facts.base_url, tenant, 'reader', 'VIEWER');
  const headers = { Authorization: `Bearer ${reader.token}`, 'X-Tenant': tenant.code };
  const servers = [child.pid, facts.pids.postgres].filter((pid) => pid !== null);
  const load = (path: string) => () =>
    measureLoad({
      url: `${child.baseUrl}${path}`,
      headers,
      connections: CONNECTIONS,
      seconds: SECONDS,
      servers,
    });
  const pair = async (name: string): Promise<PairResult> => {
    await load(`/closed/${name}`)();
    return comparePairs(PAIRS, load(`/closed/${name}`), load(`/open/${name}`));
  };
  const page = await pair('page');
  const fixed = await pair('fixed');
  const cpuUs = { closed: 1e6 / fixed.subject.median, open: 1e6 / fixed.base.median };
  const statements = await statementsWhenWarm(child, headers);
  const revocation = await timeRevocations(facts, tenant, child);
  return {
    figures: {
      page,
      fixed,
      fixed_cpu_us_per_request: { ...cpuUs, added: cpuUs.closed - cpuUs.open },
      connections: CONNECTIONS,
      seconds: SECONDS,
      transactions_of_1000_warm_requests: statements,
      milliseconds_until_revoked_elsewhere: revocation,
    },
    goals: [
      atLeast(
        'requests per CPU-second, a page of datasets with authentication, tenant and permission / open',
        page.ratio.median,
        0.85,
      ),
      atMost('transactions that 1,000 authenticated requests open beyond their own', statements, 0),
      atMost('p99 until a lost role is known in another process, ms', revocation.p99, 1000),
    ],
  };
}

/** The first request may read who calls; those after it may not. */
async function statementsWhenWarm(
  child: ChildServer,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const count = async () =>
    ((await (await fetch(`${child.baseUrl}/statements`)).json()) as { transactions: number }).transactions;
  const ask = async () => {
    const answer = await fetch(`${child.baseUrl}/closed/fixed`, { headers });
    if (answer.status !== 200) throw new Error(`the request was answered by ${answer.status}`);
    await answer.text();
  };
  await ask();
  const before = await count();
  for (let n = 0; n < 1000; n += 1) await ask();
  return (await count()) - before;
}

/** From the answer to the change in one process to the first refusal in the other. */
async function timeRevocations(
  facts: PlatformFacts,
  tenant: BenchTenant,
  child: ChildServer,
): Promise<Latency> {
  const admin = callerOf(facts.base_url, tenant.adminToken);
  const times: number[] = [];
  for (let n = 0; n < REVOCATIONS; n += 1) {
    const user = await addBenchUser(facts.base_url, tenant, `leaver-${n}`, 'VIEWER');
    const status = async () => {
      const answer = await fetch(`${child.baseUrl}/closed/fixed`, {
        headers: { Authorization: `Bearer ${user.token}`, 'X-Tenant': tenant.code },
      });
      await answer.text();
      return answer.status;
    };
    if ((await status()) !== 200) throw new Error('a member was refused');
    await admin('DELETE', `/api/v1/system/users/${user.id}/role?tenant=${tenant.code}`);
    const startedAt = performance.now();
    while ((await status()) === 200) await sleep(1);
    times.push(performance.now() - startedAt);
  }
  return latencyOf(times);
}
