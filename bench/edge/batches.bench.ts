import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { latencyOf } from '../harness/latency.js';
import { longOrShort } from '../harness/mode.js';
import { runLoop } from '../harness/net-load.js';
import { comparePairs, type Sample } from '../harness/pairs.js';
import { cpuSecondsOf } from '../harness/process-tree.js';
import { atLeast, type BenchResult } from '../harness/results.js';
import { type Spread, spreadOf } from '../harness/statistics.js';
import { type EdgeBench, withEdgeBench } from './edge-bench.js';
import { batchRequest, RECORDS, recordsOf } from './telemetry-posts.js';

const PAIRS = longOrShort(5, 3);
const BATCHES = longOrShort(1600, 300);
const DEVICES = 1000;
const CALLERS = 32;
/** Where COPY reaches the second of these rows a second, the first is asked for. */
const WANTED = [50_000, 141_000] as const;

/** Batches of 100 records of 1,000 devices over HTTP, durable, against COPY of as many rows from a file of the server into the same table. */
export const edgeBatches = (): Promise<BenchResult> => withEdgeBench(DEVICES, measure);

async function measure(bench: EdgeBench): Promise<BenchResult> {
  const walls: Record<'post' | 'copy', number[]> = { post: [], copy: [] };
  const times: number[] = [];
  const post = recorded(walls.post, () => timed(bench, () => postAll(bench, (ms) => times.push(ms))));
  const file = writeRows(bench);
  const columns = 'tenant_id, device, received_at, kept_days, kind, ts, data';
  const copy = recorded(walls.copy, () =>
    timed(bench, () => bench.owner.query(`copy telemetry (${columns}) from '${file}'`)),
  );
  await post();
  await copy();
  for (const list of [walls.post, walls.copy, times]) list.length = 0;
  const pairs = await comparePairs(PAIRS, post, copy);
  const rowsPerS = { post: spreadOf(walls.post), copy: spreadOf(walls.copy) };
  return {
    figures: {
      rows: BATCHES * RECORDS,
      ...{ callers: CALLERS, devices: DEVICES, records_of_a_batch: RECORDS },
      rows_per_cpu_s: pairs,
      rows_per_s: rowsPerS,
      batch_ms: latencyOf(times),
      cpu: 'of API and PostgreSQL; the caller is another process on the same cores',
    },
    goals: [atLeast('rows a second, of COPY', pairs.wallRatio.median, 0.5), ...absolute(rowsPerS)],
  };
}

const absolute = ({ post, copy }: Record<'post' | 'copy', Spread>) =>
  copy.median >= WANTED[1] ? [atLeast('rows a second', post.median, WANTED[0])] : [];

const recorded = (walls: number[], sample: () => Promise<Sample>) => async (): Promise<Sample> => {
  const found = await sample();
  walls.push(found.perWallS);
  return found;
};

/** Each from the same empty table. */
async function timed({ owner, facts }: EdgeBench, work: () => Promise<unknown>): Promise<Sample> {
  await owner.query('truncate telemetry, telemetry_batch');
  await owner.query('checkpoint');
  const servers = [facts.pids.api as number, facts.pids.postgres as number];
  const rows = BATCHES * RECORDS;
  const [cpu, startedAt] = [cpuSecondsOf(servers), performance.now()];
  await work();
  const wallS = (performance.now() - startedAt) / 1000;
  const cpuS = cpuSecondsOf(servers) - cpu;
  const { rows: counted } = await owner.query<{ n: string }>('select count(*) as n from telemetry');
  if (Number(counted[0]?.n) !== rows) throw new Error(`${counted[0]?.n} rows are there, not ${rows}`);
  return { perCpuS: rows / cpuS, perWallS: rows / wallS };
}

let runs = 0;

async function postAll(bench: EdgeBench, note: (ms: number) => void): Promise<void> {
  runs += 1;
  let sent = 0;
  const next = () => (sent < BATCHES ? batchRequest(bench, sent++, `run-${runs}`) : null);
  const { failures } = await runLoop({
    ...{ url: bench.facts.base_url, connections: CALLERS, next, onAnswer: note },
  });
  if (failures > 0) throw new Error(`${failures} batches were refused`);
}

/** The same records as text for COPY. */
function writeRows({ dataDir, devices, tenantId }: EdgeBench): string {
  const file = join(dataDir, 'telemetry.copy');
  const now = new Date().toISOString();
  const lines: string[] = [];
  for (let n = 0; n < BATCHES; n += 1) {
    const device = devices[n % devices.length]?.number;
    for (const { kind, ts, data } of recordsOf(n % devices.length))
      lines.push(`${tenantId}\t${device}\t${now}\t30\t${kind}\t${ts}\t${JSON.stringify(data)}\n`);
  }
  writeFileSync(file, lines.join(''));
  return file;
}
