import { parquetWriteBuffer } from 'hyparquet-writer';
import { eachOf } from '../harness/http-client.js';
import { longOrShort } from '../harness/mode.js';
import { atMost, type BenchResult } from '../harness/results.js';
import { type Spread, spreadOf } from '../harness/statistics.js';
import { type DatasetBench, uploadDone, withDatasetBench } from './dataset-bench.js';

const COLUMNS = 8;
const GROUP_ROWS = 100_000;
/** 6.4 MB each. */
const GROUPS = longOrShort(80, 25);
const ROUNDS = longOrShort(30, 10);
const WHOLE_ROUNDS = longOrShort(5, 2);
const CHUNK_BYTES = 32 * 2 ** 20;

/** Twenty sample rows of a Parquet file of many row groups, against reading the file whole. */
export function datasetSample(): Promise<BenchResult> {
  return withDatasetBench(async (bench) => {
    const bytes = manyRowGroups();
    const dataset = await bench.draft('Sampled');
    const file = await upload(bench, dataset, bytes);
    const sample = `${bench.url}/${dataset}/sample?limit=20`;
    const answer = await bench.http.json<{ rows: unknown[]; total: number; table: { bytes_read: number } }>('GET', sample);
    if (answer.rows.length !== 20 || answer.total !== GROUPS * GROUP_ROWS) throw new Error('the sample is not that of the file');
    const ms = await times(ROUNDS, () => bench.http.drain(sample));
    const wholeMs = await times(WHOLE_ROUNDS, async () => {
      if ((await bench.http.drain(`${bench.url}/${dataset}/files/${file}/content`)) !== bytes.length) throw new Error('the download was cut');
    });
    const figures = {
      file_mib: bytes.length / 2 ** 20,
      row_groups: GROUPS,
      bytes_read: answer.table.bytes_read,
      read_over_file: answer.table.bytes_read / bytes.length,
      sample_ms: ms,
      whole_file_ms: wholeMs,
      sample_over_whole: ms.median / wholeMs.median,
    };
    return { figures, goals: [atMost('sample rows, median ms', ms.median, 1000), atMost('bytes read / bytes of the file', figures.read_over_file, 0.05)] };
  });
}

function manyRowGroups(): Buffer {
  const columnData = Array.from({ length: COLUMNS }, (_, at) => ({
    name: `c${at}`,
    data: new Float64Array(GROUPS * GROUP_ROWS).map(() => Math.random()),
    type: 'DOUBLE' as const,
    encoding: 'PLAIN' as const,
  }));
  return Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: GROUP_ROWS, codec: 'UNCOMPRESSED' }));
}

/** @returns the file's id */
async function upload(bench: DatasetBench, dataset: string, bytes: Buffer): Promise<string> {
  const { http, url } = bench;
  const { upload_id: id } = await http.json<{ upload_id: string }>('POST', `${url}/${dataset}/uploads`, { filename: 'big.parquet', size: bytes.length, chunk_size: CHUNK_BYTES });
  await eachOf(Math.ceil(bytes.length / CHUNK_BYTES), 2, async (index) => {
    await http.send('PUT', `${url}/${dataset}/uploads/${id}/chunks/${index}`, bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES));
  });
  await http.send('POST', `${url}/${dataset}/uploads/${id}:complete`);
  return (await uploadDone(bench, dataset, id)).file_ids[0] as string;
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
