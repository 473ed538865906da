import { latencyOf } from '../harness/latency.js';
import { longOrShort } from '../harness/mode.js';
import { atLeast, atMost, type BenchResult } from '../harness/results.js';
import { type Spread, spreadOf } from '../harness/statistics.js';
import { createExperiment, type Side, type TrackerBench, withTrackerBench } from './tracker-bench.js';
import { seedOurs, seedPeer, seedSeries } from './tracker-rows.js';

const RUNS = longOrShort(100_000, 20_000);
const POINTS = longOrShort(1_000_000, 200_000);
const ROUNDS = longOrShort(7, 3);
const SEARCHES = longOrShort(10, 5);

const FILTER = "metrics.accuracy > 0.9 and params.model = 'model-7'";
/** The same rows match in both. */
const ORDERS = { by_metric: ['metrics.accuracy DESC'], newest: ['attributes.start_time DESC'] } as const;

/** Searches over many runs against `mlflow server` with the same rows on the same PostgreSQL, and a long series sampled. */
export const trackerReads = (): Promise<BenchResult> =>
  withTrackerBench(async (bench) => {
    const ours = await createExperiment(bench.ours, 'reads/search');
    const peer = await createExperiment(bench.peer, 'reads/search');
    await seedOurs(bench, ours, RUNS);
    await seedPeer(bench, peer, RUNS);
    const searches: Record<string, Compared> = {};
    for (const [name, order] of Object.entries(ORDERS))
      searches[name] = await compareSearches(bench, [ours, peer], order);
    const series = await seriesMs(bench, ours);
    return {
      figures: {
        runs: RUNS,
        filter: FILTER,
        page: 100,
        searches_p50: searches,
        points: POINTS,
        series_ms: series,
      },
      goals: [
        ...Object.entries(searches).map(([name, { ratio }]) =>
          atLeast(`search by metric and param (${name}), p50 of the peer over ours`, ratio.median, 15),
        ),
        atMost('a series of a million points sampled to 1,000, p50 ms', series.p50, 150),
      ],
    };
  });

interface Compared {
  readonly ours_ms: Spread;
  readonly peer_ms: Spread;
  readonly ratio: Spread;
}

async function compareSearches(
  { ours, peer }: TrackerBench,
  [ourExperiment, theirExperiment]: readonly [string, string],
  order: readonly string[],
): Promise<Compared> {
  const [one, other] = [await search(ours, ourExperiment, order), await search(peer, theirExperiment, order)];
  if (one.join() !== other.join() || one.length === 0)
    throw new Error(`the answers differ: ${one.slice(0, 3)} and ${other.slice(0, 3)}`);
  const p50: Record<'ours' | 'peer', number[]> = { ours: [], peer: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    p50.ours.push(await p50Of(SEARCHES, () => search(ours, ourExperiment, order)));
    p50.peer.push(await p50Of(SEARCHES, () => search(peer, theirExperiment, order)));
  }
  return {
    ours_ms: spreadOf(p50.ours),
    peer_ms: spreadOf(p50.peer),
    ratio: spreadOf(p50.peer.map((ms, round) => ms / (p50.ours[round] as number))),
  };
}

async function search(
  { http, api }: Side,
  experiment: string,
  order_by: readonly string[],
): Promise<string[]> {
  const body = { experiment_ids: [experiment], filter: FILTER, order_by, max_results: 100 };
  type Found = { runs: Array<{ info: { run_name: string } }> };
  const { runs } = await http.json<Found>('POST', `${api}/runs/search`, body);
  return runs.map(({ info }) => info.run_name);
}

async function p50Of(times: number, work: () => Promise<unknown>): Promise<number> {
  return (await latencies(times, work)).p50;
}

async function latencies(times: number, work: () => Promise<unknown>) {
  const ms: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const startedAt = performance.now();
    await work();
    ms.push(performance.now() - startedAt);
  }
  return latencyOf(ms);
}

/** The interval call of MLflow's own pages with 1,000 points at most. */
async function seriesMs(bench: TrackerBench, experiment: string) {
  const runId = await seedSeries(bench, experiment, POINTS);
  const { http, api } = bench.ours;
  const url = `${api}/metrics/get-history-bulk-interval?run_ids=${runId}&metric_key=long&max_results=1000`;
  const { metrics } = await http.json<{ metrics: unknown[] }>('GET', url);
  if (metrics.length < 500 || metrics.length > 1002) throw new Error(`${metrics.length} points came`);
  return latencies(ROUNDS * 3, () => http.json('GET', url));
}
