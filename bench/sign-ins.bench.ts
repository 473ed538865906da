import { addBenchTenant, addBenchUser, signInFor } from './harness/bench-tenant.js';
import { keptAgent, type Latency, latencyOf, timeAtRate, timeGet } from './harness/latency.js';
import { newDataDir, removeDataDir, startPlatform } from './harness/platform.js';
import { longOrShort } from './harness/mode.js';
import { atMost, type BenchResult } from './harness/results.js';
import { spreadOf } from './harness/statistics.js';

/** Five minutes in all. */
const PAIRS = longOrShort(5, 3);
/** Long enough that 30 calls lie beyond p99, and not one or two chance ones. */
const SECONDS = longOrShort(30, 4);
const WARM_UP_SECONDS = 4;
/** Far enough from what the machine can do at most: nearer to it, p99 is the length of a queue and not the price of a sign-in. */
const SHARE_OF_CAPACITY = 0.3;
const MAX_LISTS_PER_S = 100;
const CAPACITY_SECONDS = 3;
const CAPACITY_READERS = 8;
const SIGN_INS_PER_S = 10;
const USERS = 20;

/**
 * What ten sign-ins a second do to those who read lists meanwhile. Lists come open-loop, at 100 a second or at 30 % of
 * what this machine serves closed-loop right before, whichever is less; sign-ins are of accounts that exist, with the right password.
 */
export async function signIns(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir);
    try {
      return await measure(platform.facts.base_url);
    } finally {
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

async function measure(baseUrl: string): Promise<BenchResult> {
  const tenant = await addBenchTenant(baseUrl, 200);
  const users: Array<Awaited<ReturnType<typeof addBenchUser>>> = [];
  for (let n = 0; n < USERS; n += 1) users.push(await addBenchUser(baseUrl, tenant, `person-${n}`, 'VIEWER'));
  const reader = users[0] as (typeof users)[number];
  const agent = keptAgent(32);
  const list = () =>
    timeGet(agent, `${baseUrl}/api/v1/datasets?page_size=20`, {
      authorization: `Bearer ${reader.token}`,
      'x-tenant': tenant.code,
    });
  const capacity = await capacityOf(list);
  const rate = Math.max(1, Math.min(MAX_LISTS_PER_S, Math.round(capacity * SHARE_OF_CAPACITY)));
  const lists = async (seconds = SECONDS): Promise<Latency> =>
    latencyOf(await timeAtRate(rate, seconds, list));
  let turn = 0;
  const signIn = async () => {
    const startedAt = performance.now();
    const user = users[turn++ % USERS] as (typeof users)[number];
    await signInFor(baseUrl, user.email, user.password);
    return performance.now() - startedAt;
  };
  const both = async (seconds = SECONDS) => {
    const signingIn = timeAtRate(SIGN_INS_PER_S, seconds, signIn);
    return { lists: await lists(seconds), signIns: latencyOf(await signingIn) };
  };
  await both(WARM_UP_SECONDS);
  const pairs = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const [alone, beside] =
      pair % 2 === 0
        ? [await lists(), await both()]
        : await both().then(async (found) => [await lists(), found] as const);
    pairs.push({ alone, beside: beside.lists, signIns: beside.signIns });
  }
  agent.destroy();
  const rise = spreadOf(pairs.map(({ alone, beside }) => beside.p99 / alone.p99));
  const figures = {
    capacity_lists_per_s: Math.round(capacity),
    lists_per_s: rate,
    sign_ins_per_s: SIGN_INS_PER_S,
    seconds: SECONDS,
    list_p99_alone_ms: spreadOf(pairs.map(({ alone }) => alone.p99)),
    list_p99_beside_ms: spreadOf(pairs.map(({ beside }) => beside.p99)),
    list_p50_beside_ms: spreadOf(pairs.map(({ beside }) => beside.p50)),
    sign_in_p99_ms: spreadOf(pairs.map(({ signIns: times }) => times.p99)),
    rise_of_p99: rise,
  };
  return { figures, goals: [atMost('p99 of lists beside ten sign-ins a second / alone', rise.median, 1.5)] };
}

/** Lists a second while a few readers ask again as soon as they are answered. */
async function capacityOf(list: () => Promise<number>): Promise<number> {
  const startedAt = performance.now();
  const until = startedAt + CAPACITY_SECONDS * 1000;
  let answered = 0;
  const read = async () => {
    for (; performance.now() < until; answered += 1) await list();
  };
  await Promise.all(Array.from({ length: CAPACITY_READERS }, read));
  return (answered * 1000) / (performance.now() - startedAt);
}
