import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { defaultCacheDir } from '../../adapters/process/workload-dirs.js';
import { ensureRuntimeVenv } from '../../adapters/process/runtime-environment.js';
import { type RealImages, realImages } from '../builders/real-images.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';

jest.setTimeout(240_000);

const AGENT = fileURLToPath(new URL('../../../clients/device-agent', import.meta.url));
const RUNTIMES = fileURLToPath(new URL('../../../docker/runtimes', import.meta.url));
const PICTURES = 100;

interface Prediction {
  readonly model_name: string;
  readonly version: number;
  readonly confidence: number;
  readonly result: { readonly file: string; readonly label: string; readonly score: number };
}

/** The reference agent as its own process, on the platform that `npm start` makes, with the model of the sample. */
describe('the agent of a device', () => {
  let platform: SupervisedPlatform;
  let client: PlatformClient;
  let images: RealImages;
  let python: string;
  let folder: string;
  let token: string;
  let agent: ChildProcess | null = null;

  const startAgent = () => {
    const log = openSync(join(folder, 'agent.log'), 'a');
    agent = spawn(python, ['-B', '-m', 'visionops_device'], {
      cwd: AGENT,
      stdio: ['ignore', log, log],
      env: {
        PATH: process.env.PATH,
        VISIONOPS_URL: platform.baseUrl,
        VISIONOPS_DEVICE_TOKEN: token,
        VISIONOPS_DEVICE_DIR: join(folder, 'device'),
        VISIONOPS_IMAGES: join(folder, 'images'),
        VISIONOPS_UPLOAD_BELOW: '0.6',
      },
    });
  };
  const endAgent = async (signal: NodeJS.Signals) => {
    if (agent === null || agent.exitCode !== null) return;
    const ended = once(agent, 'exit');
    agent.kill(signal);
    await ended;
  };
  const until = async <T>(what: string, look: () => Promise<T | null>): Promise<T> => {
    for (const end = Date.now() + 90_000; Date.now() < end; await sleep(200)) {
      const found = await look();
      if (found !== null) return found;
    }
    throw new Error(
      `${what} did not happen:\n${readFileSync(join(folder, 'agent.log'), 'utf8').slice(-4000)}`,
    );
  };
  const read = async (path: string) => (await client.call('GET', path)).body;
  const command = async (type: string, args: object = {}) => {
    const { status, body } = await client.call('POST', '/api/v1/edge/devices/camera/commands', {
      json: { type, args, expires_in_s: 600 },
    });
    expect(status).toBe(201);
    return until(`the end of ${type}`, async () => {
      const { items } = await read('/api/v1/edge/devices/camera/commands');
      const found = items.find(({ id }: { id: string }) => id === body.id);
      return ['succeeded', 'failed', 'expired'].includes(found.state) ? found : null;
    });
  };
  const records = async (): Promise<Prediction[]> =>
    (await read('/api/v1/edge/devices/camera/inference?limit=1000')).items;
  const show = (name: string, bytes: Buffer) => {
    // Whole or not there: the agent looks at any time.
    writeFileSync(join(folder, name), bytes);
    renameSync(join(folder, name), join(folder, 'images', name));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'visionops-device-'));
    mkdirSync(join(folder, 'images'));
    platform = await SupervisedPlatform.create();
    await platform.start();
    if ((await platform.run('sample')) !== 0) throw new Error(platform.output.slice(-4000));
    [images, { python }] = await Promise.all([
      realImages(PICTURES),
      ensureRuntimeVenv({ runtime: 'sklearn', runtimesDir: RUNTIMES, cacheDir: defaultCacheDir() }),
    ]);
    client = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, 'demo');
    const made = await client.call('POST', '/api/v1/edge/devices', {
      json: { id: 'camera', location: 'Hall 3' },
    });
    token = made.body.token;
    await client.expect(200, 'PUT', '/api/v1/edge/devices/camera/policy', {
      json: { sync: { interval_s: 1 } },
    });
    startAgent();
  }, 240_000);
  afterAll(async () => {
    await endAgent('SIGKILL');
    await platform?.destroy();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  it('registers, says how it is and installs the model of the sample', async () => {
    const device = await until('a heartbeat', async () => {
      const found = await read('/api/v1/edge/devices/camera');
      return found.status === 'ACTIVE' && found.snapshot?.last_heartbeat ? found : null;
    });
    expect(device.sdk_version).toContain('visionops-device');
    expect(device.snapshot.mem).toBeGreaterThan(0);
    const asked = await client.call('POST', '/api/v1/deployments', {
      json: { model_name: 'digits', version: 1, target_device_id: 'camera' },
    });
    expect(asked.status).toBe(201);
    await until('the end of the deployment', async () =>
      (await read(`/api/v1/deployments/${asked.body.id}`)).status === 'SUCCEEDED' ? true : null,
    );
    const { items } = await read('/api/v1/edge/devices/camera/commands');
    expect(items[0]).toMatchObject({
      ...{ type: 'deploy', state: 'succeeded' },
      result: { model_name: 'digits', version: 1, previous: null },
    });
    const log = await read(`/api/v1/deployments/${asked.body.id}/logs`);
    expect(log.items.map(({ step }: { step: string | null }) => step)).toEqual(
      expect.arrayContaining(['downloading', 'installing', 'verifying', 'succeeded']),
    );
  });

  it('predicts what the serving endpoint predicts', async () => {
    const shown = images.heldBack.slice(0, PICTURES);
    for (const [n, { bytes }] of shown.entries()) show(`${n}.png`, bytes);
    const found = await until('the last prediction', async () => {
      const items = await records();
      return items.length >= shown.length ? items : null;
    });
    expect(found).toHaveLength(shown.length);
    const inputs = shown.map(({ bytes }) => bytes.toString('base64'));
    const answer = await client.call('POST', '/api/v1/serving/endpoints/digits/proxy/invocations', {
      json: { inputs },
    });
    const named = new Map(found.map(({ result }) => [result.file, result]));
    for (const [n, { label, score }] of answer.body.predictions.entries()) {
      expect(named.get(`${n}.png`)?.label).toBe(label);
      expect(named.get(`${n}.png`)?.score).toBeCloseTo(score, 5);
    }
    expect(readdirSync(join(folder, 'images'))).toEqual([]);
    // What it was not sure of is in a dataset of the platform.
    const unsure = found.filter(({ confidence }) => confidence < 0.6).length;
    await until('the last upload', async () => {
      const { items } = await read('/api/v1/edge/devices/camera/uploads?page_size=200');
      return items.filter(({ state }: { state: string }) => state === 'done').length === unsure ? true : null;
    });
  });

  it('keeps its model when another cannot be had, and says so', async () => {
    const done = await command('deploy', { model_name: 'digits', version: 99 });
    expect(done.state).toBe('failed');
    expect(done.result.message).toContain('404');
    show('again.png', (images.heldBack[0] as { bytes: Buffer }).bytes);
    await until('a prediction', async () =>
      (await records()).some(({ result }) => result.file === 'again.png') ? true : null,
    );
  });

  it('goes on after kill -9 with its model and loses no picture', async () => {
    const before = (await records()).length;
    await endAgent('SIGKILL');
    for (let n = 0; n < 20; n += 1) show(`late-${n}.png`, (images.heldBack[n] as { bytes: Buffer }).bytes);
    startAgent();
    await sleep(1500);
    await endAgent('SIGKILL');
    startAgent();
    await until('the late predictions', async () => {
      const files = new Set((await records()).map(({ result }) => result.file));
      return Array.from({ length: 20 }, (_, n) => `late-${n}.png`).every((file) => files.has(file))
        ? true
        : null;
    });
    expect((await records()).length).toBeGreaterThanOrEqual(before + 20);
  });

  it('restarts when it is told to and acknowledges it once', async () => {
    const pid = agent?.pid;
    const done = await command('restart');
    expect(done).toMatchObject({ state: 'succeeded', deliveries: 1 });
    expect(agent?.pid).toBe(pid);
    expect((await command('refresh_config')).result.revision).toBeGreaterThan(0);
  });

  it('ends when its device is gone', async () => {
    await client.call('DELETE', '/api/v1/edge/devices/camera');
    await endAgent('SIGTERM');
    startAgent();
    const [code] = await once(agent as ChildProcess, 'exit');
    expect(code).toBe(2);
  });
});
