import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
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
import pg from 'pg';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';

jest.setTimeout(240_000);

const AGENT = fileURLToPath(new URL('../../../clients/device-agent', import.meta.url));
const RUNTIMES = fileURLToPath(new URL('../../../docker/runtimes', import.meta.url));
const PICTURES = 100;

/** A program that is the agent, and is killed as soon as the platform has heard of the step. */
const dyingAt = (step: string) => `
import os, signal
from visionops_device import __main__, commands
reported = commands.Progress._report
def tell(self, step, progress):
    reported(self, step, progress)
    if step == "${step}":
        os.kill(os.getpid(), signal.SIGKILL)
commands.Progress._report = tell
__main__.main()
`;

/** The same picture with grey of 16 bits. */
const DEEPENED = `
import sys, numpy
from PIL import Image
grey = numpy.asarray(Image.open(sys.stdin.buffer).convert("L")).astype(numpy.uint16) * 257
Image.fromarray(grey).save(sys.stdout.buffer, "PNG")
`;

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

  const spawnAgent = (deviceToken: string, deviceFolder: string, args = ['-m', 'visionops_device']) => {
    const log = openSync(join(folder, 'agent.log'), 'a');
    return spawn(python, ['-B', ...args], {
      cwd: AGENT,
      stdio: ['ignore', log, log],
      env: {
        PATH: process.env.PATH,
        VISIONOPS_URL: platform.baseUrl,
        VISIONOPS_DEVICE_TOKEN: deviceToken,
        VISIONOPS_DEVICE_DIR: join(folder, deviceFolder),
        VISIONOPS_IMAGES: join(folder, `${deviceFolder}-images`),
        VISIONOPS_UPLOAD_BELOW: '0.6',
      },
    });
  };
  const startAgent = () => {
    agent = spawnAgent(token, 'device');
  };
  const end = async (process: ChildProcess | null, signal: NodeJS.Signals) => {
    if (process === null || process.exitCode !== null || process.signalCode !== null) return;
    const ended = once(process, 'exit');
    process.kill(signal);
    await ended;
  };
  const endAgent = (signal: NodeJS.Signals) => end(agent, signal);
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
  const ended = (commandId: string) =>
    until('the end of the command', async () => {
      const { items } = await read('/api/v1/edge/devices/camera/commands');
      const found = items.find(({ id }: { id: string }) => id === commandId);
      return ['succeeded', 'failed', 'expired'].includes(found.state) ? found : null;
    });
  const command = async (type: string) => {
    const { status, body } = await client.call('POST', '/api/v1/edge/devices/camera/commands', {
      json: { type, expires_in_s: 600 },
    });
    expect(status).toBe(201);
    return ended(body.id);
  };
  /** A command that belongs to no deployment, such as for a version that there is none of. */
  const deployByHand = async (version: number): Promise<string> => {
    const owner = new pg.Client({ connectionString: platform.ownerUrl() });
    await owner.connect();
    try {
      await owner.query('set row_security = off');
      const { rows } = await owner.query<{ id: string }>(
        `insert into edge_command (tenant_id, device_id, type, args)
         select tenant_id, id, 'deploy', jsonb_build_object('model_name', 'digits', 'version', $1::int)
         from edge_device where key = 'camera' returning id`,
        [version],
      );
      return rows[0]?.id as string;
    } finally {
      await owner.end();
    }
  };
  const records = async (): Promise<Prediction[]> =>
    (await read('/api/v1/edge/devices/camera/inference?limit=1000')).items;
  const show = (name: string, bytes: Buffer) => {
    // Whole or not there: the agent looks at any time.
    writeFileSync(join(folder, name), bytes);
    renameSync(join(folder, name), join(folder, 'device-images', name));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'visionops-device-'));
    mkdirSync(join(folder, 'device-images'));
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
    const scans = images.heldBack.slice(0, PICTURES);
    const bytes = execFileSync(python, ['-c', DEEPENED], { input: scans[0]?.bytes });
    const shown = [...scans, { bytes }];
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
    expect(readdirSync(join(folder, 'device-images'))).toEqual([]);
    // What it was not sure of is in a dataset of the platform.
    const unsure = found.filter(({ confidence }) => confidence < 0.6).length;
    await until('the last upload', async () => {
      const { items } = await read('/api/v1/edge/devices/camera/uploads?page_size=200');
      return items.filter(({ state }: { state: string }) => state === 'done').length === unsure ? true : null;
    });
  });

  it('keeps its model when another cannot be had, and says so', async () => {
    const done = await ended(await deployByHand(99));
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

  it('comes up with a damaged model, and has it again after a deployment', async () => {
    await endAgent('SIGTERM');
    truncateSync(join(folder, 'device/models/digits/1/model.skops'), 100);
    startAgent();
    expect((await ended(await deployByHand(1))).state).toBe('succeeded');
    show('repaired.png', (images.heldBack[0] as { bytes: Buffer }).bytes);
    await until('a prediction', async () =>
      (await records()).some(({ result }) => result.file === 'repaired.png') ? true : null,
    );
  });

  it('brings a deployment to one end when it is killed in any of its steps', async () => {
    const steps = ['downloading', 'installing', 'verifying'];
    // All at once: each waits until the lease of its command is over.
    const ends = await Promise.all(steps.map((step) => survived(step)));
    const whole = [{ model_name: 'digits', version: 1, previous: null }];
    for (const { deployment, commands, log, installed, files } of ends) {
      expect(deployment).toMatchObject({ status: 'SUCCEEDED' });
      expect(commands.map(({ state, deliveries }) => [state, deliveries])).toEqual([['succeeded', 2]]);
      expect(log.filter((step) => step === 'succeeded')).toHaveLength(1);
      expect({ installed, files }).toEqual({ installed: whole, files: ['1'] });
    }
  });

  /** A device whose agent is killed in the step, and started again. */
  async function survived(step: string) {
    const id = `dies-${step}`;
    const made = await client.expect(201, 'POST', '/api/v1/edge/devices', { json: { id } });
    const asked = await client.expect(201, 'POST', '/api/v1/deployments', {
      json: { model_name: 'digits', version: 1, target_device_id: id },
    });
    const [, signal] = await once(spawnAgent(made.body.token, id, ['-c', dyingAt(step)]), 'exit');
    expect(signal).toBe('SIGKILL');
    const again = spawnAgent(made.body.token, id);
    try {
      const deployment = await until(`the end of the deployment to ${id}`, async () => {
        const found = await read(`/api/v1/deployments/${asked.body.id}`);
        return ['SUCCEEDED', 'FAILED'].includes(found.status) ? found : null;
      });
      const commands: Array<{ state: string; deliveries: number }> = (
        await read(`/api/v1/edge/devices/${id}/commands`)
      ).items;
      const log: Array<string | null> = (await read(`/api/v1/deployments/${asked.body.id}/logs`)).items.map(
        (line: { step: string | null }) => line.step,
      );
      const models = join(folder, id, 'models');
      const installed = JSON.parse(readFileSync(join(models, 'installed.json'), 'utf8'));
      return { deployment, commands, log, installed, files: readdirSync(join(models, 'digits')) };
    } finally {
      await end(again, 'SIGKILL');
    }
  }

  it('restarts when it is asked to and acknowledges it once', async () => {
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
