import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { fillAuditTrail, whenCounted } from './harness/audit-rows.js';
import { keptAgent, type Latency, latencyOf, timeGet } from './harness/latency.js';
import { asOwner } from './harness/owner-sql.js';
import { newDataDir, removeDataDir, signIn, startPlatform } from './harness/platform.js';
import { atMost, type BenchResult } from './harness/results.js';

const ROWS = Number(process.env.BENCH_AUDIT_ROWS ?? 1_000_000);
const ROUNDS = 150;

/** First pages of the list as people ask for them. */
const QUERIES: Readonly<Record<string, string>> = {
  all: '',
  action_group: 'action=dataset.',
  one_action: 'action=model.stop',
  no_such_action: 'action=nothing.of.that',
  largest_tenant: 'tenant=bench-1',
  smallest_tenant: 'tenant=bench-20',
  last_hour: `since=${hoursAgo(1)}`,
  a_day_long_ago: `since=${hoursAgo(24 * 60)}&until=${hoursAgo(24 * 59)}`,
  last_month: `since=${hoursAgo(24 * 30)}`,
  a_person: 'actor=person123@',
  everybody: 'actor=person',
  part_of_a_name: 'actor=Number%2049',
  nobody: 'actor=zzzzzz',
  a_target: 'target=target-4321',
  all_targets: 'target=target',
  one_letter: 'actor=p',
  tenant_and_action: 'tenant=bench-2&action=user.',
  tenant_and_month: `tenant=bench-1&since=${hoursAgo(24 * 30)}`,
  tenant_and_person: 'tenant=bench-1&actor=person77',
  everything_at_once: `tenant=bench-1&action=dataset.&actor=person1&target=target-1&since=${hoursAgo(24 * 30)}`,
};

/** The audit list on a million rows, its filters, and its export: time against the first page of all, and memory. */
export async function auditTrail(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir);
    try {
      const { facts } = platform;
      await asOwner(facts, dataDir, async (client) => {
        await fillAuditTrail(client, ROWS);
        await whenCounted(client, ROWS);
      });
      const headers = { cookie: (await signIn(facts.base_url)) ?? '' };
      const pages = await timePages(facts.base_url, headers);
      const exported = await measureExport(`${facts.base_url}/api/v1/system/audit?format=csv`, headers, facts.pids.api as number);
      return result(pages, exported);
    } finally {
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

function result(pages: Readonly<Record<string, Latency>>, exported: ExportFigures): BenchResult {
  const first = (pages.all as Latency).p99;
  const slowest = Object.entries(pages).reduce((worst, page) => (page[1].p99 > worst[1].p99 ? page : worst));
  return {
    figures: { rows: ROWS, rounds: ROUNDS, milliseconds: pages, slowest: slowest[0], export: exported },
    goals: [
      atMost(`p99 of the slowest filter (${slowest[0]}) above that of the first page, ms`, slowest[1].p99 - first, 25),
      atMost('rise of resident memory during the export, MiB', exported.rise_mib, 96),
    ],
  };
}

/** All queries in turn in each round, so that a drift of the machine hits them alike. */
async function timePages(baseUrl: string, headers: Readonly<Record<string, string>>): Promise<Record<string, Latency>> {
  const agent = keptAgent(1);
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(QUERIES).map((name) => [name, []]));
  for (let round = -10; round < ROUNDS; round += 1) {
    for (const [name, query] of Object.entries(QUERIES)) {
      const ms = await timeGet(agent, `${baseUrl}/api/v1/system/audit?${query}`, headers);
      if (round >= 0) times[name]?.push(ms);
    }
  }
  agent.destroy();
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, latencyOf(values)]));
}

interface ExportFigures {
  readonly records: number;
  readonly mib: number;
  readonly seconds: number;
  readonly before_mib: number;
  readonly highest_mib: number;
  readonly rise_mib: number;
}

async function measureExport(url: string, headers: Readonly<Record<string, string>>, pid: number): Promise<ExportFigures> {
  const before = residentMib(pid);
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, residentMib(pid));
  }, 50);
  const startedAt = performance.now();
  const { records, bytes } = await readCsv(url, headers);
  clearInterval(watch);
  if (records < ROWS) throw new Error(`${records} records of ${ROWS} rows`);
  return { records, mib: bytes / 2 ** 20, seconds: (performance.now() - startedAt) / 1000, before_mib: before, highest_mib: highest, rise_mib: highest - before };
}

function readCsv(url: string, headers: Readonly<Record<string, string>>): Promise<{ records: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      const count = { records: -1, bytes: 0 };
      answer.on('data', (chunk: Buffer) => {
        count.bytes += chunk.length;
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count.records += 1;
      });
      answer.on('end', () => (answer.complete && answer.statusCode === 200 ? resolve(count) : reject(new Error(`the export broke: ${answer.statusCode}`))));
      answer.on('error', reject);
    }).on('error', reject);
  });
}

const residentMib = (pid: number): number => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}
