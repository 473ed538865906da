import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { asTenantId } from '../core/security/ids.js';
import { createTelemetryWriter, type TelemetryWriter } from '../models/edge/device-writers.platform.js';
import type { NewTelemetryBatch } from '../models/edge/telemetry-write.types.js';
import { IngestDatabase } from '../models/orm/ingest-database.js';
import { dropPastDay, fillPastDay } from './edge/past-day.js';
import { longOrShort } from './harness/mode.js';
import { asOwner } from './harness/owner-sql.js';
import { comparePairs, type Sample } from './harness/pairs.js';
import { newDataDir, type PlatformFacts, removeDataDir, startPlatform } from './harness/platform.js';
import { cpuSecondsOf } from './harness/process-tree.js';
import { settingsOf } from './harness/service-settings.js';
import { atLeast, type BenchResult } from './harness/results.js';

const PAIRS = longOrShort(5, 3);
const BATCHES = longOrShort(800, 300);
const RECORDS = 100;
const DEVICES = 1000;
const TENANTS = 20;
const CALLERS = 32;
const LANES = 2;
/** Rows that the end of a day removes, while batches come. */
const DAY_ROWS = longOrShort(500_000, 100_000);

const tenantOf = (device: number) =>
  asTenantId(`00000000-0000-4000-8000-${String(device % TENANTS).padStart(12, '0')}`);
const dataOf = (n: number) =>
  JSON.stringify({ sensor: `line-${n % 7}`, value: 20 + (n % 100) / 8, unit: 'C', ok: n % 3 > 0, seq: n });

/** Batches of 100 records of 1,000 devices by the writer, durable, against COPY of the same rows from a file of the server. */
export async function telemetryWrites(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir);
    try {
      return await asOwner(platform.facts, dataDir, (owner) => measure(owner, dataDir, platform.facts));
    } finally {
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

async function measure(owner: pg.Client, dataDir: string, facts: PlatformFacts): Promise<BenchResult> {
  const url = settingsOf(facts, 'api').DATABASE_INGEST_URL as string;
  const db = await IngestDatabase.open({ url, pool: LANES, applicationName: 'bench-ingest' });
  const writer = createTelemetryWriter(db, LANES);
  const file = join(dataDir, 'telemetry.copy');
  writeFileSync(file, rowsAsText());
  const copy = () =>
    timed(owner, () =>
      owner.query(
        `copy telemetry (tenant_id, device, received_at, kept_days, kind, ts, data) from '${file}'`,
      ),
    );
  const write = () => timed(owner, () => writeAll(writer));
  await write();
  await copy();
  const pairs = await comparePairs(PAIRS, write, copy);
  const latencies = await latenciesOf(writer);
  await fillPastDay(owner, DAY_ROWS);
  const dayMs = await dropPastDay(owner);
  await writer.close();
  await db.close();
  return {
    figures: {
      rows: BATCHES * RECORDS,
      callers: CALLERS,
      lanes: LANES,
      rows_per_s: pairs,
      batch_ms: latencies,
      day: { rows: DAY_ROWS, ...dayMs },
    },
    goals: [
      atLeast('rows a second by the wall clock, of COPY', pairs.wallRatio.median, 0.5),
      atLeast('rows a CPU second, of COPY', pairs.ratio.median, 0.5),
    ],
  };
}

const batchOf = (n: number): NewTelemetryBatch => ({
  tenantId: tenantOf(n % DEVICES),
  device: n % DEVICES,
  key: `batch-${n}`,
  keptDays: 30,
  records: Array.from({ length: RECORDS }, (_, at) => ({
    kind: 'temperature',
    ts: new Date(1_700_000_000_000 + n * 1000 + at),
    data: dataOf(n * RECORDS + at),
  })),
});

/** Made before the clock runs: that is the work of those who call. */
const batches = Array.from({ length: BATCHES }, (_, n) => batchOf(n));

function rowsAsText(): string {
  const now = new Date().toISOString();
  const lines: string[] = [];
  for (let n = 0; n < BATCHES; n += 1) {
    const { tenantId, device, keptDays, records } = batches[n] as NewTelemetryBatch;
    for (const { kind, ts, data } of records)
      lines.push(`${tenantId}\t${device}\t${now}\t${keptDays}\t${kind}\t${ts?.toISOString()}\t${data}\n`);
  }
  return lines.join('');
}

/** From the same empty table; what it took from the whole process tree, the maker of the batches included. */
async function timed(owner: pg.Client, work: () => Promise<unknown>): Promise<Sample> {
  await owner.query('truncate telemetry, telemetry_batch');
  await owner.query('checkpoint');
  const rows = BATCHES * RECORDS;
  const [cpu, startedAt] = [cpuSecondsOf([process.pid]), performance.now()];
  await work();
  const wallS = (performance.now() - startedAt) / 1000;
  const cpuS = cpuSecondsOf([process.pid]) - cpu;
  const { rows: counted } = await owner.query<{ n: string }>('select count(*) as n from telemetry');
  if (Number(counted[0]?.n) !== rows) throw new Error(`${counted[0]?.n} rows are there, not ${rows}`);
  return { perCpuS: rows / cpuS, perWallS: rows / wallS };
}

async function writeAll(
  writer: TelemetryWriter,
  note: (ms: number) => void = () => undefined,
): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < BATCHES) {
      const batch = batches[next++] as NewTelemetryBatch;
      const startedAt = performance.now();
      await writer.write(batch);
      note(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

async function latenciesOf(writer: TelemetryWriter): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (let n = BATCHES; n < BATCHES + 300; n += 1) {
    const startedAt = performance.now();
    await writer.write({ ...batchOf(n), key: `alone-${n}` });
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] as number;
  return { p50: at(0.5), p99: at(0.99) };
}
