import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { exportDigits, prepareRuntime } from '../../cli/sample/digits.js';
import { freezeDataset } from '../builders/frozen-dataset.js';
import { trainingGround } from './support/training-ground.js';

jest.setTimeout(240_000);

describe('a training that learns, fails or is canceled', () => {
  const ground = trainingGround();
  const { get, post, config, until, reported, over } = ground;

  it('learns handwritten digits: at least 95 of 100 that it never saw are right', async () => {
    const { api, store, tenant } = ground.own();
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

  it('fails with the reason of the program', async () => {
    const started = await post(
      '/api/v1/training/experiments',
      config({ classes: ['0', '1'], split: { train: 0.03, val: 0.49, test: 0.48 } }),
    );
    const ended = await until(started.body.id, (experiment) => experiment.status === 'FAILED');
    expect(ended.status_message).toMatch(/Exit code 3: The dataset/);
    expect(ended.steps.map((step: { key: string; status: string }) => [step.key, step.status])).toEqual([
      ['prepare', 'done'],
      ['train', 'failed'],
      ['finalize', 'skipped'],
    ]);
    expect((await get(`/api/v1/runs/${ended.tracker_run_id}`)).body.status).toBe('FAILED');
    expect(await reported(ended.id)).toBe('experiment_failed');
  });

  it('stops the process when canceled and refuses its token from then on', async () => {
    const { api, tenant, token } = ground.own();
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
    expect(await reported(id)).toBe('experiment_canceled');
    expect(ended.steps).toMatchObject([
      { key: 'prepare', status: 'done' },
      { key: 'train', status: 'failed', message: 'Canceled on request.', finished_at: expect.any(String) },
      { key: 'finalize', status: 'skipped', started_at: null },
    ]);
    // The round that was under way is reported, and so is the end.
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
});
