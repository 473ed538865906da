import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'minio';
import pg from 'pg';
import { ownerUrl } from '../cli/engines/postgres.js';
import { startChildServer } from './harness/child-server.js';
import { measureLoad } from './harness/load.js';
import { newDataDir, type PlatformFacts, removeDataDir, startPlatform } from './harness/platform.js';
import type { BenchResult } from './harness/results.js';
import { spreadOf, type Spread } from './harness/statistics.js';

const ROUNDS = 5;
const ROUND_MS = 2_000;
const HASHED = randomBytes(64 * 2 ** 20);
const OBJECT = randomBytes(8 * 2 ** 20);
const INSERT_ROWS = 1_000;

/** What this machine gives at best: the figures that every ratio is read against. */
export async function limits(): Promise<BenchResult> {
  const dataDir = newDataDir();
  try {
    const platform = await startPlatform(dataDir);
    try {
      const figures = {
        sha256_mib_per_s: await repeat(async () => {
          createHash('sha256').update(HASHED).digest();
          return HASHED.length / 2 ** 20;
        }),
        http_requests_per_s: await bareHttp(),
        ...(await insertRows(platform.facts, dataDir)),
        s3_put_mib_per_s: await putObjects(platform.facts),
      };
      return { figures, goals: [] };
    } finally {
      await platform.stop();
    }
  } finally {
    removeDataDir(dataDir);
  }
}

/** Work for each second of wall time, `work` answering how much it did. */
async function repeat(work: () => Promise<number>): Promise<Spread> {
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    let done = 0;
    while (performance.now() - startedAt < ROUND_MS) done += await work();
    rates.push((done * 1000) / (performance.now() - startedAt));
  }
  return spreadOf(rates);
}

async function bareHttp(): Promise<Spread> {
  const server = await startChildServer('bare-http');
  try {
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rates.push(
        (
          await measureLoad({
            url: `${server.baseUrl}/`,
            headers: {},
            connections: 32,
            seconds: 2,
            servers: [server.pid],
          })
        ).perWallS,
      );
    return spreadOf(rates);
  } finally {
    await server.stop();
  }
}

/** Single durable commits, and 1,000 rows a statement, each with its own flush to disk. */
async function insertRows(facts: PlatformFacts, dataDir: string): Promise<Record<string, Spread>> {
  const { database } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as {
    database: { owner: string };
  };
  const client = new pg.Client({
    connectionString: ownerUrl(Number(new URL(facts.database_url).port), database.owner),
  });
  await client.connect();
  try {
    await client.query(
      'create table probe (id int8 generated always as identity primary key, at timestamptz not null default now(), value float8 not null)',
    );
    const single = await repeat(async () => {
      await client.query({ name: 'one', text: 'insert into probe (value) values ($1)', values: [1.5] });
      return 1;
    });
    const values = Array.from({ length: INSERT_ROWS }, (_, index) => index / 7);
    const many = await repeat(async () => {
      await client.query({
        name: 'many',
        text: 'insert into probe (value) select unnest($1::float8[])',
        values: [values],
      });
      return INSERT_ROWS;
    });
    return { pg_single_inserts_per_s: single, pg_batched_rows_per_s: many };
  } finally {
    await client.end();
  }
}

async function putObjects(facts: PlatformFacts): Promise<Spread> {
  const { hostname, port } = new URL(facts.s3_endpoint);
  const client = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    accessKey: facts.s3_access_key,
    secretKey: facts.s3_secret_key,
    region: 'us-east-1',
  });
  const name = 'bench/probe';
  const rate = await repeat(async () => {
    await client.putObject('visionops', name, OBJECT);
    return OBJECT.length / 2 ** 20;
  });
  const { size } = await client.statObject('visionops', name);
  if (size !== OBJECT.length) throw new Error(`the object store kept ${size} bytes of ${OBJECT.length}`);
  await client.removeObject('visionops', name);
  return rate;
}
