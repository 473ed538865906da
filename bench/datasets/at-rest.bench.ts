import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { longOrShort } from '../harness/mode.js';
import type { PlatformFacts } from '../harness/platform.js';
import { cpuSecondsOf, pssBytesOf } from '../harness/process-tree.js';
import { atMost, type BenchResult } from '../harness/results.js';
import { type DatasetBench, sendChunks, uploadDone, withDatasetBench } from './dataset-bench.js';

const MIB = 2 ** 20;
const CHUNK = randomBytes(32 * MIB);
const FILES = longOrShort(4, 1);
const CHUNKS = 16;
const AT_ONCE = 4;
const LOOK_EVERY_MS = 500;
/** The uploads' own work has ended by then: bytes joined and hashed, chunks removed. */
const SETTLE_S = longOrShort(60, 5);
const REST_S = longOrShort(180, 20);

type Part = keyof PlatformFacts['pids'];
/** The worker's part holds what it runs: the sample's endpoint and its supervising process. */
const PARTS: readonly Part[] = ['api', 'worker', 'postgres', 'temporal', 's3'];

/** What a whole platform holds after the sample and 2 GiB of uploads, and what it takes while nobody asks anything of it. */
export function atRest(): Promise<BenchResult> {
  return withDatasetBench(
    async (bench) => {
      const afterSample = memoryOf(bench.facts);
      const highest = await highestWhile(bench.facts, () => sendFiles(bench));
      const afterUploads = memoryOf(bench.facts);
      await sleep(SETTLE_S * 1000);
      const before = cpuOf(bench.facts);
      await sleep(REST_S * 1000);
      const cpu = subtract(cpuOf(bench.facts), before);
      const atEnd = memoryOf(bench.facts);
      return {
        figures: {
          uploaded_mib: FILES * CHUNKS * 32,
          pss_mib_after_sample: afterSample,
          pss_mib_highest_during_uploads: highest,
          pss_mib_after_uploads: afterUploads,
          pss_mib_at_rest: atEnd,
          cpu_s_per_minute_at_rest: cpu,
          rest_s: REST_S,
        },
        goals: [
          atMost(
            'whole tree after the uploads, MiB of proportional set size',
            afterUploads.all as number,
            1.2 * 1024,
          ),
          atMost('whole tree at rest, CPU seconds a minute', cpu.all as number, 1.8),
        ],
      };
    },
    { sample: true },
  );
}

async function sendFiles(bench: DatasetBench): Promise<void> {
  const dataset = await bench.draft('Two gibibytes');
  for (let n = 0; n < FILES; n += 1) {
    const id = await sendChunks(bench, dataset, {
      name: `${n}.bin`,
      chunk: CHUNK,
      chunks: CHUNKS,
      atOnce: AT_ONCE,
    });
    await uploadDone(bench, dataset, id);
  }
}

async function highestWhile(facts: PlatformFacts, work: () => Promise<void>): Promise<number> {
  let highest = 0;
  const watch = setInterval(() => {
    highest = Math.max(highest, memoryOf(facts).all as number);
  }, LOOK_EVERY_MS);
  await work().finally(() => clearInterval(watch));
  return highest;
}

type ByPart = Readonly<Record<string, number>>;

/** Figures of each part with all that it started, and of the supervisor with everything. */
const byPart = ({ pids }: PlatformFacts, of: (roots: readonly number[]) => number): ByPart => ({
  all: of([pids.supervisor as number]),
  ...Object.fromEntries(PARTS.map((part) => [part, of([pids[part] as number])])),
});

const memoryOf = (facts: PlatformFacts): ByPart => byPart(facts, (roots) => pssBytesOf(roots) / MIB);

const cpuOf = (facts: PlatformFacts): ByPart => byPart(facts, cpuSecondsOf);

/** @returns seconds a minute */
const subtract = (after: ByPart, before: ByPart): ByPart =>
  Object.fromEntries(
    Object.entries(after).map(([part, seconds]) => [part, ((seconds - (before[part] ?? 0)) * 60) / REST_S]),
  );
