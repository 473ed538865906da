import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ManagedObjectStore } from '../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../adapters/minio/open-object-store.js';
import { workloadsRoot } from '../../adapters/process/workload-dirs.js';
import { registerDigits, trainDigits, until } from '../api/serving/digit-model.js';
import { fingerprint, untilDeletion } from '../api/tenants/support/full-tenant.js';
import { startTestApi, type TestApi, type TestTenant } from '../api/support/test-api.js';
import { freezeDataset } from '../builders/frozen-dataset.js';
import { tinyImages } from '../builders/tiny-images.js';
import { serversOf, trainersOf } from '../faults/main-jobs/processes.js';

jest.setTimeout(240_000);

const CHUNK = 65_536;
const CHUNKS = 12;

describe('the deletion of a tenant at work', () => {
  let api: TestApi;
  let store: ManagedObjectStore;
  let tenant: TestTenant;
  let token: string;
  let worker: ChildProcess;

  beforeAll(async () => {
    api = await startTestApi();
    store = openObjectStore(api.container.settings);
    tenant = await api.addTenant();
    token = (await api.addUser({ [tenant.code]: 'ADMIN' })).token;
    await freezeDataset(api.container.db, store, tenant.id, 'grey', await tinyImages(3, 20));
    worker = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../activities/worker.js', import.meta.url))],
      { env: { ...process.env, ...api.env }, stdio: 'ignore' },
    );
  });
  afterAll(async () => {
    if (worker && worker.exitCode === null) {
      const over = once(worker, 'exit');
      worker.kill('SIGTERM');
      await over;
    }
    await store?.close();
    await api?.close();
  });

  const call = (method: string, path: string, options: { json?: unknown; body?: Buffer } = {}) =>
    api.call(method, `/api/v1${path}`, { token, tenant: tenant.code, ...options });
  const workloads = () => workloadsRoot(api.env.SERVICE_DATA_DIR as string);
  const admin = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/settings/tenants/${tenant.id}${path}`, {
      token: api.admin.token,
      ...(json === undefined ? {} : { json }),
    });

  async function trains(): Promise<string> {
    const config = {
      task: 'classification',
      framework: 'sklearn',
      model: 'mlp',
      dataset_id: 'grey',
      gpu: 0,
      hyperparameters: 'epochs: 2000\nhidden: 1024\nlayers: 2\n',
    };
    const { status, body } = await call('POST', '/training/experiments', {
      json: { ...config, split: { train: 0.6, val: 0.2, test: 0.2, stratify: true } },
    });
    expect([status, body.detail]).toEqual([202, undefined]);
    for (let left = 900; left > 0 && trainersOf(workloads()).length === 0; left -= 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    return body.id as string;
  }

  /** An upload whose chunks are being joined as the deletion comes. */
  async function assembles(): Promise<void> {
    expect(
      (
        await call('POST', '/datasets', {
          json: { id: 'joined', name: 'Joined', source: 'upload', format: 'images' },
        })
      ).status,
    ).toBe(201);
    const bytes = randomBytes(CHUNK * CHUNKS);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { body } = await call('POST', '/datasets/joined/uploads', {
      json: { filename: 'a/noise.png', size: bytes.length, sha256, chunk_size: CHUNK },
    });
    for (let at = 0; at < CHUNKS; at += 1)
      await call('PUT', `/datasets/joined/uploads/${body.upload_id}/chunks/${at}`, {
        body: bytes.subarray(at * CHUNK, (at + 1) * CHUNK),
      });
    expect((await call('POST', `/datasets/joined/uploads/${body.upload_id}:complete`)).status).toBe(202);
  }

  /** An endpoint that answers, as a process of its own. */
  async function serves(): Promise<void> {
    await registerDigits(
      api.container.settings,
      api.container.db,
      tenant.id,
      'digits',
      (await trainDigits()).files,
    );
    expect((await call('POST', '/models/digits/1/image')).status).toBe(202);
    const image = await until(
      'the image',
      async () => (await call('GET', '/registry/images?status=READY')).body.items[0],
      60_000,
    );
    expect(
      (await call('POST', '/serving/endpoints', { json: { name: 'digits', image_id: image.id } })).status,
    ).toBe(201);
    await until(
      'the endpoint',
      async () => (await call('GET', '/serving/endpoints/digits')).body.status === 'RUNNING',
      60_000,
    );
    expect((await call('GET', '/serving/endpoints/digits/proxy/ping')).status).toBe(200);
  }

  it('stops its processes and workflows first, and leaves nothing of them', async () => {
    await serves();
    const servers = serversOf(workloads());
    expect(servers).toHaveLength(1);
    const experiment = await trains();
    const processes = trainersOf(workloads());
    expect(processes.map((process) => process.experimentId)).toEqual([experiment]);
    await assembles();
    const preview = (await admin('GET', '/deletion-preview')).body;
    expect(preview.counts).toMatchObject({ workloads: 2, endpoints: 1 });

    const { body: asked } = await admin('POST', '/deletion', { confirm_code: tenant.code });
    const done = await untilDeletion(api, asked.id, ['done', 'failed'], 150_000);
    expect([done.status, done.status_message]).toEqual(['done', '']);
    expect(done.counts.workloads).toBe(preview.counts.workloads);
    // What is at work goes on leaving rows and objects until it is stopped; the certificate says what was removed.
    expect(done.certificate).toMatchObject({ removed: done.counts, residue: 0 });
    for (const { pid, shim } of [...processes, ...servers])
      expect([existsSync(`/proc/${pid}`), existsSync(`/proc/${shim}`)]).toEqual([false, false]);
    expect([trainersOf(workloads()), serversOf(workloads())]).toEqual([[], []]);
    // What runs is stopped before anything that it needs is removed.
    const at = (key: string, when: 'started_at' | 'finished_at') =>
      Date.parse(done.steps.find((step: { key: string }) => step.key === key)[when]);
    expect(at('workloads', 'finished_at')).toBeLessThanOrEqual(at('objects', 'started_at'));
    expect(await fingerprint(api, store, tenant.id)).toEqual({});
  });
});
