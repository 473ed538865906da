import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { encodePlace } from '../core/paging/capped-page.js';
import { addEntry, fillAuditTrail, keepAuditOf } from './harness/audit-rows.js';
import { keptAgent, type Latency, latencyOf, timeGet } from './harness/latency.js';
import { asOwner } from './harness/owner-sql.js';
import { newDataDir, type PlatformFacts, removeDataDir, signIn, startPlatform } from './harness/platform.js';
import { atMost, type BenchResult } from './harness/results.js';

const ROWS = Number(process.env.BENCH_AUDIT_ROWS ?? 1_000_000);
const ROUNDS = Number(process.env.BENCH_AUDIT_ROUNDS ?? 150);
/** An administrator waits for a page; this is what nobody notices. */
const PAGE_MS = 100;

/** Pages of the list as people ask for them; windows move with the clock, as those of a screen that stays open do. */
const QUERIES: Readonly<Record<string, () => string>> = {
  all: () => '',
  last_numbered_page: () => 'page=200',
  after_a_half: () => `after=${encodePlace([(Date.now() - 45 * 86_400_000) * 1000, 1])}`,
  after_by_action: () => `action=dataset.&after=${encodePlace([(Date.now() - 80 * 86_400_000) * 1000, 1])}`,
  action_group: () => 'action=dataset.',
  one_action: () => 'action=model.stop',
  no_such_action: () => 'action=nothing.of.that',
  largest_tenant: () => 'tenant=bench-1',
  smallest_tenant: () => 'tenant=bench-20',
  last_hour: () => `since=${hoursAgo(1)}`,
  a_day_long_ago: () => `since=${hoursAgo(24 * 60)}&until=${hoursAgo(24 * 59)}`,
  last_month: () => `since=${hoursAgo(24 * 30)}`,
  a_person: () => 'actor=person123@',
  everybody: () => 'actor=person',
  part_of_a_name: () => 'actor=Number%2049',
  nobody: () => 'actor=zzzzzz',
  a_target: () => 'target=target-4321',
  all_targets: () => 'target=target',
  one_letter: () => 'actor=p',
  tenant_and_action: () => 'tenant=bench-2&action=user.',
  tenant_and_month: () => `tenant=bench-1&since=${hoursAgo(24 * 30)}`,
  tenant_and_person: () => 'tenant=bench-1&actor=person77',
  everything_at_once: () =>
    `tenant=bench-1&action=dataset.&actor=person1&target=target-1&since=${hoursAgo(24 * 30)}`,
  tenant_with_retention: () => 'tenant=bench-3',
  tenant_with_retention_and_person: () => 'tenant=bench-3&actor=person',
  everybody_of_a_month: () => `actor=person&target=target&since=${hoursAgo(24 * 30)}&until=${hoursAgo(24)}`,
  everybody_by_action: () => 'actor=e&target=t&action=dataset.',
};

/** The audit list on a million rows, its filters, and its export, in a platform that started with them: times and memory. */
export async function auditTrail(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    await inPlatform(dataDir, (facts) => asOwner(facts, dataDir, (client) => fillAuditTrail(client, ROWS)));
    return await inPlatform(dataDir, (facts) => measure(facts, dataDir));
  } finally {
    removeDataDir(dataDir);
  }
}

async function inPlatform<T>(dataDir: string, work: (facts: PlatformFacts) => Promise<T>): Promise<T> {
  const platform = await startPlatform(dataDir);
  try {
    return await work(platform.facts);
  } finally {
    await platform.stop();
  }
}

async function measure(facts: PlatformFacts, dataDir: string): Promise<BenchResult> {
  const headers = { cookie: (await signIn(facts.base_url)) ?? '' };
  const list = `${facts.base_url}/api/v1/system/audit`;
  const exported = await measureExport(`${list}?format=csv`, headers, facts.pids.api as number);
  const pages = await asOwner(facts, dataDir, async (client) => {
    await keepAuditOf(client, 'bench-3', 60);
    return timePages(list, headers, () => addEntry(client));
  });
  return result(pages, exported);
}

interface Pages {
  /** The very first call of each query. */
  readonly first: Readonly<Record<string, number>>;
  readonly later: Readonly<Record<string, Latency>>;
}

function result({ first, later }: Pages, exported: ExportFigures): BenchResult {
  const [name, p99] = slowest(
    Object.fromEntries(Object.entries(later).map(([query, times]) => [query, times.p99])),
  );
  return {
    figures: {
      rows: ROWS,
      rounds: ROUNDS,
      slowest: { name, p99 },
      first_call_ms: first,
      milliseconds: later,
      export: exported,
    },
    goals: [
      atMost('p99 of the first page, ms', (later.all as Latency).p99, PAGE_MS),
      atMost('rise of resident memory during the export, MiB', exported.rise_mib, 96),
    ],
  };
}

const slowest = (times: Readonly<Record<string, number>>): [string, number] =>
  Object.entries(times).reduce((worst, each) => (each[1] > worst[1] ? each : worst));

/** All queries in turn in each round, so that a drift of the machine hits them alike; the trail grows meanwhile. */
async function timePages(
  list: string,
  headers: Readonly<Record<string, string>>,
  addEntry: () => Promise<unknown>,
): Promise<Pages> {
  const agent = keptAgent(1);
  const first: Record<string, number> = {};
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(QUERIES).map((name) => [name, []]));
  for (let round = -10; round < ROUNDS; round += 1) {
    await addEntry();
    for (const [name, query] of Object.entries(QUERIES)) {
      const ms = await timeGet(agent, `${list}?${query()}`, headers);
      first[name] ??= ms;
      if (round >= 0) times[name]?.push(ms);
    }
  }
  agent.destroy();
  return {
    first,
    later: Object.fromEntries(Object.entries(times).map(([name, values]) => [name, latencyOf(values)])),
  };
}

interface ExportFigures {
  readonly records: number;
  readonly mib: number;
  readonly seconds: number;
  readonly before_mib: number;
  readonly highest_mib: number;
  readonly rise_mib: number;
}

async function measureExport(
  url: string,
  headers: Readonly<Record<string, string>>,
  pid: number,
): Promise<ExportFigures> {
  const before = residentMib(pid);
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, residentMib(pid));
  }, 50);
  const startedAt = performance.now();
  const { records, bytes } = await readCsv(url, headers);
  clearInterval(watch);
  if (records < ROWS) throw new Error(`${records} records of ${ROWS} rows`);
  return {
    records,
    mib: bytes / 2 ** 20,
    seconds: (performance.now() - startedAt) / 1000,
    before_mib: before,
    highest_mib: highest,
    rise_mib: highest - before,
  };
}

function readCsv(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ records: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      const count = { records: -1, bytes: 0 };
      answer.on('data', (chunk: Buffer) => {
        count.bytes += chunk.length;
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count.records += 1;
      });
      answer.on('end', () =>
        answer.complete && answer.statusCode === 200
          ? resolve(count)
          : reject(new Error(`the export broke: ${answer.statusCode}`)),
      );
      answer.on('error', reject);
    }).on('error', reject);
  });
}

const residentMib = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}
