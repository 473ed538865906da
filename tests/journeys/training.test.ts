import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import yauzl from 'yauzl';
import type { ManagedObjectStore } from '../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../adapters/minio/open-object-store.js';
import { exportDigits, prepareRuntime } from '../../cli/sample/digits.js';
import { openSse } from '../api/support/sse-reader.js';
import { startTestApi, type TestApi, type TestTenant } from '../api/support/test-api.js';
import { freezeDataset } from '../builders/frozen-dataset.js';
import { tinyImages } from '../builders/tiny-images.js';

jest.setTimeout(240_000);
/** Enough that the first checkpoint, after five seconds, comes before the end. */
const EPOCHS = 600;
const TERMINAL = new Set(['SUCCEEDED', 'FAILED', 'CANCELED']);

describe('a training through the whole stack', () => {
  let api: TestApi;
  let store: ManagedObjectStore;
  let tenant: TestTenant;
  let token: string;
  let worker: ChildProcess;

  const startWorker = () => {
    const log = openSync(join(api.env.SERVICE_DATA_DIR as string, 'worker.log'), 'a');
    worker = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../activities/worker.js', import.meta.url))],
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
  /** The kind of what people are told of an experiment. */
  const told = async (id: string) => {
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

  it('trains a model, streams what happens, stores metrics, log and artifacts, and registers a version', async () => {
    const started = await post(
      '/api/v1/training/experiments',
      config({ experiment_name: 'vision/first', register_model: true, register_model_name: 'greys' }),
    );
    expect(started.status).toBe(202);
    const { id, tracker_run_id: runId } = started.body;
    const stream = await openSse(`${api.base}/api/v1/training/experiments/${id}/logs?tenant=${tenant.code}`, {
      authorization: `Bearer ${token}`,
    });
    expect(await stream.next()).toEqual({
      event: 'connected',
      data: { channel: `experiment-logs:${tenant.code}` },
    });
    const seen: Array<{ event: string; data: Record<string, unknown> }> = [];
    for (;;) {
      const event = await stream.next(120_000);
      seen.push(event);
      if (event.event === 'experiment' && TERMINAL.has(String(event.data.status))) break;
    }
    await expect(stream.next()).rejects.toThrow('ended');
    const later = await openSse(`${api.base}/api/v1/training/experiments/${id}/logs?tenant=${tenant.code}`, {
      authorization: `Bearer ${token}`,
    });
    expect((await later.next()).event).toBe('connected');
    expect(await later.next()).toMatchObject({ event: 'experiment', data: { id, status: 'SUCCEEDED' } });
    await expect(later.next()).rejects.toThrow('ended');
    const done = await over(id);
    expect(done).toMatchObject({ status: 'SUCCEEDED', progress: 1, name: 'vision/first', attempt: 1 });
    expect(done.steps.map((step: { key: string; status: string }) => [step.key, step.status])).toEqual([
      ['prepare', 'done'],
      ['train', 'done'],
      ['finalize', 'done'],
      ['register', 'done'],
    ]);
    // The images of the middle class are all of one grey.
    expect(done.steps[0].message).toMatch(/^Warning: 19 images have the same bytes as another one/);
    expect(new Set(seen.map((event) => event.event))).toEqual(
      new Set(['log', 'step', 'progress', 'metrics', 'experiment']),
    );
    expect(await told(id)).toBe('experiment_finished');
    expect(seen.filter((event) => event.event === 'experiment').map((event) => event.data.status)).toEqual(
      expect.arrayContaining(['RUNNING', 'FINALIZING', 'SUCCEEDED']),
    );
    for (const event of seen) expect(event.data).toMatchObject({ id, at: expect.any(String) });

    const log = await get(`/api/v1/training/experiments/${id}/log`);
    expect(log.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(log.text).toContain('Epoch 40/40');
    expect(
      seen
        .filter((event) => event.event === 'log')
        .flatMap((event) => event.data.lines as string[])
        .join('\n'),
    ).toContain('Epoch 40/40');

    const curves = await get(`/api/v1/training/experiments/${id}/metrics?keys=train/loss,val/accuracy`);
    expect(curves.body).toMatchObject({ run_id: runId, max_points: 1000, total: 2 });
    expect(curves.body.items[0].points.map((point: { step: number }) => point.step)).toEqual(
      Array.from({ length: 40 }, (_, at) => at + 1),
    );

    const run = await get(`/api/v1/runs/${runId}`);
    expect(run.body).toMatchObject({
      status: 'FINISHED',
      project: 'vision',
      experiment_name: 'first',
      training_experiment_id: id,
      params: { 'hp.epochs': '40', model: 'mlp' },
      tags: { 'dataset.id': 'grey' },
      registered_versions: [{ name: 'greys', version: 1 }],
    });
    expect(run.body.metrics['test/accuracy']).toBeGreaterThan(0.5);
    const root = await get(`/api/v1/runs/${runId}/artifacts`);
    expect(root.body.items.map((item: { path: string }) => item.path)).toEqual(
      expect.arrayContaining(['model', 'logs', 'confusion_matrix.png', 'metrics.json']),
    );
    const picture = await fetch(
      `${api.base}/api/v1/runs/${runId}/artifact?path=confusion_matrix.png&tenant=${tenant.code}`,
      {
        headers: { authorization: `Bearer ${token}`, range: 'bytes=1-3' },
      },
    );
    expect([picture.status, picture.headers.get('content-type'), await picture.text()]).toEqual([
      206,
      'image/png',
      'PNG',
    ]);
    const zip = await fetch(
      `${api.base}/api/v1/runs/${runId}/artifacts/download?path=model&tenant=${tenant.code}`,
      { headers: { authorization: `Bearer ${token}` } },
    );
    expect(await namesIn(Buffer.from(await zip.arrayBuffer()))).toEqual(
      expect.arrayContaining(['model/MLmodel', 'model/labels.json']),
    );

    const left = await api.call('GET', '/api/v1/experiments/tree', { token, tenant: tenant.code });
    expect(left.body).toMatchObject({
      total: 1,
      items: [
        { name: 'vision', experiments: [{ name: 'first', runs: [{ run_id: runId, status: 'FINISHED' }] }] },
      ],
    });
    expect((await get(`/api/v1/training/experiments/${id}`)).body.tracker_run_id).toBe(runId);
  });

  it('learns handwritten digits: at least 95 of 100 that it never saw are right', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'visionops-digits-'));
    try {
      const { uploaded } = await exportDigits(
        folder,
        await prepareRuntime(() => undefined, AbortSignal.timeout(180_000)),
      );
      await freezeDataset(
        api.container.db,
        store,
        tenant.id,
        'digits',
        uploaded.map(({ label, path }) => ({
          path: `${label}/${basename(path)}`,
          bytes: readFileSync(path),
        })),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    const started = await post(
      '/api/v1/training/experiments',
      config({ dataset_id: 'digits', hyperparameters: '', split: { stratify: true } }),
    );
    const done = await over(started.body.id);
    expect(done.status).toBe('SUCCEEDED');
    const run = (await get(`/api/v1/runs/${done.tracker_run_id}`)).body;
    expect(run.metrics['test/accuracy']).toBeGreaterThanOrEqual(0.95);
    expect(Number(run.params.images_test)).toBeGreaterThan(100);
  });

  it('builds the image of what it trained and asks for an endpoint', async () => {
    const started = await post(
      '/api/v1/training/experiments',
      config({
        model: 'knn',
        hyperparameters: '',
        register_model: true,
        register_model_name: 'near',
        serving: { build_image: true, create_endpoint: true, endpoint_name: 'near' },
      }),
    );
    expect(started.status).toBe(202);
    const done = await over(started.body.id);
    expect(done.steps.map((step: { key: string; status: string }) => [step.key, step.status])).toEqual(
      ['prepare', 'train', 'finalize', 'register', 'image', 'endpoint'].map((key) => [key, 'done']),
    );
    expect((await get('/api/v1/serving/endpoints/near')).body).toMatchObject({
      name: 'near',
      validation_dataset_id: 'grey',
    });
    expect(
      (await api.call('DELETE', '/api/v1/serving/endpoints/near', { token, tenant: tenant.code })).status,
    ).toBeLessThan(300);
  });

  it('fails with the reason of the program', async () => {
    const started = await post(
      '/api/v1/training/experiments',
      config({ classes: ['0', '1'], split: { train: 0.02, val: 0.49, test: 0.49 } }),
    );
    const ended = await until(started.body.id, (experiment) => experiment.status === 'FAILED');
    expect(ended.status_message).toMatch(/Exit code 3: The dataset/);
    expect(ended.steps.map((step: { key: string; status: string }) => [step.key, step.status])).toEqual([
      ['prepare', 'done'],
      ['train', 'failed'],
      ['finalize', 'skipped'],
    ]);
    expect((await get(`/api/v1/runs/${ended.tracker_run_id}`)).body.status).toBe('FAILED');
    expect(await told(ended.id)).toBe('experiment_failed');
  });

  it('stops the process when canceled and refuses its token from then on', async () => {
    const started = await post(
      '/api/v1/training/experiments',
      config({ hyperparameters: 'epochs: 2000\nhidden: 512\nlayers: 3\n' }),
    );
    const { id, tracker_run_id: runId } = started.body;
    await until(id, (experiment) => experiment.status === 'RUNNING' && experiment.progress > 0.1);
    expect(
      (await api.call('DELETE', `/api/v1/training/experiments/${id}`, { token, tenant: tenant.code })).status,
    ).toBe(409);
    expect((await post(`/api/v1/training/experiments/${id}/cancel`)).status).toBe(202);
    const ended = await until(id, (experiment) => experiment.status === 'CANCELED');
    expect(ended.status_message).toBe('Canceled on request.');
    expect((await get(`/api/v1/runs/${runId}`)).body.status).toBe('KILLED');
    expect(await told(id)).toBe('experiment_canceled');
    expect(ended.steps).toMatchObject([
      { key: 'prepare', status: 'done' },
      { key: 'train', status: 'failed', message: 'Canceled on request.', finished_at: expect.any(String) },
      { key: 'finalize', status: 'skipped', started_at: null },
    ]);
    // The round that was under way is told of, and so is the end.
    const { text } = await get(`/api/v1/training/experiments/${id}/log`);
    const epochs = [...text.matchAll(/Epoch (\d+)\/2000/g)].map((match) => Number(match[1]));
    const curve = (await get(`/api/v1/training/experiments/${id}/metrics?keys=train/loss`)).body.items[0]
      .points;
    expect(epochs).toEqual(curve.map((point: { step: number }) => point.step));
    expect(text).toMatch(/Terminated on request; a retry goes on from the last checkpoint\n$/);
    expect((await post(`/api/v1/training/experiments/${id}/cancel`)).status).toBe(409);
    expect(
      (await api.call('DELETE', `/api/v1/training/experiments/${id}`, { token, tenant: tenant.code })).status,
    ).toBe(200);
    expect((await get(`/api/v1/training/experiments/${id}`)).status).toBe(404);
  });

  it('goes on by itself once when its process is killed, then fails with a named reason, keeps its log, and goes on from its checkpoint when tried again', async () => {
    const started = await post(
      '/api/v1/training/experiments',
      config({ hyperparameters: `epochs: ${EPOCHS}\nhidden: 256\nlayers: 2\n` }),
    );
    const { id, tracker_run_id: runId } = started.body;
    const checkpoints = async (run: string) =>
      (await get(`/api/v1/runs/${run}/artifacts?path=checkpoints`)).body.items?.length ?? 0;
    while ((await checkpoints(runId)) === 0)
      await until(id, (experiment) => experiment.status !== 'SUCCEEDED');
    const log = async () => (await get(`/api/v1/training/experiments/${id}/log`)).text;
    for (const pid of trainersOf(runId)) process.kill(pid, 'SIGKILL');
    while (!(await log()).includes('Going on from the checkpoint'))
      await until(id, (experiment) => experiment.status === 'RUNNING');
    for (const pid of trainersOf(runId)) process.kill(pid, 'SIGKILL');
    const ended = await until(id, (experiment) => experiment.status === 'FAILED');
    expect(ended.status_message).toBe(
      'Killed by SIGKILL from outside the platform. It had gone on by itself once before.',
    );
    expect((await get(`/api/v1/runs/${runId}/artifacts?path=logs`)).body.items).toMatchObject([
      { name: 'train.log' },
    ]);
    expect((await get(`/api/v1/training/experiments/${id}/log`)).text).toContain(`Epoch 1/${EPOCHS}`);

    expect((await post(`/api/v1/training/experiments/${id}/retry`)).status).toBe(202);
    const done = await over(id);
    expect(done).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    expect(done.steps.map((step: { status: string }) => step.status)).toEqual(['done', 'done', 'done']);
    const { text } = await get(`/api/v1/training/experiments/${id}/log`);
    const from = Number(/Going on from the checkpoint after round (\d+) of /.exec(text)?.[1]);
    expect(from).toBeGreaterThan(0);
    const steps = async (run: string): Promise<number[]> =>
      (await get(`/api/v1/runs/${run}/metrics/${encodeURIComponent('train/loss')}`)).body.points.map(
        (point: { step: number }) => point.step,
      );
    const [before, after] = [await steps(runId), await steps(done.tracker_run_id)];
    // What the first attempt had measured and not yet sent comes with the checkpoint.
    expect(after[0]).toBeLessThanOrEqual(from + 1);
    expect([...new Set([...before, ...after])].sort((a, b) => a - b)).toEqual(
      Array.from({ length: EPOCHS }, (_, at) => at + 1),
    );
  });

  it('goes on after the worker was killed, with one process from beginning to end', async () => {
    const started = await post(
      '/api/v1/training/experiments',
      config({ hyperparameters: 'epochs: 150\nhidden: 256\nlayers: 2\n' }),
    );
    const { id } = started.body;
    await until(id, (experiment) => experiment.status === 'RUNNING' && experiment.progress > 0.1);
    await kill('SIGKILL');
    startWorker();
    const done = await over(id);
    expect(done).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    const { text } = await get(`/api/v1/training/experiments/${id}/log`);
    const epochs = [...text.matchAll(/Epoch (\d+)\/150/g)].map((match) => Number(match[1]));
    expect(epochs).toEqual(Array.from({ length: 150 }, (_, at) => at + 1));
  });
});

/** Processes that were given this run: what a person would find with ps. */
function trainersOf(runId: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`RUN_ID=${runId}`) &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('train.py')
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

function namesIn(zip: Buffer): Promise<string[]> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(zip, (error, file) => {
      if (error || !file) return reject(error);
      const names: string[] = [];
      file.on('entry', (entry: { fileName: string }) => names.push(entry.fileName));
      file.on('end', () => resolve(names));
      file.on('error', reject);
    });
  });
}
