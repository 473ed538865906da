import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ManagedObjectStore } from '../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../adapters/minio/open-object-store.js';
import { startTestApi, type TestApi, type TestTenant } from '../api/support/test-api.js';
import { freezeDataset } from '../builders/frozen-dataset.js';
import { tinyImages } from '../builders/tiny-images.js';
import { freePort } from '../setup/free-port.js';

jest.setTimeout(180_000);
const EPOCHS = 300;

describe('a training whose API is killed', () => {
  let api: TestApi;
  let store: ManagedObjectStore;
  let tenant: TestTenant;
  let port: number;
  const children = new Set<ChildProcess>();

  beforeAll(async () => {
    api = await startTestApi();
    store = openObjectStore(api.container.settings);
    tenant = await api.addTenant();
    await freezeDataset(api.container.db, store, tenant.id, 'grey', await tinyImages(3, 20));
    port = await freePort();
  });
  afterAll(async () => {
    for (const child of children) await end(child);
    await store.close();
    await api.close();
  });

  const run = (entry: string): ChildProcess => {
    const child = spawn(process.execPath, [fileURLToPath(new URL(`../../${entry}`, import.meta.url))], {
      env: {
        ...process.env,
        ...api.env,
        SERVICE_BASE_URL: `http://127.0.0.1:${port}`,
        SERVICE_PORT: String(port),
      },
      stdio: 'ignore',
    });
    children.add(child);
    return child;
  };
  const end = async (child: ChildProcess) => {
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    await over;
  };
  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/training/experiments${path}`, {
      token: api.admin.token,
      tenant: tenant.code,
      ...(json === undefined ? {} : { json }),
    });
  const until = async (
    id: string,
    reached: (experiment: { status: string; progress: number }) => boolean,
  ) => {
    for (let left = 1200; left > 0; left -= 1) {
      const { body } = await call('GET', `/${id}`);
      if (reached(body)) return body;
      if (body.status === 'FAILED')
        throw new Error(`${body.status_message}\n${(await call('GET', `/${id}/log`)).text}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('not reached in time');
  };

  it('goes on when the API is back, and no value is lost or doubled', async () => {
    const first = run('api/main.js');
    run('activities/worker.js');
    const config = {
      task: 'classification',
      framework: 'sklearn',
      model: 'mlp',
      dataset_id: 'grey',
      gpu: 0,
      split: { train: 0.6, val: 0.2, test: 0.2, stratify: true },
      hyperparameters: `epochs: ${EPOCHS}\nhidden: 256\nlayers: 2\n`,
    };
    const { id } = (await call('POST', '', config)).body;
    await until(id, (experiment) => experiment.status === 'RUNNING' && experiment.progress > 0.25);
    await end(first);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    run('api/main.js');
    const done = await until(id, (experiment) => ['SUCCEEDED', 'CANCELED'].includes(experiment.status));
    expect(done).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    const curve = (await call('GET', `/${id}/metrics?keys=train/loss`)).body.items[0].points;
    expect(curve.map((point: { step: number }) => point.step)).toEqual(
      Array.from({ length: EPOCHS }, (_, at) => at + 1),
    );
  });
});
