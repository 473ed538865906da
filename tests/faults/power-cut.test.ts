import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { zipOf } from '../builders/real-images.js';
import { tinyImages } from '../builders/tiny-images.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';
import { namesIn, processesOf } from './main-jobs/processes.js';

jest.setTimeout(600_000);
const EXPERIMENTS = '/api/v1/training/experiments';
const TENANT = 'shop';
const EPOCHS = 1200;
/** Some seconds beyond its first checkpoint, and far beyond the second cut. */
const SHORT = `epochs: ${EPOCHS}\nhidden: 256\nlayers: 2\n`;
const LONG = 'epochs: 2000\nhidden: 1024\nlayers: 4\n';

/** Some end with the one they belong to, before it is their turn. */
function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe('a training in a power cut', () => {
  let platform: SupervisedPlatform;
  let client: PlatformClient;

  beforeAll(async () => {
    platform = await SupervisedPlatform.create();
    await platform.start();
    client = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, TENANT);
  }, 180_000);
  afterAll(() => platform?.destroy(), 120_000);

  /** Every process of the platform at once: supervisor, API, worker, engines, shims and training programs. */
  const cutPower = async () => {
    const all = processesOf(platform.dataDir, platform.workloads());
    for (const what of ['postgres', 'shim.py', 'train.py', 'activities/worker.js'])
      expect(all.map(({ command }) => command)).toContainEqual(expect.stringContaining(what));
    for (const { pid } of all) killed(pid);
    await platform.killSupervisor();
    // Also those that ended and are waited for by nobody yet: PostgreSQL takes them for running.
    await until('the end of all', () => all.every(({ pid }) => !existsSync(`/proc/${pid}`)));
  };
  const train = async (hyperparameters: string): Promise<string> => {
    const config = {
      task: 'classification',
      framework: 'sklearn',
      model: 'mlp',
      dataset_id: 'grey',
      hyperparameters,
    };
    return (await client.expect(202, 'POST', EXPERIMENTS, { json: config })).body.id as string;
  };
  const checkpointOf = (id: string) =>
    join(
      platform.workloads(),
      namesIn(platform.workloads()).find((name) => name.includes(id)) ?? '',
      'work/checkpoints/latest.skops',
    );
  const logOf = async (id: string) =>
    (await client.expect(200, 'GET', `${EXPERIMENTS}/${id}/log`)).bytes.toString();
  const until = async (what: string, look: () => boolean | Promise<boolean>) => {
    for (const end = Date.now() + 120_000; !(await look()); await sleep(200))
      if (Date.now() > end) throw new Error(`${what} did not happen`);
  };
  const ended = (id: string) =>
    client.until(
      `${EXPERIMENTS}/${id}`,
      ({ status }) => ['SUCCEEDED', 'FAILED', 'CANCELED'].includes(status),
      300_000,
    );

  it('goes on from its checkpoint by itself, once', async () => {
    await client.expect(201, 'POST', '/api/v1/settings/tenants', { json: { code: TENANT, name: 'Shop' } });
    await client.expect(201, 'POST', '/api/v1/datasets', {
      json: { id: 'grey', name: 'grey', source: 'upload', format: 'images' },
    });
    await client.expect(201, 'POST', '/api/v1/datasets/grey/archive', {
      file: { name: 'grey.zip', bytes: await zipOf(await tinyImages(3, 20)) },
    });
    await client.until('/api/v1/datasets/grey', (dataset) => dataset.status === 'FROZEN');
    const [short, long] = [await train(SHORT), await train(LONG)];
    await until('a checkpoint of each', () => [short, long].every((id) => existsSync(checkpointOf(id))));
    await cutPower();

    await platform.start();
    expect(await ended(short)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    expect(await logOf(short)).toMatch(
      new RegExp(`Going on from the checkpoint after round \\d+ of ${EPOCHS}`),
    );
    const curve = (
      await client.expect(200, 'GET', `${EXPERIMENTS}/${short}/metrics?keys=train/loss&max_points=5000`)
    ).body.items[0].points;
    expect(curve.map((point: { step: number }) => point.step)).toEqual(
      Array.from({ length: EPOCHS }, (_, at) => at + 1),
    );
    await until('the long one going on', async () =>
      (await logOf(long)).includes('Going on from the checkpoint'),
    );
    await cutPower();

    await platform.start();
    expect(await ended(long)).toMatchObject({
      status: 'FAILED',
      attempt: 1,
      status_message: expect.stringMatching(
        /^Its supervising process was killed or the machine restarted.* gone on by itself once before; a retry /,
      ),
    });
    expect(await client.expect(202, 'POST', `${EXPERIMENTS}/${long}/retry`)).toMatchObject({
      body: { attempt: 2, status_message: expect.stringContaining('goes on from the checkpoint') },
    });
    await until('the second attempt going on', async () =>
      (await logOf(long)).includes('Going on from the checkpoint'),
    );
    await client.expect(202, 'POST', `${EXPERIMENTS}/${long}/cancel`);
    expect(await ended(long)).toMatchObject({ status: 'CANCELED', attempt: 2 });
  });
});
