import { longOrShort } from '../harness/mode.js';
import { atMost, type BenchResult } from '../harness/results.js';
import { type Spread, spreadOf } from '../harness/statistics.js';
import { type DatasetBench, uploadDone, withDatasetBench } from './dataset-bench.js';
import { RepeatedParquet } from './repeated-parquet.js';

/** A page of 1 MiB in each column of floats. */
const GROUP_ROWS = 131_072;
const FILE_BYTES = longOrShort(5 * 10 ** 9, 200 * 10 ** 6);
const ROUNDS = longOrShort(30, 10);
const WHOLE_ROUNDS = 2;
const CHUNK_BYTES = 32 * 2 ** 20;

/** Sample rows of a large and wide Parquet file, against reading the file whole. */
export function datasetSample(): Promise<BenchResult> {
  return withDatasetBench(async (bench) => {
    const made = await timed(async () => RepeatedParquet.make(FILE_BYTES, GROUP_ROWS));
    const file = made.result;
    const dataset = await bench.draft('Sampled');
    const sent = await timed(() => upload(bench, dataset, file));
    const done = await timed(() => uploadDone(bench, dataset, sent.result));
    const id = done.result.file_ids[0] as string;
    const sample = (limit: number) => `${bench.url}/${dataset}/sample?limit=${limit}`;
    const answer = await bench.http.json<Answer>('GET', sample(20));
    if (
      answer.rows.length !== 20 ||
      answer.total !== file.rows ||
      answer.table.variables.length !== file.columns ||
      answer.notes.length > 0
    )
      throw new Error('the sample is not that of the file');
    const ms = await times(ROUNDS, () => bench.http.drain(sample(20)));
    const mostMs = await times(ROUNDS, () => bench.http.drain(sample(200)));
    const wholeMs = await times(WHOLE_ROUNDS, async () => {
      if ((await bench.http.drain(`${bench.url}/${dataset}/files/${id}/content`)) !== file.sizeBytes)
        throw new Error('the download was cut');
    });
    const figures = {
      file_mib: file.sizeBytes / 2 ** 20,
      columns: file.columns,
      row_groups: file.groups,
      footer_mib: file.footerBytes / 2 ** 20,
      make_s: made.seconds,
      upload_s: sent.seconds,
      until_done_s: done.seconds,
      bytes_read: answer.table.bytes_read,
      read_over_file: answer.table.bytes_read / file.sizeBytes,
      sample_ms: ms,
      sample_200_rows_ms: mostMs,
      whole_file_ms: wholeMs,
      sample_over_whole: ms.median / wholeMs.median,
    };
    return {
      figures,
      goals: [
        atMost('20 sample rows, median ms', ms.median, 1000),
        atMost('200 sample rows, median ms', mostMs.median, 1000),
        atMost('bytes read / bytes of the file', figures.read_over_file, longOrShort(0.01, 0.05)),
      ],
    };
  });
}

interface Answer {
  readonly rows: unknown[];
  readonly total: number;
  readonly notes: string[];
  readonly table: { readonly bytes_read: number; readonly variables: unknown[] };
}

/** @returns the upload's id */
async function upload({ http, url }: DatasetBench, dataset: string, file: RepeatedParquet): Promise<string> {
  const { upload_id: id } = await http.json<{ upload_id: string }>('POST', `${url}/${dataset}/uploads`, {
    filename: 'big.parquet',
    size: file.sizeBytes,
    chunk_size: CHUNK_BYTES,
  });
  // In order, so that the platform hashes the file on the way and does not read it again.
  for (let at = 0; at < file.sizeBytes; at += CHUNK_BYTES)
    await http.send(
      'PUT',
      `${url}/${dataset}/uploads/${id}/chunks/${at / CHUNK_BYTES}`,
      file.slice(at, at + CHUNK_BYTES),
    );
  await http.send('POST', `${url}/${dataset}/uploads/${id}:complete`);
  return id;
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const startedAt = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - startedAt) / 1000 };
}

async function times(count: number, work: () => Promise<unknown>): Promise<Spread> {
  const values: number[] = [];
  for (let n = 0; n < count; n += 1) values.push((await timed(work)).seconds * 1000);
  return spreadOf(values);
}
