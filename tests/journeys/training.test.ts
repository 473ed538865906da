import { describe, expect, it, jest } from '@jest/globals';
import yauzl from 'yauzl';
import { openSse } from '../api/support/sse-reader.js';
import { TERMINAL, trainingGround } from './support/training-ground.js';

jest.setTimeout(240_000);

describe('a training through the whole stack', () => {
  const ground = trainingGround();
  const { get, post, config, reported, over } = ground;

  it('trains a model, streams what happens, stores metrics, log and artifacts, and registers a version', async () => {
    const { api, tenant, token } = ground.own();
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
    expect(await reported(id)).toBe('experiment_finished');
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

  it('builds the image of what it trained and asks for an endpoint', async () => {
    const { api, tenant, token } = ground.own();
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
});

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
