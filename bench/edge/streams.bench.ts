import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { signInFor } from '../harness/bench-tenant.js';
import { startChildServer } from '../harness/child-server.js';
import { eachOf } from '../harness/http-client.js';
import { keptAgent } from '../harness/latency.js';
import { longOrShort } from '../harness/mode.js';
import { requestOf } from '../harness/net-load.js';
import { comparePairs, type Sample } from '../harness/pairs.js';
import { ADMIN } from '../harness/platform.js';
import { cpuSecondsOf } from '../harness/process-tree.js';
import { atLeast, type BenchResult } from '../harness/results.js';
import { type EdgeBench, TENANT, withEdgeBench } from './edge-bench.js';
import { postHeartbeat } from './post-heartbeat.js';

const CLIENTS = longOrShort(5000, 300);
const EVENTS_A_S = 4;
const PAIRS = longOrShort(5, 3);
const SECONDS = longOrShort(8, 3);
const AT_ONCE = 64;
const EVENT = Buffer.from('event: heartbeat\n');

/** One device that many watch: events that reach its watchers, for each CPU-second of the API, against raw writes of the same bytes. */
export const edgeStreams = (): Promise<BenchResult> =>
  withEdgeBench(1, measure, {
    SERVICE_STREAMS_PER_USER: '10000',
    SERVICE_STREAMS_PER_TENANT: '20000',
  });

async function measure(bench: EdgeBench): Promise<BenchResult> {
  const { facts, devices } = bench;
  const device = devices[0] as (typeof devices)[number];
  const token = await signInFor(facts.base_url, ADMIN.email, ADMIN.password);
  const url = `${facts.base_url}/api/v1/stream/edge/${device.key}?tenant=${TENANT}`;
  const watch = requestOf('GET', url, { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' });
  const watchers = new Watchers();
  const agent = keptAgent(1);
  const beat = () => postHeartbeat(agent, facts.base_url, device.token);
  try {
    const connectedInS = await watchers.open(facts.base_url, watch, CLIENTS);
    await beat();
    await sleep(500);
    const frame = watchers.lastFrame;
    const bare = await startChildServer('raw-events', [frame, String(EVENTS_A_S)]);
    const raw = new Watchers();
    try {
      await raw.open(bare.baseUrl, Buffer.from('\n'), CLIENTS);
      const api = facts.pids.api as number;
      const ours = () => sample(watchers, api, () => every(beat));
      const theirs = () => sample(raw, bare.pid, () => sleep(SECONDS * 1000));
      const pairs = await comparePairs(PAIRS, ours, theirs);
      return {
        figures: {
          ...{ clients: CLIENTS, events_a_s: EVENTS_A_S, frame_bytes: frame.length },
          connected_in_s: connectedInS,
          deliveries_per_cpu_s: pairs,
        },
        goals: [atLeast('events delivered a CPU-second of the API, of raw writes', pairs.ratio.median, 0.4)],
      };
    } finally {
      raw.close();
      await bare.stop();
    }
  } finally {
    watchers.close();
    agent.destroy();
  }
}

async function every(beat: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  for (let n = 0; n < EVENTS_A_S * SECONDS; n += 1) {
    await beat();
    await sleep(Math.max(0, startedAt + ((n + 1) * 1000) / EVENTS_A_S - performance.now()));
  }
}

/** @throws Error when some watcher got none of the events */
async function sample(watchers: Watchers, pid: number, work: () => Promise<unknown>): Promise<Sample> {
  const [events, cpu, startedAt] = [watchers.events, cpuSecondsOf([pid]), performance.now()];
  await work();
  await sleep(300);
  const wallS = (performance.now() - startedAt) / 1000;
  const [delivered, cpuS] = [watchers.events - events, cpuSecondsOf([pid]) - cpu];
  const expected = CLIENTS * EVENTS_A_S * SECONDS;
  if (delivered < expected * 0.9) throw new Error(`${delivered} of ${expected} events arrived`);
  return { perCpuS: delivered / cpuS, perWallS: delivered / wallS };
}

/** Raw connections that count the events they get. */
class Watchers {
  events = 0;
  lastFrame = '';
  private readonly sockets: Socket[] = [];

  /** @returns seconds until each had its first byte */
  async open(baseUrl: string, hello: Buffer, count: number): Promise<number> {
    const { hostname, port } = new URL(baseUrl);
    const startedAt = performance.now();
    await eachOf(count, AT_ONCE, async () => {
      const socket = connect(Number(port), hostname);
      this.sockets.push(socket);
      await new Promise<void>((resolve, reject) => {
        socket.on('error', reject);
        socket.on('connect', () => socket.write(hello));
        socket.on('data', (piece: Buffer) => {
          this.take(piece);
          resolve();
        });
      });
    });
    return (performance.now() - startedAt) / 1000;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private take(piece: Buffer): void {
    for (let at = piece.indexOf(EVENT); at >= 0; at = piece.indexOf(EVENT, at + EVENT.length)) {
      this.events += 1;
      if (this.lastFrame === '') this.lastFrame = piece.subarray(at).toString();
    }
  }
}
