import { setTimeout as sleep } from 'node:timers/promises';
import { signInFor } from '../harness/bench-tenant.js';
import { keptAgent, latencyOf, timeGet } from '../harness/latency.js';
import { longOrShort } from '../harness/mode.js';
import { runLoop } from '../harness/net-load.js';
import { ADMIN } from '../harness/platform.js';
import { atMost, type BenchResult } from '../harness/results.js';
import { spreadOf } from '../harness/statistics.js';
import { type EdgeBench, TENANT, withEdgeBench } from './edge-bench.js';
import { dropPastDay, fillPastDay } from './past-day.js';
import { batchRequest } from './telemetry-posts.js';

const DAY_ROWS = longOrShort(5_000_000, 100_000);
const FEED_ROWS = longOrShort(10_000_000, 200_000);
const FILL_AT_ONCE = 1_000_000;
const DEVICES = 100;
const PAGES = longOrShort(500, 60);
/** Days that end while batches come. */
const DAYS = longOrShort(3, 2);
const CALLERS = 4;
/** Records of the pages that are passed on the way to a place deep in a feed. */
const LARGE_PAGE = 150;
const QUIET_MS = longOrShort(8000, 2000);

/** A day of telemetry that ends while batches come, and pages of feeds in a large table. */
export const edgeRetention = (): Promise<BenchResult> =>
  withEdgeBench(DEVICES, async (bench) => {
    const drops = await dropsBesideIngest(bench);
    await fillFeeds(bench);
    const pages = await readPages(bench);
    const together = drops.map(({ detach_ms, drop_ms }) => detach_ms + drop_ms);
    const rise = Math.max(...drops.map(({ during, before }) => during.p99 / before.p99));
    return {
      figures: {
        day: { rows: DAY_ROWS, together_ms: spreadOf(together), drops },
        feed: { rows: FEED_ROWS, devices: DEVICES, page_ms: pages },
      },
      goals: [
        atMost('a day dropped while batches come, ms', spreadOf(together).median, 200),
        atMost('p99 of batches around a drop, times that before', rise, 1.5),
        atMost('p99 of the first page of a feed, ms', pages.first.p99, 15),
        atMost('p99 of later pages of a feed, ms', pages.later.p99, 15),
      ],
    };
  });

async function dropsBesideIngest(bench: EdgeBench) {
  const drops: Array<
    Awaited<ReturnType<typeof dropPastDay>> & Record<'before' | 'during', ReturnType<typeof latencyOf>>
  > = [];
  for (let day = 0; day < DAYS; day += 1) {
    await fillPastDay(bench.owner, DAY_ROWS);
    await bench.owner.query('vacuum analyze telemetry');
    await bench.owner.query('checkpoint');
    let times: number[] = [];
    let isOver = false;
    let sent = 0;
    const ingest = runLoop({
      ...{ url: bench.facts.base_url, connections: CALLERS },
      next: () => (isOver ? null : batchRequest(bench, sent++, `day-${day}`)),
      onAnswer: (ms) => times.push(ms),
    });
    await sleep(QUIET_MS);
    const before = latencyOf(times);
    times = [];
    const taken = await dropPastDay(bench.owner);
    await sleep(QUIET_MS / 4);
    drops.push({ ...taken, before, during: latencyOf(times) });
    isOver = true;
    const { failures } = await ingest;
    if (failures > 0) throw new Error(`${failures} batches failed beside the drop`);
  }
  return drops;
}

/** Records of the last hours, of all devices alike, in the order of their receipt. */
async function fillFeeds({ owner, tenantId, devices }: EdgeBench): Promise<void> {
  await owner.query('truncate telemetry');
  const numbers = devices.map(({ number }) => number);
  for (let done = 0; done < FEED_ROWS; done += FILL_AT_ONCE)
    await owner.query(
      `insert into telemetry (tenant_id, device, received_at, kept_days, kind, ts, data)
       select $1, ($2::bigint[])[1 + n % cardinality($2::bigint[])],
         date_trunc('day', now()) + (n::float8 / $5) * (now() - date_trunc('day', now())),
         30, 'temperature', now(), jsonb_build_object('value', n % 100, 'seq', n)
       from generate_series($3::int, $4::int) n`,
      [tenantId, numbers, done, Math.min(FEED_ROWS, done + FILL_AT_ONCE) - 1, FEED_ROWS],
    );
  await owner.query('vacuum analyze telemetry');
}

/** One reader, each page of another device than the one before. */
async function readPages({ facts, devices }: EdgeBench) {
  const token = await signInFor(facts.base_url, ADMIN.email, ADMIN.password);
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': TENANT };
  const agent = keptAgent(1);
  const urlOf = (n: number, limit = 100) =>
    `${facts.base_url}/api/v1/edge/devices/${devices[n % devices.length]?.key}/telemetry?limit=${limit}`;
  const cursors: string[] = [];
  for (let n = 0; n < devices.length; n += 1) cursors.push(await cursorDeepIn(urlOf(n, LARGE_PAGE), headers));
  const read = async (url: (n: number) => string): Promise<number[]> => {
    const times: number[] = [];
    for (let n = -20; n < PAGES; n += 1) {
      const ms = await timeGet(agent, url(Math.abs(n)), headers);
      if (n >= 0) times.push(ms);
    }
    return times;
  };
  try {
    return {
      first: latencyOf(await read((n) => urlOf(n))),
      later: latencyOf(await read((n) => `${urlOf(n)}&cursor=${cursors[n % devices.length]}`)),
    };
  } finally {
    agent.destroy();
  }
}

/** Ten large pages on. */
async function cursorDeepIn(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  let cursor = '';
  for (let page = 0; page < 10; page += 1) {
    const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(`${url}${from}`, { headers });
    if (answer.status !== 200) throw new Error(`a page of a feed was answered by ${answer.status}`);
    cursor = ((await answer.json()) as { next_cursor: string }).next_cursor;
  }
  return encodeURIComponent(cursor);
}
