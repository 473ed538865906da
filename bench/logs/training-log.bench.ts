import { launchChromium, enterConsole } from '../console/chromium.js';
import { signInFor } from '../harness/bench-tenant.js';
import { keptAgent, latencyOf, timeGet } from '../harness/latency.js';
import { longOrShort } from '../harness/mode.js';
import { ADMIN, newDataDir, type PlatformFacts, removeDataDir, startPlatform } from '../harness/platform.js';
import { atMost, type BenchResult } from '../harness/results.js';
import { spreadOf } from '../harness/statistics.js';
import { type LogTimes, openLog } from './open-log.js';
import { LINES, type StoredLog, withStoredLog } from './stored-log.js';

const READS = longOrShort(101, 21);
const WHOLE_READS = longOrShort(15, 3);
const VISITS = longOrShort(7, 2);
/** What the console reads at once of the end. */
const PAGE = 256 * 1024;

/** A log of 300,000 lines as the platform keeps it: from the API at any place, and in the console. */
export async function trainingLog(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir);
    try {
      return await withStoredLog(platform.facts, (log) => measure(platform.facts, log));
    } finally {
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

async function measure({ base_url: baseUrl }: PlatformFacts, log: StoredLog): Promise<BenchResult> {
  const token = await signInFor(baseUrl, ADMIN.email, ADMIN.password);
  const url = `${baseUrl}/api/v1/training/experiments/${log.experimentId}/log?tenant=${log.tenant}`;
  const growing = await places(url, token, log.bytes);
  await log.becomeFile();
  const file = await places(url, token, log.bytes);
  const seen = await inConsole(baseUrl, log);
  const slowest = (of: Places) => Math.max(of.begin_ms.p50, of.middle_ms.p50, of.end_ms.p50);
  return {
    figures: {
      ...{
        lines: LINES,
        bytes: log.bytes,
        page_bytes: PAGE,
        copied_mib_per_s: log.bytes / 2 ** 20 / log.copyS,
      },
      ...{ growing, file, console: seen, visits: VISITS },
    },
    goals: [
      atMost('the slowest place of the growing log from the API, p50, ms', slowest(growing), 100),
      atMost('the slowest place of the log as a file from the API, p50, ms', slowest(file), 100),
      atMost(`a log of ${LINES} lines open at its end in the console, ms`, seen.end_ms.median, 500),
    ],
  };
}

type Places = Awaited<ReturnType<typeof places>>;

/** The begin, the middle and the end of the log by ranges, and all of it, which the console searches. */
async function places(url: string, token: string, bytes: number) {
  const agent = keptAgent(1);
  const timed = async (range: string | null, reads: number) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(range === null ? {} : { range: `bytes=${range}` }),
    };
    await timeGet(agent, url, headers);
    const times: number[] = [];
    for (let read = 0; read < reads; read += 1) times.push(await timeGet(agent, url, headers));
    return latencyOf(times);
  };
  const middle = Math.floor(bytes / 2);
  try {
    return {
      begin_ms: await timed(`0-${PAGE - 1}`, READS),
      middle_ms: await timed(`${middle}-${middle + PAGE - 1}`, READS),
      end_ms: await timed(`-${PAGE}`, READS),
      whole_ms: await timed(null, WHOLE_READS),
    };
  } finally {
    agent.destroy();
  }
}

async function inConsole(baseUrl: string, log: StoredLog) {
  const browser = await launchChromium();
  try {
    const visit = {
      ...{ browser, baseUrl },
      enter: (isSignedIn: boolean) => enterConsole(browser, baseUrl, isSignedIn),
    };
    const times: LogTimes[] = [];
    for (let at = 0; at < VISITS; at += 1) times.push(await openLog(visit, log));
    const of = (key: keyof LogTimes) => spreadOf(times.map((time) => time[key]));
    return { end_ms: of('end'), middle_ms: of('middle'), search_ms: of('search') };
  } finally {
    await browser.close();
  }
}
