import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { zipOf } from '../builders/real-images.js';
import { tinyImages } from '../builders/tiny-images.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';

jest.setTimeout(180_000);
const EXPERIMENTS = '/api/v1/training/experiments';
const TENANT = 'shop';
/** Long enough to be at work before, during and after the start on another port. */
const EPOCHS = 800;

describe('a training whose supervisor is killed and whose API comes back on another port', () => {
  let platform: SupervisedPlatform;
  beforeAll(async () => {
    platform = await SupervisedPlatform.create();
    await platform.start();
  }, 180_000);
  afterAll(() => platform?.destroy(), 120_000);

  it('goes on in the same attempt, succeeds and has lost no value', async () => {
    const first = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, TENANT);
    await first.expect(201, 'POST', '/api/v1/settings/tenants', { json: { code: TENANT, name: 'Shop' } });
    await first.expect(201, 'POST', '/api/v1/datasets', {
      json: { id: 'grey', name: 'grey', source: 'upload', format: 'images' },
    });
    await first.expect(201, 'POST', '/api/v1/datasets/grey/archive', {
      file: { name: 'grey.zip', bytes: await zipOf(await tinyImages(3, 20)) },
    });
    await first.until('/api/v1/datasets/grey', (dataset) => dataset.status === 'FROZEN');
    const config = {
      task: 'classification',
      framework: 'sklearn',
      model: 'mlp',
      dataset_id: 'grey',
      gpu: 0,
      hyperparameters: `epochs: ${EPOCHS}\nhidden: 256\nlayers: 2\n`,
    };
    const started = await first.expect(202, 'POST', EXPERIMENTS, { json: config });
    const path = `${EXPERIMENTS}/${started.body.id}`;
    await first.until(
      path,
      (experiment) => experiment.status === 'RUNNING' && experiment.progress > 0.06,
      120_000,
    );

    await platform.killSupervisor();
    await platform.moveElsewhere();
    await platform.start();
    expect(platform.baseUrl).not.toBe(first.baseUrl);

    const second = new PlatformClient(platform.baseUrl, first.token, TENANT);
    const then = await second.expect(200, 'GET', path);
    expect([then.body.status, then.body.progress < 1]).toEqual(['RUNNING', true]);
    const done = await second.until(
      path,
      (experiment) => ['SUCCEEDED', 'FAILED', 'CANCELED'].includes(experiment.status),
      120_000,
    );
    expect(done).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    // Where the kernel holds it to the ports of its start it begins once more, from its checkpoint; elsewhere it just goes on.
    const log = (await second.expect(200, 'GET', `${path}/log`)).bytes.toString();
    expect(log.split('Going on from the checkpoint').length).toBeLessThanOrEqual(2);
    const curve = (await second.expect(200, 'GET', `${path}/metrics?keys=train/loss&max_points=5000`)).body
      .items[0].points;
    expect(curve.map((point: { step: number }) => point.step)).toEqual(
      Array.from({ length: EPOCHS }, (_, at) => at + 1),
    );
  });
});
