import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from '@jest/globals';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { startTestApi, type TestApi, type TestTenant } from '../../api/support/test-api.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { tinyImages } from '../../builders/tiny-images.js';

export const TERMINAL: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'CANCELED']);

/** Begins an API, a worker process and a frozen dataset `grey` before the tests of a file, and ends them after. */
export function trainingGround() {
  let api: TestApi;
  let store: ManagedObjectStore;
  let tenant: TestTenant;
  let token: string;
  let worker: ChildProcess;

  const startWorker = () => {
    const log = openSync(join(api.env.SERVICE_DATA_DIR as string, 'worker.log'), 'a');
    worker = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../../activities/worker.js', import.meta.url))],
      {
        env: { ...process.env, ...api.env, SERVICE_LOG_LEVEL: 'info' },
        stdio: ['ignore', log, log],
      },
    );
  };
  const kill = async (signal: NodeJS.Signals) => {
    if (worker.exitCode !== null || worker.signalCode !== null) return;
    const over = once(worker, 'exit');
    worker.kill(signal);
    await over;
  };
  const get = (path: string) => api.call('GET', path, { token, tenant: tenant.code });
  const post = (path: string, json?: unknown) =>
    api.call('POST', path, { token, tenant: tenant.code, ...(json === undefined ? {} : { json }) });
  const config = (over: Record<string, unknown> = {}) => ({
    task: 'classification',
    framework: 'sklearn',
    model: 'mlp',
    dataset_id: 'grey',
    gpu: 0,
    split: { train: 0.6, val: 0.2, test: 0.2, stratify: true },
    hyperparameters: 'epochs: 40\nhidden: 32\nlearning_rate: 0.02\n',
    ...over,
  });
  const until = async (
    id: string,
    reached: (experiment: { status: string; progress: number }) => boolean,
  ) => {
    for (let left = 1200; left > 0; left -= 1) {
      const { body } = await get(`/api/v1/training/experiments/${id}`);
      if (reached(body)) return body;
      if (TERMINAL.has(body.status))
        throw new Error(
          `ended as ${body.status}: ${body.status_message}\n${(await get(`/api/v1/training/experiments/${id}/log`)).text}`,
        );
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(
      `not reached in time; the worker says:\n${readFileSync(join(api.env.SERVICE_DATA_DIR as string, 'worker.log'), 'utf8').slice(-3000)}`,
    );
  };
  /** The kind of the notification that people get about an experiment. */
  const reported = async (id: string) => {
    for (let left = 100; left > 0; left -= 1) {
      const entry = (await get('/api/v1/notifications?page_size=200')).body.items.find(
        ({ link }: { link: string }) => link.includes(id),
      );
      if (entry) return entry.kind;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return null;
  };
  const over = (id: string) => until(id, (experiment) => TERMINAL.has(experiment.status));

  beforeAll(async () => {
    api = await startTestApi();
    store = openObjectStore(api.container.settings);
    tenant = await api.addTenant();
    token = (await api.addUser({ [tenant.code]: 'ML_ENGINEER' })).token;
    await freezeDataset(api.container.db, store, tenant.id, 'grey', await tinyImages(3, 20));
    startWorker();
  });
  afterAll(async () => {
    await kill('SIGTERM');
    await store.close();
    await api.close();
  });
  return {
    ...{ startWorker, kill, get, post, config, until, reported, over },
    /** What exists once the tests begin. */
    own: () => ({ api, store, tenant, token }),
  };
}
