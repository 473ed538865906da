import { longOrShort } from '../harness/mode.js';
import { comparePairs, type PairResult } from '../harness/pairs.js';
import { atLeast, type BenchResult } from '../harness/results.js';
import {
  callsFor,
  createExperiment,
  createRun,
  type Side,
  type TrackerBench,
  withTrackerBench,
} from './tracker-bench.js';

const PAIRS = longOrShort(5, 3);
const WINDOW_S = longOrShort(10, 3);
const CALLERS = 4;
const BATCH = 1000;
const KEYS = 10;

/** Metrics as clients log them, against `mlflow server` with 4 workers on the same PostgreSQL: each caller has a run of its own. */
export const trackerWrites = (): Promise<BenchResult> =>
  withTrackerBench(async (bench) => {
    const batches = await compare(bench, logBatch);
    const single = await compare(bench, logMetric);
    return {
      figures: {
        callers: CALLERS,
        window_s: WINDOW_S,
        metrics_of_a_batch: BATCH,
        batches_per_s: batches,
        single_metrics_per_s: single,
      },
      goals: [
        atLeast('log_batch of 1,000 metrics a second, of the peer', batches.wallRatio.median, 10),
        atLeast('single metrics a second, of the peer', single.wallRatio.median, 8),
      ],
    };
  });

type Call = (side: Side, run_id: string, n: number) => Promise<void>;

const logBatch: Call = async ({ http, api }, run_id, n) => {
  const metrics = Array.from({ length: BATCH }, (_, at) => ({
    key: `metric-${at % KEYS}`,
    value: Math.random(),
    timestamp: Date.now(),
    step: n * (BATCH / KEYS) + Math.floor(at / KEYS),
  }));
  await http.json('POST', `${api}/runs/log-batch`, { run_id, metrics });
};

const logMetric: Call = async ({ http, api }, run_id, n) => {
  const metric = { key: 'loss', value: Math.random(), timestamp: Date.now(), step: n };
  await http.json('POST', `${api}/runs/log-metric`, { run_id, ...metric });
};

async function compare({ ours, peer }: TrackerBench, call: Call): Promise<PairResult> {
  const sampleOf = async (side: Side) => {
    const experiment = await createExperiment(side, `writes/${call.name}`);
    const runs = await Promise.all(Array.from({ length: CALLERS }, () => createRun(side, experiment)));
    const work = (n: number, caller: number) => call(side, runs[caller] as string, n);
    await callsFor(side, 1, CALLERS, work);
    return () => callsFor(side, WINDOW_S, CALLERS, (n, caller) => work(n + 1_000_000, caller));
  };
  return comparePairs(PAIRS, await sampleOf(ours), await sampleOf(peer));
}
