import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { createObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { inParallel } from '../../../core/load/in-parallel.js';
import { seedDeviceRecords } from '../../builders/device-records.js';
import { type RealImages, sha256, zipOf } from '../../builders/real-images.js';
import { GeneratedDataset } from '../../fakes/source-server/generated-dataset.js';
import type { SourceServer } from '../../fakes/source-server/source-server.js';
import type { PlatformClient } from '../../setup/platform-client.js';
import type { SupervisedPlatform } from '../../setup/supervised-platform.js';

const CLASSES = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
const EXPERIMENTS = '/api/v1/training/experiments';
export const ENDPOINTS = ['red', 'blue'] as const;
const SOURCE_TOKEN = 'a-token-of-the-tests';

/** What text can hold that a copy may garble. */
const AWKWARD = ['tab\there', 'line\nbreak\r\n', 'back\\slash \\N \\.', '\\.', 'ümläut 漢字 🙂', ''];

/** Rows and objects in bulk: a run with many points of metrics, artifacts of many sizes, records of devices. */
export async function seedBulk(
  platform: SupervisedPlatform,
  tenantCode: string,
  rows: number,
  objects: number,
): Promise<void> {
  const facts = platform.facts();
  if (facts === null) throw new Error('the platform is not ready');
  const store = createObjectStore({
    ...{ endpoint: facts.s3_endpoint, region: 'us-east-1', bucket: 'visionops' },
    ...{ accessKey: facts.s3_access_key, secretKey: facts.s3_secret_key },
  });
  const client = new pg.Client({ connectionString: platform.ownerUrl() });
  await client.connect();
  try {
    const { rows: tenants } = await client.query<{ id: string }>('select id from tenant where code = $1', [
      tenantCode,
    ]);
    const tenant = tenants[0]?.id as string;
    await seedDeviceRecords(client, tenant);
    const run = await seedRun(client, tenant, rows);
    const numbers = Array.from({ length: objects }, (_, n) => n);
    const stored = await inParallel(numbers, 8, async (n) => {
      const bytes = randomBytes(n % 50 === 0 ? 0 : 100 + ((n * 997) % 20_000));
      const key = `t/${tenant}/run/${randomUUID()}`;
      await store.put(key, bytes, bytes.length);
      return { path: `artifact-${n}.bin`, size_bytes: bytes.length, sha256: sha256(bytes), object_key: key };
    });
    await client.query(
      `insert into run_artifact (run, path, size_bytes, sha256, object_key, tenant_id)
       select $1, path, size_bytes, sha256, object_key, $2
       from json_to_recordset($3) as a (path text, size_bytes bigint, sha256 text, object_key text)`,
      [run, tenant, JSON.stringify(stored)],
    );
  } finally {
    await client.end();
    await store.close();
  }
}

async function seedRun(client: pg.Client, tenant: string, rows: number): Promise<number> {
  const { rows: made } = await client.query<{ run: number; key: number }>(
    `with e as (insert into tracker_experiment (tenant_id, project, name) values ($1, 'default', 'bulk') returning id),
       r as (insert into tracker_run (tenant_id, run_id, experiment, name, status, started_at, finished_at)
         select $1, $2, id, 'bulk', 'FINISHED', now(), now() from e returning id),
       k as (insert into metric_key (tenant_id, name) values ($1, 'loss') returning id)
     select r.id::int as run, k.id as key from r, k`,
    [tenant, randomBytes(16).toString('hex')],
  );
  const { run, key } = made[0] as { run: number; key: number };
  await client.query(
    `insert into metric_point (run, key, step, ts, value, tenant_id)
     select $1, $2, n, 1700000000000 + n, case n % 4 when 0 then 'NaN' when 1 then '-Infinity' else random() * 1e-300 end, $3
     from generate_series(1, $4::int) n`,
    [run, key, tenant, rows],
  );
  for (const [n, text] of AWKWARD.entries())
    await client.query('insert into param (run, key, value, tenant_id) values ($1, $2, $3, $4)', [
      run,
      `p${n}`,
      text,
      tenant,
    ]);
  return run;
}

/** A frozen dataset, a model of it, and two endpoints that serve its image. */
export async function makeServed(client: PlatformClient, images: RealImages): Promise<void> {
  const files = images.digits.filter((_, index) => index % 8 === 0);
  await client.expect(201, 'POST', '/api/v1/datasets', {
    json: { id: 'digits', name: 'digits', source: 'upload', format: 'images' },
  });
  await client.expect(201, 'POST', '/api/v1/datasets/digits/archive', {
    file: { name: 'scans.zip', bytes: await zipOf(files) },
  });
  await client.until('/api/v1/datasets/digits', (body) => body.status === 'FROZEN', 120_000);
  const id = await startTraining(client, 'first', { register_model: true, register_model_name: 'digits' });
  await client.until(`${EXPERIMENTS}/${id}`, (body) => body.status === 'SUCCEEDED', 240_000);
  const { body: image } = await client.expect(202, 'POST', '/api/v1/models/digits/1/image');
  await client.until(
    '/api/v1/registry/images?model=digits',
    (body) => body.items[0]?.status === 'READY',
    120_000,
  );
  for (const name of ENDPOINTS)
    await client.expect(201, 'POST', '/api/v1/serving/endpoints', {
      json: { name, image_id: image.id, replicas: 1, gpu: 0 },
    });
}

export async function startTraining(client: PlatformClient, name: string, over: object): Promise<string> {
  const json = {
    ...{ task: 'classification', framework: 'sklearn', model: 'mlp', dataset_id: 'digits', gpu: 0 },
    ...{ classes: CLASSES, experiment_name: name, hyperparameters: 'epochs: 5\nhidden: 32\n' },
    split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 3, stratify: true },
    ...over,
  };
  return (await client.expect(202, 'POST', EXPERIMENTS, { json })).body.id as string;
}

/** A sync that has copied some of its files, and will be at it for long. @returns its path */
export async function startSync(client: PlatformClient, source: SourceServer): Promise<string> {
  source.serve(new GeneratedDataset({ id: 'slow', files: 2000, sizeOf: (n) => 1000 + n }));
  source.fail({ on: 'file', fault: { kind: 'delay', ms: 400 } });
  await client.expect(201, 'POST', '/api/v1/external-sources', {
    json: { name: 'Source', base_url: source.baseUrl, token: SOURCE_TOKEN },
  });
  await client.expect(201, 'POST', '/api/v1/datasets', {
    json: { id: 'slow', name: 'slow', source: 'upload', format: 'images' },
  });
  await client.expect(200, 'PUT', '/api/v1/datasets/slow/source', {
    json: { source_id: 'source', remote_dataset_id: 'slow' },
  });
  const { body } = await client.expect(202, 'POST', '/api/v1/datasets/slow/syncs');
  const path = `/api/v1/datasets/slow/syncs/${body.id ?? body.sync_id}`;
  await client.until(path, (sync) => sync.progress.files_done > 0, 60_000);
  return path;
}

export const sourceToken = SOURCE_TOKEN;
