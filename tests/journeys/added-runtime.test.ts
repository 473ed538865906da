import { cpSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import sharp from 'sharp';
import { expectPrediction, type Prediction } from '../adapters/process/runtime-case.js';
import { type LabelledImage, zipOf } from '../builders/real-images.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';
import { copyInstallation } from './support/copied-installation.js';

jest.setTimeout(120_000);

const COLOURS = { amber: [230, 160, 20], moss: [60, 140, 50], slate: [80, 90, 150] } as const;
const EACH = 12;
const RUNTIME = { framework: 'mean-colour', model: 'nearest-mean' };
const CATALOG = '/api/v1/training/catalog';
const EXPERIMENTS = '/api/v1/training/experiments';
const ENDPOINT = '/api/v1/serving/endpoints/paints';

/** An installation with one folder more in docker/runtimes: no setting, no table, no line of code is for it. */
describe('a runtime that is added as a folder', () => {
  let installation: string;
  let platform: SupervisedPlatform;
  let person: PlatformClient;
  let experimentId: string;
  let runId: string;

  const config = (over: Readonly<Record<string, unknown>> = {}) => ({
    ...{ task: 'classification', ...RUNTIME, dataset_id: 'paints', gpu: 0 },
    split: { mode: 'ratio', train: 0.5, val: 0.25, test: 0.25, seed: 7, stratify: true },
    ...{ hyperparameters: 'epochs: 5\n', register_model: true, register_model_name: 'paints' },
    ...over,
  });

  beforeAll(async () => {
    installation = copyInstallation();
    cpSync(
      resolve('tests/fixtures/runtimes/mean-colour'),
      join(installation, 'docker/runtimes/mean-colour'),
      { recursive: true },
    );
    platform = await SupervisedPlatform.create(installation);
    await platform.start();
    person = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, 'demo');
  });
  afterAll(async () => {
    await platform?.destroy();
    rmSync(installation, { recursive: true, force: true });
  });

  it('is in the catalog, with its models and their hyperparameters', async () => {
    const listed = await person.expect(200, 'GET', `${CATALOG}/frameworks?task=classification`);
    expect(listed.body.items).toContainEqual(
      expect.objectContaining({ name: 'mean-colour', available: true, reason: null, metrics: ['accuracy'] }),
    );
    const models = await person.expect(
      200,
      'GET',
      `${CATALOG}/models?task=classification&framework=mean-colour`,
    );
    expect(models.body.items).toMatchObject([{ name: 'nearest-mean', default: true, available: true }]);
    const text = await person.expect(200, 'GET', `${CATALOG}/hyperparameters?framework=mean-colour`);
    expect(text.bytes.toString()).toContain('epochs: 3');
  });

  it('trains on folders of images, within the limits of its catalog', async () => {
    await person.expect(201, 'POST', '/api/v1/datasets', { json: { id: 'paints', name: 'Paints' } });
    const archive = { name: 'paints.zip', bytes: await zipOf(await paints(EACH)) };
    await person.expect(201, 'POST', '/api/v1/datasets/paints/archive', { file: archive });
    await person.until('/api/v1/datasets/paints', ({ status }) => status === 'FROZEN');
    const refused = await person.call('POST', EXPERIMENTS, {
      json: config({ hyperparameters: 'epochs: 0' }),
    });
    expect([refused.status, refused.bytes.toString()]).toEqual([422, expect.stringContaining('epochs')]);
    const started = await person.expect(202, 'POST', EXPERIMENTS, { json: config() });
    ({ id: experimentId, tracker_run_id: runId } = started.body);
    const done = await person.until(`${EXPERIMENTS}/${experimentId}`, ({ status }) =>
      ['SUCCEEDED', 'FAILED', 'CANCELED'].includes(status),
    );
    const log = await person.expect(200, 'GET', `${EXPERIMENTS}/${experimentId}/log`);
    expect([done.status, log.bytes.toString()]).toEqual([
      'SUCCEEDED',
      expect.stringMatching(/Epoch 5\/5[\s\S]*Done/),
    ]);
    const run = await person.expect(200, 'GET', `/api/v1/runs/${runId}`);
    expect(run.body).toMatchObject({
      ...{ status: 'FINISHED', params: { model: 'nearest-mean', 'hp.epochs': '5', 'hp.pause_ms': '0' } },
      metrics: { 'test/accuracy': 1 },
    });
    const curves = await person.expect(200, 'GET', `${EXPERIMENTS}/${experimentId}/metrics?keys=train/loss`);
    expect(curves.body.items[0].points.map(({ step }: { step: number }) => step)).toEqual([1, 2, 3, 4, 5]);
  });

  it('has its model registered and served, and it names what it never saw', async () => {
    const version = await person.expect(200, 'GET', '/api/v1/models/paints/versions/1');
    expect(version.body).toMatchObject({ framework: 'mean-colour', run_id: runId });
    const { body: image } = await person.expect(202, 'POST', '/api/v1/models/paints/1/image');
    await person.until('/api/v1/registry/images?model=paints', ({ items }) => items[0]?.status === 'READY');
    await person.expect(201, 'POST', '/api/v1/serving/endpoints', {
      json: { name: 'paints', image_id: image.id, replicas: 1, gpu: 0 },
    });
    await person.until(ENDPOINT, ({ status }) => status === 'RUNNING' || status === 'FAILED');
    const unseen = await paints(2, EACH);
    const texts = unseen.map(({ bytes }) => bytes.toString('base64'));
    for (const json of [{ inputs: texts }, { instances: texts.map((b64) => ({ b64 })) }]) {
      const { body } = await person.expect(200, 'POST', `${ENDPOINT}/proxy/invocations`, { json });
      for (const prediction of body.predictions as Prediction[])
        expectPrediction('classification', prediction, Object.keys(COLOURS));
      expect(body.predictions.map(({ label }: { label: string }) => label)).toEqual(
        unseen.map(({ label }) => label),
      );
    }
    const bad = await person.call('POST', `${ENDPOINT}/proxy/invocations`, { json: { inputs: ['AAAA'] } });
    expect([bad.status, bad.body]).toEqual([
      400,
      { error_code: expect.any(String), message: expect.any(String) },
    ]);
  });
});

/** Small images of every colour, each pixel a little off; those from another `first` on are others. */
async function paints(each: number, first = 0): Promise<LabelledImage[]> {
  const wanted = Object.entries(COLOURS).flatMap(([label, colour]) =>
    Array.from({ length: each }, (_, at) => ({ label, colour, number: first + at })),
  );
  return Promise.all(
    wanted.map(async ({ label, colour, number }) => {
      const pixels = Buffer.from(
        Array.from(
          { length: 16 * 16 * 3 },
          (_, at) => (colour[at % 3] ?? 0) + (((at + number) * 37) % 31) - 15,
        ),
      );
      const raw = { width: 16, height: 16, channels: 3 } as const;
      return {
        ...{ label, path: `${label}/${number}.png` },
        bytes: await sharp(pixels, { raw }).png().toBuffer(),
      };
    }),
  );
}
