import { randomBytes } from 'node:crypto';
import { type Agent, request } from 'node:http';
import { addBenchTenant, addBenchUser } from './harness/bench-tenant.js';
import { keptAgent, type Latency, latencyOf, timeAtRate } from './harness/latency.js';
import { longOrShort } from './harness/mode.js';
import { newDataDir, type PlatformFacts, removeDataDir, startPlatform } from './harness/platform.js';
import { cpuSecondsOf } from './harness/process-tree.js';
import { atMost, type BenchResult } from './harness/results.js';

const FLOOD_PER_S = 500;
/** Known sign-ins come this often: 150 in a window, of which the slowest two lie at p99. */
const KNOWN_PER_S = 5;
const SECONDS = longOrShort(30, 4);
const NETWORKS = 1000;
/** A stranger gives up then, so that the run ends whatever the platform does. */
const PATIENCE_MS = 10_000;
const HOME = '198.51.100.7';

interface Answered {
  readonly status: number;
  readonly ms: number;
}

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
 * 500 sign-ins a second with random e-mail addresses, from one network and from 1,000 networks, while somebody signs in
 * from an address with an earlier success.
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
  const user = await addBenchUser(baseUrl, tenant, 'known', 'VIEWER');
  const [ofKnown, ofStrangers] = [keptAgent(16), keptAgent(512)];
  const signIn = (agent: Agent, from: string, username: string, password: string) =>
    postForm(agent, `${baseUrl}/auth/jwt/login`, from, { username, password });
  let refused = 0;
  const knownIn = async () => {
    const { status, ms } = await signIn(ofKnown, HOME, user.email, user.password);
    if (status !== 200) refused += 1;
    return ms;
  };
  const beside = async (addressOf: (n: number) => string): Promise<Window> => {
    const strangers: Record<string, number> = {};
    refused = 0;
    let turn = 0;
    const strangerIn = async () => {
      const email = `${randomBytes(8).toString('hex')}@example.com`;
      const { status, ms } = await signIn(ofStrangers, addressOf(turn++), email, 'a wrong passphrase');
      strangers[status] = (strangers[status] ?? 0) + 1;
      return ms;
    };
    const [startedAt, api, postgres] = [performance.now(), cpuMs('api'), cpuMs('postgres')];
    const flooding = timeAtRate(FLOOD_PER_S, SECONDS, strangerIn);
    const known = latencyOf(await timeAtRate(KNOWN_PER_S, SECONDS, knownIn));
    const answered = (await flooding).length;
    return {
      known,
      knownRefused: refused,
      strangers,
      strangersPerS: (answered * 1000) / (performance.now() - startedAt),
      apiCpuMsPerStranger: (cpuMs('api') - api) / answered,
      postgresCpuMsPerStranger: (cpuMs('postgres') - postgres) / answered,
    };
  };
  await knownIn();
  const alone = latencyOf(await timeAtRate(KNOWN_PER_S, SECONDS, knownIn));
  const one = await beside((n) => `203.0.113.${n % 250}`);
  const many = await beside((n) => `10.${Math.floor((n % NETWORKS) / 250)}.${n % 250}.9`);
  ofKnown.destroy();
  ofStrangers.destroy();
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

/** Status 0: no answer in time. */
function postForm(
  agent: Agent,
  url: string,
  from: string,
  form: Readonly<Record<string, string>>,
): Promise<Answered> {
  const body = new URLSearchParams(form).toString();
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
    'x-forwarded-for': from,
  };
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (status: number) => resolve({ status, ms: performance.now() - startedAt });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const req = request(url, { method: 'POST', agent, headers, signal }, (answer) => {
      answer.resume();
      answer.on('end', () => end(answer.statusCode as number));
      answer.on('error', () => end(0));
    });
    req.on('error', () => end(0));
    req.end(body);
  });
}
