import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkflowEngine } from '../../adapters/temporal/temporal-workflow-engine.js';
import { Slots } from '../../core/load/slots.js';
import { callerOf, signInFor } from '../harness/bench-tenant.js';
import { eachOf } from '../harness/http-client.js';
import { keptAgent, latencyOf, timeGet } from '../harness/latency.js';
import { longOrShort } from '../harness/mode.js';
import { ADMIN } from '../harness/platform.js';
import { cpuSecondsOf, pssBytesOf } from '../harness/process-tree.js';
import { atMost, type BenchResult } from '../harness/results.js';
import { settingsOf } from '../harness/service-settings.js';
import { type EdgeBench, TENANT, withEdgeBench } from './edge-bench.js';
import { FailureCounts } from './failure-counts.js';
import { PollingDevice } from './polling-device.js';

const DEVICES = longOrShort(10_000, 1000);
const MODEL = 'deployed';
const LOCATION = 'field';
/** One in a hundred, then a tenth, then the rest; as many of each may fail as do, and some more. */
const GROUPS = [{ percent: 1 }, { percent: 10 }, {}].map((group) => ({ ...group, error_threshold: 5 }));
const STEPS = ['downloading', 'installing', 'verifying'].map((step) =>
  JSON.stringify({ status: 'running', result: { step, progress: 0.5 } }),
);
const SUCCEEDS = [...STEPS, JSON.stringify({ status: 'succeeded' })];
const WRONG = 'It does not start.';
const FAILS = [...STEPS, JSON.stringify({ status: 'failed', result: { message: WRONG } })];
/** One device of a hundred fails in its last step; none of the first ten by key, of which a short run has its first group. */
const isFailing = (n: number): boolean => n % 100 === 57;
const WAIT_S = 60;
const AT_ONCE = 64;
/** Devices take their time to download and install; without that all would say each step in the same second. */
const REPORTS_AT_ONCE = 64;
const READ_EVERY_MS = 250;
const ENDS_WITHIN_S = 1200;
const PAGE = 200;
const MIB = 2 ** 20;

/**
 * A version that goes to a whole fleet in groups with thresholds while all devices wait for commands, and then report each step;
 * some fail. The devices are written by SQL; all else goes over HTTP.
 */
export const edgeDeployment = (): Promise<BenchResult> =>
  withEdgeBench(DEVICES, async (bench) => {
    await addModel(bench);
    const { facts, owner, tenantId } = bench;
    await owner.query('update edge_device set location = $2 where tenant_id = $1', [tenantId, LOCATION]);
    const pids = [facts.pids.api, facts.pids.worker].filter((pid) => pid !== null);
    const engines = [facts.pids.postgres, facts.pids.temporal].filter((pid) => pid !== null);
    const fleet = await holdPolls(bench);
    try {
      const before = { pss: pids.map((pid) => pssBytesOf([pid])), cpu: cpuSecondsOf([...pids, ...engines]) };
      const deployed = await deploy(bench, fleet, pids);
      const cpuS = cpuSecondsOf([...pids, ...engines]) - before.cpu;
      const runs = await historiesOf(bench, deployed.id);
      const ends = await readEnds(bench, deployed.id);
      const [api = 0, worker = 0] = deployed.mostPss.map((most, at) => (most - (before.pss[at] ?? 0)) / MIB);
      const { reads, lines, seconds, createMs, firstCommandMs } = deployed;
      const refused = fleet.failures.total;
      return {
        figures: {
          ...{
            devices: DEVICES,
            groups: GROUPS.length,
            reports: fleet.times.length,
            reports_at_once: REPORTS_AT_ONCE,
            refused,
          },
          ...{ create_ms: createMs, first_command_ms: firstCommandMs, seconds, cpu_s: cpuS },
          ...{ devices_a_s: DEVICES / seconds, report_ms: latencyOf(fleet.times) },
          ...{ read_ms: reads, log_of_a_device_ms: lines },
          ...{ ...ends, history_runs: runs.length, history_events: Math.max(...runs) },
          ...{ api_mib_more: api, worker_mib_more: worker },
          failures: fleet.failures.kinds,
        },
        goals: [
          atMost('devices in another state than they said', ends.wrong, 0),
          atMost('history events of a run', Math.max(...runs), 5000),
          atMost('ms until the first device has its command', firstCommandMs, 5000),
          atMost('p99 of GET /deployments/{id} meanwhile, ms', reads.p99, 500),
          atMost('MiB more of the worker', worker, 128),
        ],
      };
    } catch (error) {
      const { total, kinds } = fleet.failures;
      throw new Error([`${total} calls of devices failed`, ...kinds].join('\n  '), { cause: error });
    } finally {
      fleet.end();
    }
  });

const addModel = ({ owner, tenantId }: EdgeBench) =>
  owner.query(
    `with made as (insert into model (tenant_id, name, last_version) values ($1, $2, 1) returning id)
     insert into model_version (tenant_id, model_id, version, run_id, size_bytes)
     select $1, id, 1, replace(gen_random_uuid()::text, '-', ''), 1 from made`,
    [tenantId, MODEL],
  );

