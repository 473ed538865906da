import { setTimeout as sleep } from 'node:timers/promises';
import { callerOf, signInFor } from '../harness/bench-tenant.js';
import { startChildServer } from '../harness/child-server.js';
import { eachOf } from '../harness/http-client.js';
import { latencyOf, timeAtRate } from '../harness/latency.js';
import { longOrShort } from '../harness/mode.js';
import { requestOf, runLoop } from '../harness/net-load.js';
import { ADMIN } from '../harness/platform.js';
import { pssBytesOf } from '../harness/process-tree.js';
import { atMost, type BenchResult } from '../harness/results.js';
import { type BenchDevice, type EdgeBench, TENANT, withEdgeBench } from './edge-bench.js';
import { FailureCounts } from './failure-counts.js';
import { HEARTBEAT, heartbeatHeaders } from './post-heartbeat.js';
import { PollingDevice } from './polling-device.js';
import { type ApiProcess, withSecondApi } from './second-api.js';

const POLLS = longOrShort(10_000, 1000);
const COMMANDS_A_S = 25;
const DELIVERING_S = longOrShort(20, 5);
const WARM_UP_CALLS = longOrShort(20_000, 2000);
const WAIT_S = 60;
const AT_ONCE = 64;
/** What was begun for the polls and is not kept has gone by then. */
const AT_REST_MS = longOrShort(15_000, 3000);
const KIB = 1024;

/** Devices that wait for commands at two API processes: what a waiting one takes, and how soon it has its command. */
export const edgeHeldPolls = (): Promise<BenchResult> =>
  withEdgeBench(POLLS, (bench) =>
    withSecondApi(bench.facts, async (second) => {
      const first = { baseUrl: bench.facts.base_url, pid: bench.facts.pids.api as number };
      const bare = await startChildServer('held-requests');
      try {
        const apis = [first, second];
        // What a process takes for calls of any kind is none of a poll's.
        for (const { baseUrl } of apis) await callMuch(baseUrl, bench.devices);
        await sleep(AT_REST_MS);
        const limit = await memoryOf([bare], bench.devices, () => undefined);
        limit.end();
        return await measure(bench, apis, limit.bytesOfAPoll);
      } finally {
        await bare.stop();
      }
    }),
  );

async function measure(
  bench: EdgeBench,
  apis: readonly ApiProcess[],
  bareBytes: number,
): Promise<BenchResult> {
  const gotAt = new Map<string, number>();
  let doubled = 0;
  const waiting = await memoryOf(apis, bench.devices, (id) => {
    if (gotAt.has(id)) doubled += 1;
    gotAt.set(id, performance.now());
  });
  const givenAt = await giveCommands(bench, apis);
  await sleep(2000);
  waiting.end();
  const lost = [...givenAt.keys()].filter((id) => !gotAt.has(id)).length;
  if (lost + doubled + waiting.failures.total > 0)
    throw new Error(`${lost} commands lost, ${doubled} doubled; ${waiting.failures.kinds.join('; ')}`);
  // The device may have its command before who gave it has the answer.
  const times = [...givenAt].map(([id, at]) => Math.max(0, (gotAt.get(id) as number) - at));
  const delivery = latencyOf(times);
  return {
    figures: {
      ...{ polls: POLLS, api_processes: apis.length, commands: givenAt.size, commands_a_s: COMMANDS_A_S },
      kib_of_a_poll: waiting.bytesOfAPoll / KIB,
      kib_of_a_poll_on_bare_http: bareBytes / KIB,
      of_bare_http: waiting.bytesOfAPoll / bareBytes,
      delivery_ms: delivery,
      delivery: 'from the answer to who gave the command until its device has it',
    },
    goals: [
      atMost('KiB of a held poll', waiting.bytesOfAPoll / KIB, 20),
      atMost('p50 of the delivery, ms', delivery.p50, 10),
      atMost('p99 of the delivery, ms', delivery.p99, 50),
    ],
  };
}

async function callMuch(baseUrl: string, devices: readonly BenchDevice[]): Promise<void> {
  const url = `${baseUrl}/api/v1/edge/heartbeat`;
  let calls = 0;
  const next = () => {
    if (calls >= WARM_UP_CALLS) return null;
    const { token } = devices[calls++ % devices.length] as BenchDevice;
    return requestOf('POST', url, heartbeatHeaders(token), HEARTBEAT);
  };
  const { failures } = await runLoop({ url, connections: AT_ONCE, next });
  if (failures > 0) throw new Error(`${failures} heartbeats failed at ${baseUrl}`);
}

/** Opens all polls, in turn at each server. */
async function memoryOf(
  servers: readonly ApiProcess[],
  devices: readonly BenchDevice[],
  onCommand: (id: string) => void,
) {
  const failures = new FailureCounts();
  const pids = servers.map(({ pid }) => pid);
  const before = pssBytesOf(pids);
  const polling = devices.map((device, n) => {
    const { baseUrl } = servers[n % servers.length] as ApiProcess;
    return () => new PollingDevice(baseUrl, device, WAIT_S, onCommand, (kind) => failures.add(kind));
  });
  const open: PollingDevice[] = [];
  await eachOf(polling.length, AT_ONCE, async (n) => {
    const one = (polling[n] as () => PollingDevice)();
    open.push(one);
    await one.begin();
  });
  await sleep(AT_REST_MS);
  return {
    failures,
    bytesOfAPoll: (pssBytesOf(pids) - before) / devices.length,
    end: () => {
      for (const one of open) one.end();
    },
  };
}

/** Open-loop, to devices by chance, at both processes in turn. @returns when each was answered, by id */
async function giveCommands(
  { facts, devices }: EdgeBench,
  apis: readonly ApiProcess[],
): Promise<Map<string, number>> {
  const token = await signInFor(facts.base_url, ADMIN.email, ADMIN.password);
  const callers = apis.map(({ baseUrl }) => callerOf(baseUrl, token));
  const givenAt = new Map<string, number>();
  let turn = 0;
  await timeAtRate(COMMANDS_A_S, DELIVERING_S, async () => {
    const call = callers[turn++ % callers.length] as (typeof callers)[number];
    const { key } = devices[Math.floor(Math.random() * devices.length)] as BenchDevice;
    const path = `/api/v1/edge/devices/${key}/commands?tenant=${TENANT}`;
    const { id } = await call('POST', path, { type: 'count' });
    givenAt.set(String(id), performance.now());
    return 0;
  });
  return givenAt;
}
