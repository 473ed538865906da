import pg from 'pg';
import { type ChildServer, startChildServer } from '../harness/child-server.js';
import { longOrShort } from '../harness/mode.js';
import { atMost, type BenchResult } from '../harness/results.js';
import { type Spread, spreadOf } from '../harness/statistics.js';
import { type DatasetBench, withDatasetBench } from './dataset-bench.js';
import { seedPictures } from './seeded-pictures.js';

const FILES = longOrShort(1_000_000, 300_000);
const ROUNDS = longOrShort(15, 5);
const REQUESTS = 20;
const DEEP_PAGE = 5000;
const SEARCHES = longOrShort(300, 60);
const AGAIN = longOrShort(30, 10);

const DATASET_SQL = `select d.id, d.key, d.name, d.modality, d.source, d.status, d.validation, d.file_count, d.file_bytes, v.digest, v.classes, d.created_at, d.updated_at
  from dataset d left join dataset_version v on v.tenant_id = d.tenant_id and v.id = d.version_id where d.tenant_id = $1 and d.key = $2`;
const LIST_SQL = `select f.id, f.dataset_id, f.path, f.sha256, f.size_bytes, f.object_key, f.media_type, f.kind, f.status, f.reason, f.origin, f.label, f.width, f.height, f.preview_key,
  f.created_by, f.created_at, f.updated_at from dataset_file f where f.tenant_id = $1 and f.dataset_id = $2 order by f.path asc limit $3 offset $4`;

/** Parts of names by how many files have them: a search that finds few is another thing than one that finds all. */
const PARTS = {
  all: '.png',
  one_in_9: 'class-4',
  one_in_100: 'class-42',
  one_letter: 'a',
  two_letters: 'ab',
  three_letters: 'abc',
  none_of_two_letters: 'zq',
};

/** Lists of a frozen dataset of a million files: first page against a bare server, a deep page against the first, search. */
export function datasetList(): Promise<BenchResult> {
  return withDatasetBench(async (bench) => {
    const dataset = await bench.draft('A million');
    const tenantId = await seedPictures(bench, dataset, FILES);
    const bare = await startChildServer('bare-list', [
      bench.facts.database_url,
      tenantId,
      dataset,
      DATASET_SQL,
      LIST_SQL,
    ]);
    try {
      return await compare(bench, dataset, tenantId, bare);
    } finally {
      await bare.stop();
    }
  });
}

async function compare(
  bench: DatasetBench,
  dataset: string,
  tenantId: string,
  bare: ChildServer,
): Promise<BenchResult> {
  const files = `${bench.url}/${dataset}/files`;
  const client = new pg.Client({ connectionString: bench.facts.database_url });
  await client.connect();
  const sides = {
    first: () => bench.http.drain(files),
    bare: () => bench.http.drain(bare.baseUrl),
    sql: () => plainSql(client, tenantId, dataset, 0),
    deep: () => bench.http.drain(`${files}?page=${DEEP_PAGE - 500 + Math.floor(Math.random() * 1000)}`),
    deep_sql: () => plainSql(client, tenantId, dataset, 50 * (DEEP_PAGE - 1)),
  };
  for (const work of Object.values(sides)) for (let n = 0; n < 10; n += 1) await work();
  const p50: Record<string, number[]> = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, work] of Object.entries(sides))
      p50[name]?.push(await medianMs(name === 'deep_sql' ? 3 : REQUESTS, work));
  const others = await otherPages(bench, dataset);
  await client.end();
  const ratio = (a: string, b: string): Spread =>
    spreadOf((p50[a] as number[]).map((value, at) => value / (p50[b]?.[at] as number)));
  const search = await searchMs(bench, files);
  return {
    figures: {
      files: FILES,
      p50_ms: Object.fromEntries(Object.entries(p50).map(([name, values]) => [name, spreadOf(values)])),
      first_over_bare: ratio('first', 'bare'),
      first_over_sql: ratio('first', 'sql'),
      deep_over_first: ratio('deep', 'first'),
      plain_offset_over_first_sql: ratio('deep_sql', 'sql'),
      search_few_ms: search,
      others_ms: others,
    },
    goals: [
      atMost(
        'page 1 / bare server with the same page and total statements, p50',
        spreadOf((p50.first as number[]).map((value, at) => value / (p50.bare?.[at] as number))).median,
        2,
      ),
      atMost('search for a part that few names have, p99 ms', search.p99, 25),
    ],
  };
}

/** Pages without a goal of their own. */
async function otherPages(bench: DatasetBench, dataset: string): Promise<Record<string, Spread>> {
  const files = `${bench.url}/${dataset}/files`;
  const pages = {
    ...Object.fromEntries(
      Object.entries(PARTS).map(([name, part]) => [`search_${name}`, `${files}?q=${part}`]),
    ),
    last_page_of_a_search: `${files}?q=.png&page=200`,
    filtered_page: `${files}?kind=image`,
    last_filtered_page: `${files}?kind=image&page=200`,
    empty_filtered_page: `${files}?status=invalid`,
    last_page: `${files}?page=${Math.ceil(FILES / 50)}`,
    dataset: `${bench.url}/${dataset}`,
  };
  const figures: Record<string, Spread> = {};
  for (const [name, url] of Object.entries(pages)) {
    const ms: number[] = [];
    for (let n = 0; n < AGAIN; n += 1) ms.push(await msOf(() => bench.http.drain(url)));
    figures[name] = spreadOf(ms);
  }
  return figures;
}

async function plainSql(client: pg.Client, tenantId: string, dataset: string, offset: number): Promise<void> {
  await client.query(`begin; set local app.tenant = '${tenantId}'`);
  const { rows } = await client.query<{ id: string }>(DATASET_SQL, [tenantId, dataset]);
  await client.query(LIST_SQL, [tenantId, rows[0]?.id, 50, offset]);
  await client.query('commit');
}

async function medianMs(times: number, work: () => Promise<unknown>): Promise<number> {
  const values: number[] = [];
  for (let n = 0; n < times; n += 1) values.push(await msOf(work));
  return spreadOf(values).median;
}

/** Names of which a few files have the part that is looked for. */
async function searchMs(bench: DatasetBench, files: string): Promise<{ p50: number; p99: number }> {
  const values: number[] = [];
  for (let n = 0; n < SEARCHES; n += 1) {
    const part = Math.floor(Math.random() * 0xffffff)
      .toString(16)
      .padStart(6, '0');
    values.push(await msOf(() => bench.http.drain(`${files}?q=${part}`)));
  }
  return { p50: percentile(values, 0.5), p99: percentile(values, 0.99) };
}

const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] as number;

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
