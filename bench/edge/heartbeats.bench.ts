import { startChildServer } from '../harness/child-server.js';
import { keptAgent, latencyOf, timeAtRate } from '../harness/latency.js';
import { longOrShort } from '../harness/mode.js';
import { requestOf, runLoop } from '../harness/net-load.js';
import { comparePairs, type Sample } from '../harness/pairs.js';
import { cpuSecondsOf } from '../harness/process-tree.js';
import { atLeast, atMost, type BenchResult } from '../harness/results.js';
import { type EdgeBench, withEdgeBench } from './edge-bench.js';
import { HEARTBEAT, heartbeatHeaders, postHeartbeat } from './post-heartbeat.js';

const PAIRS = longOrShort(5, 3);
const SECONDS = longOrShort(5, 2);
const CONNECTIONS = longOrShort(500, 100);
const OPEN_LOOP_S = longOrShort(20, 4);
/** Heartbeats of as many devices as connections, against node:http that answers the same, and one durable insert for each request. */
export const edgeHeartbeats = (): Promise<BenchResult> => withEdgeBench(CONNECTIONS, measure);

async function measure(bench: EdgeBench): Promise<BenchResult> {
  const { facts, owner } = bench;
  await owner.query(`create table plain_heartbeat (id bigint generated always as identity primary key,
    device text not null, received_at timestamptz not null, cpu float8, mem float8, disk float8, payload jsonb)`);
  const database = new URL(`postgresql://127.0.0.1:${owner.port}/${owner.database}`);
  Object.assign(database, { username: owner.user, password: owner.password });
  const bare = await startChildServer('bare-http', [
    '{"status":"ok","received_at":"2026-11-26T00:00:00.000Z"}',
  ]);
  const plain = await startChildServer('insert-each', [database.href]);
  const api = facts.pids.api as number;
  const postgres = facts.pids.postgres as number;
  const ours = (servers: readonly number[]) => () => load(bench, facts.base_url, servers);
  try {
    for (const url of [facts.base_url, bare.baseUrl, plain.baseUrl]) await load(bench, url, [api]);
    const ofHttp = await comparePairs(PAIRS, ours([api]), () => load(bench, bare.baseUrl, [bare.pid]));
    const plainPids = [plain.pid, postgres];
    const ofInserts = await comparePairs(PAIRS, ours([api, postgres]), () =>
      load(bench, plain.baseUrl, plainPids),
    );
    const { perWallS } = await ours([api])();
    const rate = Math.max(1, Math.floor(perWallS / 2));
    const atHalfLoad = latencyOf(await beatsAt(bench, rate));
    const { rows } = await owner.query<{ n: string }>(
      'select count(distinct device) as n from edge_heartbeat',
    );
    if (Number(rows[0]?.n) !== CONNECTIONS) throw new Error(`heartbeats of ${rows[0]?.n} devices are there`);
    return {
      figures: {
        ...{ connections: CONNECTIONS, seconds: SECONDS },
        per_cpu_s_of_the_api: ofHttp,
        against_one_insert_each: ofInserts,
        half_load: { per_s: rate, ms: atHalfLoad },
      },
      goals: [
        atLeast('heartbeats a CPU-second of the API, of bare node:http', ofHttp.ratio.median, 0.2),
        atLeast('heartbeats a second, of one insert for each request', ofInserts.wallRatio.median, 10),
        atMost('p99 at half load, ms', atHalfLoad.p99, 25),
      ],
    };
  } finally {
    await bare.stop();
    await plain.stop();
  }
}

/** The same requests for every server. */
async function load(bench: EdgeBench, baseUrl: string, servers: readonly number[]): Promise<Sample> {
  const url = `${baseUrl}/api/v1/edge/heartbeat`;
  const requests = bench.devices.map(({ token }) =>
    requestOf('POST', url, heartbeatHeaders(token), HEARTBEAT),
  );
  const until = performance.now() + SECONDS * 1000;
  const [cpu, startedAt] = [cpuSecondsOf(servers), performance.now()];
  const next = (connection: number) => (performance.now() < until ? (requests[connection] as Buffer) : null);
  const { requests: done, failures } = await runLoop({ url, connections: CONNECTIONS, next });
  if (failures > 0) throw new Error(`${failures} heartbeats failed at ${baseUrl}`);
  const wallS = (performance.now() - startedAt) / 1000;
  return { perWallS: done / wallS, perCpuS: done / Math.max(0.01, cpuSecondsOf(servers) - cpu) };
}

/** Open-loop. */
async function beatsAt({ facts, devices }: EdgeBench, perSecond: number): Promise<number[]> {
  const agent = keptAgent(CONNECTIONS);
  let turn = 0;
  const beat = () => {
    const { token } = devices[turn++ % devices.length] as (typeof devices)[number];
    return postHeartbeat(agent, facts.base_url, token);
  };
  try {
    await timeAtRate(perSecond, 2, beat);
    return await timeAtRate(perSecond, OPEN_LOOP_S, beat);
  } finally {
    agent.destroy();
  }
}
