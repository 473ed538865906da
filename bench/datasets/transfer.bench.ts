import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { eachOf } from '../harness/http-client.js';
import { longOrShort } from '../harness/mode.js';
import { comparePairs, type PairResult } from '../harness/pairs.js';
import { atLeast, atMost, type BenchResult } from '../harness/results.js';
import { type Spread, spreadOf } from '../harness/statistics.js';
import { type DatasetBench, measured, sendChunks, uploadDone, withDatasetBench } from './dataset-bench.js';

const MIB = 2 ** 20;
const CHUNK = randomBytes(32 * MIB);
const PAIRS = longOrShort(5, 1);
const UPLOAD_CHUNKS = longOrShort(32, 6);
const IN_ORDER_CHUNKS = longOrShort(128, 8);
const DOWNLOAD_CLIENTS = 4;
const DOWNLOAD_CHUNKS = longOrShort(8, 2);
const SMALL_FILES = longOrShort(2000, 200);
const SMALL = randomBytes(50 * 1024);
const SMALL_AT_ONCE = 8;

/** Bytes through the platform against the same store by itself: chunked upload, memory, completion, download, small files. */
export function datasetTransfer(): Promise<BenchResult> {
  return withDatasetBench(async (bench) => {
    const upload = await compareUploads(bench);
    const memory = await memoryOfUpload(bench);
    const complete = await completeInOrder(bench);
    const download = await compareDownloads(bench);
    const small = await compareSmallFiles(bench);
    return {
      figures: {
        upload_mib: upload.accepted,
        upload_until_done_wall_ratio: upload.untilDone,
        upload_memory_rise_mib: memory,
        complete_in_order_s: complete.seconds,
        read_with_sha256_s: complete.readingSeconds,
        complete_in_order_gib: (IN_ORDER_CHUNKS * 32) / 1024,
        download_mib: download,
        small_files: small,
      },
      goals: [
        // The direct side ends with its object, so the platform's must end with its file.
        atLeast(
          'chunked upload until the file is there / direct multipart puts, MiB per second',
          upload.untilDone.median,
          0.5,
        ),
        atMost('memory rise of the API at 8 parallel chunks, MiB', memory, 96),
        atMost(
          'from :complete to done / direct read with sha256',
          complete.seconds / complete.readingSeconds,
          1.3,
        ),
        atLeast('download / direct gets, MiB per second', download.wallRatio.median, 0.5),
        atLeast('small form files / direct puts, files per second', small.wallRatio.median, 0.15),
      ],
    };
  });
}

/** @returns once the completion is accepted */
const upload = (
  bench: DatasetBench,
  dataset: string,
  name: string,
  chunks: number,
  atOnce: number,
  sha256: string | null = null,
): Promise<string> => sendChunks(bench, dataset, { name, chunk: CHUNK, chunks, atOnce, sha256 });

/**
 * Against direct puts with the completion of their multipart upload. `accepted`: until the 202 of :complete; `untilDone`: until
 * the file is there, its sha256 compared, in MiB per second over those of the same pair.
 */
async function compareUploads(bench: DatasetBench): Promise<{ accepted: PairResult; untilDone: Spread }> {
  const dataset = await bench.draft('Uploads');
  const hash = createHash('sha256');
  for (let n = 0; n < UPLOAD_CHUNKS; n += 1) hash.update(CHUNK);
  const sha256 = hash.digest('hex');
  const mib = UPLOAD_CHUNKS * 32;
  const rates: Record<'done' | 'direct', number[]> = { done: [], direct: [] };
  let round = 0;
  const accepted = await comparePairs(
    PAIRS,
    async () => {
      let id = '';
      const startedAt = performance.now();
      const sample = await measured(bench.platformPids, mib, async () => {
        id = await upload(bench, dataset, `${round++}.bin`, UPLOAD_CHUNKS, 4, sha256);
      });
      // The assembly must not take time from the other side.
      await uploadDone(bench, dataset, id);
      rates.done.push((1000 * mib) / (performance.now() - startedAt));
      return sample;
    },
    async () => {
      const sample = await measured(bench.storePids, mib, () =>
        bench.store.putParts(`bench/upload-${round++}`, CHUNK, UPLOAD_CHUNKS, 4),
      );
      rates.direct.push(sample.perWallS);
      return sample;
    },
  );
  await bench.http.send('DELETE', `${bench.url}/${dataset}`);
  return { accepted, untilDone: spreadOf(rates.done.map((rate, at) => rate / (rates.direct[at] as number))) };
}

/** Greatest resident size of the API while 8 chunks come at once, less that before, in MiB. */
async function memoryOfUpload(bench: DatasetBench): Promise<number> {
  const api = bench.facts.pids.api as number;
  const residentMib = () =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${api}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  const dataset = await bench.draft('Memory');
  await uploadDone(bench, dataset, await upload(bench, dataset, 'warm.bin', 2, 1));
  await sleep(3000);
  const before = residentMib();
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, residentMib());
  }, 20);
  const id = await upload(bench, dataset, 'eight.bin', UPLOAD_CHUNKS, 8);
  clearInterval(watch);
  await uploadDone(bench, dataset, id);
  await bench.http.send('DELETE', `${bench.url}/${dataset}`);
  return highest - before;
}

