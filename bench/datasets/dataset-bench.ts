import { setTimeout as sleep } from 'node:timers/promises';
import { DirectStore } from '../harness/direct-store.js';
import { BenchClient, eachOf } from '../harness/http-client.js';
import type { Sample } from '../harness/pairs.js';
import {
  ADMIN,
  newDataDir,
  type PlatformFacts,
  type PlatformStart,
  removeDataDir,
  type RunningPlatform,
  startPlatform,
} from '../harness/platform.js';
import { cpuSecondsOf } from '../harness/process-tree.js';

const TENANT = 'demo';

/** A running platform with a person who may write datasets, and its store without it. */
export interface DatasetBench {
  readonly facts: PlatformFacts;
  readonly dataDir: string;
  /** Address of datasets: append an id and what follows. */
  readonly url: string;
  readonly http: BenchClient;
  readonly store: DirectStore;
  /** Processes that serve uploads and downloads through the platform, and the store alone. */
  readonly platformPids: readonly number[];
  readonly storePids: readonly number[];
  draft(name: string): Promise<string>;
}

/** A benchmark that takes longer is stopped and says so; its data goes with it. */
const MOST_MS = 8 * 60_000;

/** @throws Error when the work takes longer than 8 minutes */
export async function withDatasetBench<T>(
  work: (bench: DatasetBench) => Promise<T>,
  start: PlatformStart = {},
): Promise<T> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir, start);
    try {
      return await Promise.race([work(await open(platform, dataDir)), tooLong()]);
    } finally {
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

async function tooLong(): Promise<never> {
  await sleep(MOST_MS, undefined, { ref: false });
  throw new Error(`the benchmark takes longer than ${MOST_MS / 60_000} minutes and was stopped`);
}

async function open({ facts }: RunningPlatform, dataDir: string): Promise<DatasetBench> {
  const signedIn = await fetch(`${facts.base_url}/auth/jwt/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: ADMIN.email, password: ADMIN.password }),
  });
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  const http = new BenchClient({ authorization: `Bearer ${token}`, 'x-tenant': TENANT });
  const url = `${facts.base_url}/api/v1/datasets`;
  const { api, worker, postgres, s3 } = facts.pids;
  return {
    facts,
    dataDir,
    url,
    http,
    store: new DirectStore(facts),
    platformPids: [api, worker, postgres, s3].filter((pid) => pid !== null),
    storePids: [s3].filter((pid) => pid !== null),
    draft: async (name) => (await http.json<{ id: string }>('POST', `${url}/drafts`, { name })).id,
  };
}

/** Times one piece of work. @param amount how much it does, such as MiB */
export async function measured(
  servers: readonly number[],
  amount: number,
  work: () => Promise<void>,
): Promise<Sample> {
  const cpuBefore = cpuSecondsOf(servers);
  const startedAt = performance.now();
  await work();
  const wallS = (performance.now() - startedAt) / 1000;
  return { perWallS: amount / wallS, perCpuS: amount / Math.max(0.01, cpuSecondsOf(servers) - cpuBefore) };
}

export interface ChunkedFile {
  readonly name: string;
  /** Every chunk has these bytes. */
  readonly chunk: Buffer;
  readonly chunks: number;
  readonly atOnce: number;
  readonly sha256?: string | null;
}

/** Opens a session, sends its chunks and completes it. @returns once the completion is accepted */
export async function sendChunks(
  { http, url }: DatasetBench,
  dataset: string,
  { name, chunk, chunks, atOnce, sha256 = null }: ChunkedFile,
): Promise<string> {
  const session = { filename: name, size: chunks * chunk.length, chunk_size: chunk.length, sha256 };
  const { upload_id: id } = await http.json<{ upload_id: string }>(
    'POST',
    `${url}/${dataset}/uploads`,
    session,
  );
  await eachOf(
    chunks,
    atOnce,
    async (index) => void (await http.send('PUT', `${url}/${dataset}/uploads/${id}/chunks/${index}`, chunk)),
  );
  await http.send('POST', `${url}/${dataset}/uploads/${id}:complete`);
  return id;
}

/** Waits for the end of an upload. @throws Error unless it is done */
export async function uploadDone(
  { http, url }: DatasetBench,
  dataset: string,
  upload: string,
): Promise<{ file_ids: string[] }> {
  for (let left = 6000; left > 0; left -= 1) {
    const read = await http.json<{ state: string; error: string | null; result: { file_ids: string[] } }>(
      'GET',
      `${url}/${dataset}/uploads/${upload}`,
    );
    if (read.state === 'done') return read.result;
    if (read.state === 'failed') throw new Error(`the upload failed: ${read.error}`);
    await sleep(25);
  }
  throw new Error('the upload did not end');
}
