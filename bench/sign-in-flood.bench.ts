import { addBenchTenant, addBenchUser } from './harness/bench-tenant.js';
import { keptAgent, type Latency, latencyOf, timeAtRate } from './harness/latency.js';
import { longOrShort } from './harness/mode.js';
import { newDataDir, type PlatformFacts, removeDataDir, startPlatform } from './harness/platform.js';
import { cpuSecondsOf } from './harness/process-tree.js';
import { atMost, type BenchResult } from './harness/results.js';
import { callSignIn, type SignInCall } from './harness/sign-in-call.js';
import { floodWithStrangers } from './harness/stranger-flood.js';

const FLOOD_PER_S = 500;
/** Known sign-ins come this often: 150 in a window, of which the slowest two lie at p99. */
const KNOWN_PER_S = 5;
/** Two sign-ins of one account are looked at at a time. */
const PEOPLE = 16;
const SECONDS = longOrShort(30, 4);
const NETWORKS = 1000;
const HOME = '198.51.100.7';

/** Known people in while strangers flood: what each was answered, and how long known sign-ins took. */
interface Window {
  readonly known: Latency;
  readonly knownRefused: number;
  readonly strangers: Readonly<Record<string, number>>;
  readonly strangersPerS: number;
  /** With its share of the known sign-ins. */
  readonly apiCpuMsPerStranger: number;
  readonly postgresCpuMsPerStranger: number;
}

/**
 * 500 sign-ins a second with random e-mail addresses, from one network and from 1,000 networks, while people sign in
 * from an address with earlier successes.
 */
export async function signInFlood(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir, { env: { SERVICE_TRUST_PROXY: 'loopback' } });
    try {
      return await measure(platform.facts);
    } finally {
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

async function measure({ base_url: baseUrl, pids }: PlatformFacts): Promise<BenchResult> {
  const cpuMs = (name: 'api' | 'postgres') => 1000 * cpuSecondsOf([pids[name] as number]);
  const tenant = await addBenchTenant(baseUrl, 0);
  const calls: SignInCall[] = [];
  for (let n = 0; n < PEOPLE; n += 1) {
    const { email, password } = await addBenchUser(baseUrl, tenant, `known-${n}`, 'VIEWER');
    calls.push({ username: email, password, from: HOME });
  }
  const agent = keptAgent(16);
  let [refused, turn] = [0, 0];
  const knownIn = async () => {
    const call = calls[turn++ % PEOPLE] as SignInCall;
    const { status, ms } = await callSignIn(agent, baseUrl, call);
    if (status !== 200) refused += 1;
    return ms;
  };
  const beside = async (networks: number): Promise<Window> => {
    refused = 0;
    const [api, postgres] = [cpuMs('api'), cpuMs('postgres')];
    const flooding = floodWithStrangers({ baseUrl, perSecond: FLOOD_PER_S, seconds: SECONDS, networks });
    const known = latencyOf(await timeAtRate(KNOWN_PER_S, SECONDS, knownIn));
    const { answers, perSecond } = await flooding;
    const answered = Object.values(answers).reduce((sum, count) => sum + count, 0);
    return {
      known,
      knownRefused: refused,
      strangers: answers,
      strangersPerS: perSecond,
      apiCpuMsPerStranger: (cpuMs('api') - api) / answered,
      postgresCpuMsPerStranger: (cpuMs('postgres') - postgres) / answered,
    };
  };
  for (let n = 0; n < PEOPLE; n += 1) await knownIn();
  const alone = latencyOf(await timeAtRate(KNOWN_PER_S, SECONDS, knownIn));
  const one = await beside(1);
  const many = await beside(NETWORKS);
  agent.destroy();
  return {
    figures: {
      seconds: SECONDS,
      known_per_s: KNOWN_PER_S,
      strangers_per_s: FLOOD_PER_S,
      known_alone_ms: alone,
      one_network: one,
      many_networks: many,
      rise_of_p99: {
        one_network: one.known.p99 / alone.p99,
        many_networks: many.known.p99 / alone.p99,
      },
    },
    goals: [
      atMost('p99 of known sign-ins beside a flood from one network, ms', one.known.p99, 1000),
      atMost('p99 of known sign-ins beside a flood from 1,000 networks, ms', many.known.p99, 1000),
      atMost('known sign-ins that were refused', one.knownRefused + many.knownRefused, 0),
    ],
  };
}