/** From :complete to done, over a direct read of as many bytes with their sha256: what there is to do once they are stored. */
async function completeInOrder(bench: DatasetBench): Promise<{ seconds: number; readingSeconds: number }> {
  const dataset = await bench.draft('In order');
  const { http, url } = bench;
  const { upload_id: id } = await http.json<{ upload_id: string }>('POST', `${url}/${dataset}/uploads`, {
    filename: 'long.bin',
    size: IN_ORDER_CHUNKS * CHUNK.length,
    chunk_size: CHUNK.length,
  });
  for (let index = 0; index < IN_ORDER_CHUNKS; index += 1)
    await http.send('PUT', `${url}/${dataset}/uploads/${id}/chunks/${index}`, CHUNK);
  const startedAt = performance.now();
  await http.send('POST', `${url}/${dataset}/uploads/${id}:complete`);
  await uploadDone(bench, dataset, id);
  const seconds = (performance.now() - startedAt) / 1000;
  await http.send('DELETE', `${url}/${dataset}`);
  await bench.store.putParts('bench/in-order', CHUNK, IN_ORDER_CHUNKS, 1);
  const readAt = performance.now();
  await bench.store.sha256Of('bench/in-order');
  return { seconds, readingSeconds: (performance.now() - readAt) / 1000 };
}

async function compareDownloads(bench: DatasetBench): Promise<PairResult> {
  const dataset = await bench.draft('Downloads');
  const { file_ids: files } = await uploadDone(
    bench,
    dataset,
    await upload(bench, dataset, 'file.bin', DOWNLOAD_CHUNKS, 1),
  );
  const size = DOWNLOAD_CHUNKS * CHUNK.length;
  await bench.store.putParts('bench/download', CHUNK, DOWNLOAD_CHUNKS, 1);
  const url = `${bench.url}/${dataset}/files/${files[0]}/content`;
  const expected = createHash('sha256');
  for (let n = 0; n < DOWNLOAD_CHUNKS; n += 1) expected.update(CHUNK);
  if ((await bench.http.sha256Of(url)) !== expected.digest('hex'))
    throw new Error('the download has other bytes');
  const side = (servers: readonly number[], get: () => Promise<number>) =>
    measured(servers, (DOWNLOAD_CLIENTS * size) / MIB, () =>
      eachOf(DOWNLOAD_CLIENTS, DOWNLOAD_CLIENTS, async () => {
        if ((await get()) !== size) throw new Error('a download was cut');
      }),
    );
  const result = await comparePairs(
    PAIRS,
    () => side(bench.platformPids, () => bench.http.drain(url)),
    () => side(bench.storePids, () => bench.store.drain('bench/download')),
  );
  await bench.http.send('DELETE', `${bench.url}/${dataset}`);
  return result;
}

async function compareSmallFiles(bench: DatasetBench): Promise<PairResult> {
  let round = 0;
  return comparePairs(
    PAIRS,
    async () => {
      const dataset = await bench.draft(`Small ${round++}`);
      const sample = await measured(bench.platformPids, SMALL_FILES, () =>
        eachOf(SMALL_FILES, SMALL_AT_ONCE, async (index) => {
          const { body, type } = form(`a/${index}.bin`, index);
          await bench.http.send('POST', `${bench.url}/${dataset}/files`, body, type);
        }),
      );
      const { total } = await bench.http.json<{ total: number }>(
        'GET',
        `${bench.url}/${dataset}/files?page_size=1`,
      );
      if (total !== SMALL_FILES) throw new Error(`${total} of ${SMALL_FILES} files arrived`);
      await bench.http.send('DELETE', `${bench.url}/${dataset}`);
      await sleep(3000);
      return sample;
    },
    async () => {
      const keys = Array.from({ length: SMALL_FILES }, (_, index) => `bench/small-${round}-${index}`);
      const sample = await measured(bench.storePids, SMALL_FILES, () =>
        eachOf(SMALL_FILES, SMALL_AT_ONCE, (index) =>
          bench.store.put(keys[index] as string, smallFile(index)),
        ),
      );
      await bench.store.removeAll(keys);
      return sample;
    },
  );
}

function smallFile(index: number): Buffer {
  const bytes = Buffer.from(SMALL);
  bytes.writeUInt32LE(index, 0);
  return bytes;
}

function form(path: string, index: number): { body: Buffer; type: string } {
  const boundary = 'boundary-of-the-bench';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${path}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return {
    body: Buffer.concat([Buffer.from(head), smallFile(index), Buffer.from(`\r\n--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}
