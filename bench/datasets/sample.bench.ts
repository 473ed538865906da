import { longOrShort } from '../harness/mode.js';
import { atMost, type BenchResult } from '../harness/results.js';
import { type Spread, spreadOf } from '../harness/statistics.js';
import { type DatasetBench, uploadDone, withDatasetBench } from './dataset-bench.js';
import { ParquetStream } from './parquet-stream.js';

const COLUMNS = 8;
const GROUP_ROWS = 100_000;
/** 6.4 MB each. */
const GROUPS = longOrShort(800, 25);
const ROUNDS = longOrShort(30, 10);
const WHOLE_ROUNDS = 2;
const CHUNK_BYTES = 32 * 2 ** 20;

/** Twenty sample rows of a Parquet file of many row groups, against reading the file whole. */
export function datasetSample(): Promise<BenchResult> {
  return withDatasetBench(async (bench) => {
    const stream = new ParquetStream({ columns: COLUMNS, groups: GROUPS, groupRows: GROUP_ROWS });
    const size = await stream.size();
    const dataset = await bench.draft('Sampled');
    const { file_ids: files } = await uploadDone(bench, dataset, await upload(bench, dataset, stream, size));
    const file = files[0] as string;
    const sample = `${bench.url}/${dataset}/sample?limit=20`;
    const answer = await bench.http.json<{ rows: unknown[]; total: number; table: { bytes_read: number } }>('GET', sample);
    if (answer.rows.length !== 20 || answer.total !== GROUPS * GROUP_ROWS) throw new Error('the sample is not that of the file');
    const ms = await times(ROUNDS, () => bench.http.drain(sample));
    const wholeMs = await times(WHOLE_ROUNDS, async () => {
      if ((await bench.http.drain(`${bench.url}/${dataset}/files/${file}/content`)) !== size) throw new Error('the download was cut');
    });
    const figures = {
      file_mib: size / 2 ** 20,
      row_groups: GROUPS,
      bytes_read: answer.table.bytes_read,
      read_over_file: answer.table.bytes_read / size,
      sample_ms: ms,
      whole_file_ms: wholeMs,
      sample_over_whole: ms.median / wholeMs.median,
    };
    return { figures, goals: [atMost('sample rows, median ms', ms.median, 1000), atMost('bytes read / bytes of the file', figures.read_over_file, 0.05)] };
  });
}

/** @returns the file's id */
async function upload({ http, url }: DatasetBench, dataset: string, file: ParquetStream, size: number): Promise<string> {
  const { upload_id: id } = await http.json<{ upload_id: string }>('POST', `${url}/${dataset}/uploads`, { filename: 'big.parquet', size, chunk_size: CHUNK_BYTES });
  await file.inChunks(CHUNK_BYTES, async (index, chunk) => void (await http.send('PUT', `${url}/${dataset}/uploads/${id}/chunks/${index}`, chunk)));
  await http.send('POST', `${url}/${dataset}/uploads/${id}:complete`);
  return id;
}

async function times(count: number, work: () => Promise<unknown>): Promise<Spread> {
  const values: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const startedAt = performance.now();
    await work();
    values.push(performance.now() - startedAt);
  }
  return spreadOf(values);
}