async function holdPolls({ facts, devices }: EdgeBench) {
  const failures = new FailureCounts();
  const times: number[] = [];
  const first = Promise.withResolvers<number>();
  const shared = { onAnswer: (ms: number) => times.push(ms), turns: new Slots(REPORTS_AT_ONCE) };
  const open: PollingDevice[] = [];
  await eachOf(devices.length, AT_ONCE, async (n) => {
    const device = devices[n] as (typeof devices)[number];
    const one = new PollingDevice(
      ...([facts.base_url, device, WAIT_S, () => first.resolve(performance.now())] as const),
      (kind) => failures.add(kind),
      { ...shared, reports: isFailing(n) ? FAILS : SUCCEEDS },
    );
    open.push(one);
    await one.begin();
  });
  await sleep(longOrShort(5000, 1000));
  const end = () => {
    for (const one of open) one.end();
  };
  return { failures, times, firstAt: first.promise, end };
}

async function deploy(
  { facts }: EdgeBench,
  { firstAt }: { readonly firstAt: Promise<number> },
  pids: readonly number[],
) {
  const token = await signInFor(facts.base_url, ADMIN.email, ADMIN.password);
  const call = callerOf(facts.base_url, token);
  const startedAt = performance.now();
  const made = await call('POST', `/api/v1/deployments?tenant=${TENANT}`, {
    ...{ model_name: MODEL, version: 1, targets: { location: LOCATION }, groups: GROUPS },
  });
  const [id, createMs] = [String(made.id), performance.now() - startedAt];
  const [reads, lines]: [number[], number[]] = [[], []];
  let mostPss = pids.map(() => 0);
  const agent = keptAgent(2);
  const url = `${facts.base_url}/api/v1/deployments/${id}`;
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': TENANT };
  for (let at = 0; ; at += 1) {
    reads.push(await timeGet(agent, url, headers));
    if (at % 4 === 0) {
      lines.push(await timeGet(agent, `${url}/logs?device_id=bench-1`, headers));
      mostPss = mostPss.map((most, n) => Math.max(most, pssBytesOf([pids[n] as number])));
      const { status, status_message } = await call('GET', `/api/v1/deployments/${id}?tenant=${TENANT}`);
      if (status === 'SUCCEEDED') break;
      if (
        !['PENDING', 'IN_PROGRESS'].includes(String(status)) ||
        performance.now() - startedAt > ENDS_WITHIN_S * 1000
      )
        throw new Error(`the deployment is ${status}: ${status_message}`);
    }
    await sleep(READ_EVERY_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return {
    ...{ id, createMs, firstCommandMs: (await firstAt) - startedAt, seconds, mostPss },
    ...{ reads: latencyOf(reads), lines: latencyOf(lines) },
  };
}

/** How each device has ended, as the API lists it, and what is installed on it, against what it said last. */
async function readEnds({ facts, owner, tenantId, devices }: EdgeBench, id: string) {
  const call = callerOf(facts.base_url, await signInFor(facts.base_url, ADMIN.email, ADMIN.password));
  const ended = new Map<string, string>();
  for (let page = 1; ended.size < devices.length; page += 1) {
    const path = `/api/v1/deployments/${id}/devices?tenant=${TENANT}&page_size=${PAGE}&page=${page}`;
    const items = (await call('GET', path)).items as ReadonlyArray<Record<string, string>>;
    for (const { device_id, step, message } of items) ended.set(String(device_id), `${step} ${message}`);
    if (items.length < PAGE) break;
  }
  const { rows } = await owner.query<{ key: string }>(
    `select d.key from edge_installed_model i join edge_device d on d.id = i.device_id
     where i.tenant_id = $1 and i.version = 1`,
    [tenantId],
  );
  const installed = new Set(rows.map(({ key }) => key));
  const wrong = devices.filter(({ key }, n) => {
    const end = isFailing(n) ? `failed ${WRONG}` : 'succeeded null';
    return ended.get(key) !== end || installed.has(key) === isFailing(n);
  });
  const failed = devices.filter((_, n) => isFailing(n)).length;
  return { succeeded: devices.length - failed, failed, wrong: wrong.length };
}

/** Events of each run of its workflow. */
async function historiesOf({ facts }: EdgeBench, deploymentId: string): Promise<number[]> {
  const env = settingsOf(facts, 'worker');
  const engine = createWorkflowEngine({
    address: env.TEMPORAL_ADDRESS as string,
    namespace: env.TEMPORAL_NAMESPACE as string,
  });
  try {
    const runs: number[] = [];
    for await (const { workflowId, runId } of engine.client.workflow.list({
      query: 'WorkflowType = "deployment"',
    }))
      if (workflowId.includes(deploymentId))
        runs.push((await engine.client.workflow.getHandle(workflowId, runId).describe()).historyLength);
    return runs;
  } finally {
    await engine.close();
  }
}
