import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readKernelRules } from '../../../adapters/process/kernel-rules.js';
import type { ProcessRunner } from '../../../adapters/process/process-runner.js';
import { defaultCacheDir } from '../../../adapters/process/workload-dirs.js';
import { ensureRuntimeVenv } from '../../../adapters/process/runtime-environment.js';
import { ended, until } from './workload-waits.js';
import { DOCKER, ProcessKit } from './process-kit.js';
import { RUN, sha256, TOKEN, TrackerStandIn } from './tracker-stand-in.js';

const RENAME_STATE = `
import sys
sys.path.append(sys.argv[1])
from skops.io import dumps
from model_folder import load_file
kept = load_file(sys.argv[2])
kept["estimator"] = kept.pop("state")
open(sys.argv[3], "wb").write(dumps(kept))
`;

describe('training and serving with scikit-learn', () => {
  const kit = new ProcessKit(defaultCacheDir(), join(DOCKER, 'runtimes'));
  const tracker = new TrackerStandIn();
  let runner: ProcessRunner;
  let address: string;
  let manifest: Array<{ path: string; url: string; sha256: string }>;

  beforeAll(async () => {
    const venv = await ensureRuntimeVenv({
      runtime: 'sklearn',
      runtimesDir: kit.runtimesDir,
      cacheDir: defaultCacheDir(),
    });
    tracker.files = join(kit.home, 'digits');
    await promisify(execFile)(venv.python, [
      join(venv.programs, 'export_digits.py'),
      tracker.files,
      '--holdback',
      '297',
      '--holdback-dir',
      join(kit.home, 'held-back'),
    ]);
    address = await tracker.listen();
    kit.trackerUrl = `${address}/tracker`;
    kit.storeUrl = address;
    manifest = readdirSync(tracker.files).flatMap((label) =>
      readdirSync(join(tracker.files, label)).map((name) => ({
        path: `${label}/${name}`,
        url: `${address}/files/${label}/${name}`,
        sha256: sha256(readFileSync(join(tracker.files, label, name))),
      })),
    );
    runner = kit.running();
  }, 300_000);
  afterAll(async () => {
    await kit.close();
    tracker.close();
  });

  const training = (hyperparameters: string, entries = manifest, model = 'mlp') =>
    kit.spec({
      runtime: 'sklearn',
      entrypoint: 'train.py',
      limits: { memoryBytes: 2 ** 30, timeoutS: 120 },
      env: { TRACKER_URL: `${address}/tracker`, JOB_TOKEN: TOKEN, RUN_ID: RUN },
      files: [
        { path: 'manifest.json', content: JSON.stringify(entries) },
        {
          path: 'config.json',
          content: JSON.stringify({
            experiment_id: 'e',
            attempt: 1,
            task: 'classification',
            model,
            hyperparameters,
            classes: [],
            split: { mode: 'ratio', stratify: true },
          }),
        },
      ],
    });

  it('learns the digits, reports as it goes and serves what it learned', async () => {
    const spec = training('');
    await runner.start(spec);
    const status = await ended(runner, spec.id, 120_000);
    expect([status.phase, status.phase === 'succeeded' ? '' : kit.log(spec.id)]).toEqual(['succeeded', '']);
    const series = (key: string) => tracker.metrics.filter((metric) => metric.key === key);
    expect(series('val/accuracy').map((metric) => metric.step)).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    expect(series('test/accuracy').at(-1)?.value).toBeGreaterThanOrEqual(0.95);
    expect(series('system/progress').at(-1)?.value).toBe(1);
    expect(Object.fromEntries(tracker.params)).toMatchObject({
      model: 'mlp',
      classes: '10',
      'hp.epochs': '30',
    });
    expect([...tracker.artifacts.keys()]).toEqual(
      expect.arrayContaining([
        'model/model.skops',
        'model/labels.json',
        'model/MLmodel',
        'confusion_matrix.json',
        'confusion_matrix.png',
        'metrics.json',
      ]),
    );
    expect(kit.log(spec.id)).toMatch(/Fetched 1500 dataset files[\s\S]*Epoch 30\/30[\s\S]*Done/);
    expect(await heldBackAccuracy()).toBeGreaterThanOrEqual(0.97);
  }, 180_000);

  /** Serves the model from the artifacts and asks it about images that it never saw. */
  async function heldBackAccuracy(): Promise<number> {
    const names = ['model.skops', 'labels.json', 'MLmodel'];
    const downloads = names.map((name) => ({
      url: `${address}/artifacts/model/${name}`,
      path: `model/${name}`,
      sha256: sha256(tracker.artifacts.get(`model/${name}`) ?? Buffer.alloc(0)),
    }));
    const spec = kit.spec({ kind: 'service', runtime: 'sklearn', entrypoint: 'serve.py', downloads });
    await runner.start(spec);
    const url = await until('a serving endpoint', async () => (await runner.status(spec.id))?.endpoints[0]);
    const samples = readdirSync(join(kit.home, 'held-back')).flatMap((label) =>
      readdirSync(join(kit.home, 'held-back', label)).map((name) => ({
        label,
        data: readFileSync(join(kit.home, 'held-back', label, name)),
      })),
    );
    const body = JSON.stringify({
      inputs: samples.map(({ data }) => data.toString('base64')),
      params: { top_k: 1 },
    });
    const answer = (await (
      await fetch(`${url}/invocations`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      })
    ).json()) as {
      predictions: Array<{ label: string }>;
    };
    await expectRefusals(url);
    await runner.stop(spec.id, 10);
    expect(kit.log(spec.id)).toContain('Serving 10 classes');
    return (
      answer.predictions.filter((prediction, index) => prediction.label === samples[index]?.label).length /
      samples.length
    );
  }

  async function expectRefusals(url: string): Promise<void> {
    const post = async (type: string, body: string | Buffer) => {
      const answer = await fetch(`${url}/invocations`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        body: body as string,
      });
      return { status: answer.status, text: await answer.text() };
    };
    expect(await post('text/csv', 'image\n')).toMatchObject({ status: 415 });
    expect(await post('application/json', '{"inputs": [], "instances": []}')).toMatchObject({
      status: 400,
      text: expect.stringContaining('"error_code": "BAD_REQUEST"'),
    });
    expect(await post('application/json', 'nonsense')).toMatchObject({ status: 400 });
    expect(await post('image/png', pngHeader(60_000, 60_000))).toMatchObject({
      status: 400,
      text: expect.stringContaining('pixels'),
    });
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect((await fetch(`${url}/version`)).status).toBe(200);
  }

  it('goes on from its checkpoint after an interruption', async () => {
    const spec = training('epochs: 400\nhidden: 64\naugment_shift_px: 0\n', manifest.slice(0, 600));
    await runner.start(spec);
    await until('some epochs', () => /Epoch 5\/400/.test(kit.log(spec.id)));
    await kit.stopLoops();
    const { suspendWorkloads } = await import('../../../adapters/process/suspend-workloads.js');
    await suspendWorkloads(kit.dataDir, 20);
    runner = kit.running();
    await until('the resumed training', () =>
      /Going on from the checkpoint after round \d+ of 400/.test(kit.log(spec.id)),
    );
    await runner.stop(spec.id, 20);
    expect(await runner.status(spec.id)).toMatchObject({ phase: 'stopped', exitCode: 12 });
  });

  /** The epochs that its log reports, in order. */
  const epochsOf = (id: string) =>
    [...kit.log(id).matchAll(/Epoch (\d+)\//g)].map((match) => Number(match[1]));
  /** The steps of a curve in the order they came; a value that comes again with its time is the same point to the tracker. */
  const stepsOf = (wanted: string) => {
    const points = new Map(
      tracker.metrics
        .filter(({ key }) => key === wanted)
        .map(({ step, timestamp, value }) => [`${step} ${timestamp} ${value}`, step]),
    );
    return [...points.values()];
  };

  it('keeps the line and the values of the round that ends when the platform is stopped, although nobody answers any more', async () => {
    const spec = training('epochs: 60\nhidden: 256\nlayers: 2\n');
    tracker.metrics.length = 0;
    await runner.start(spec);
    await until('some epochs', () => epochsOf(spec.id).includes(3), 60_000);
    await kit.stopLoops();
    tracker.refusal = 503;
    const { suspendWorkloads } = await import('../../../adapters/process/suspend-workloads.js');
    await suspendWorkloads(kit.dataDir, 20);
    tracker.refusal = null;
    runner = kit.running();
    expect(await ended(runner, spec.id, 120_000)).toMatchObject({ phase: 'succeeded' });
    expect(epochsOf(spec.id)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    for (const key of ['train/loss', 'train/accuracy', 'val/loss', 'val/accuracy'])
      expect([key, stepsOf(key)]).toEqual([key, Array.from({ length: 60 }, (_, at) => at + 1)]);
  }, 200_000);

  /** The checkpoint as release 0.1 wrote it. */
  const asOfRelease01 = async (checkpoint: Buffer): Promise<Buffer> => {
    const { python, programs } = await ensureRuntimeVenv({
      runtime: 'sklearn',
      runtimesDir: kit.runtimesDir,
      cacheDir: defaultCacheDir(),
    });
    const [now, then] = [join(kit.home, 'now.skops'), join(kit.home, 'then.skops')];
    writeFileSync(now, checkpoint);
    await promisify(execFile)(python, ['-c', RENAME_STATE, programs, now, then]);
    return readFileSync(then);
  };

  it('goes on from its own checkpoint when it is cut off, not from one of an older release that it began with, and measures no round twice', async () => {
    const spec = training('epochs: 40\nhidden: 512\nlayers: 2\n');
    const before = kit.spec({ ...spec, id: `${spec.id}-before` });
    const saved = (id: string) => join(kit.work(id), 'checkpoints/latest.skops');
    await runner.start(before);
    await until('a checkpoint', () => existsSync(saved(before.id)), 60_000);
    await runner.stop(before.id, 20);
    const older = await asOfRelease01(readFileSync(saved(before.id)));
    tracker.artifacts.set('older', older);
    tracker.metrics.length = 0;
    await runner.start({
      ...spec,
      downloads: [
        {
          url: `${address}/artifacts/older`,
          path: 'checkpoints/latest.skops',
          sha256: sha256(older),
          keep: true,
        },
      ],
    });
    await until(
      'a checkpoint of its own',
      () => existsSync(saved(spec.id)) && sha256(readFileSync(saved(spec.id))) !== sha256(older),
      60_000,
    );
    const reported = epochsOf(spec.id).length;
    await until('one more epoch', () => epochsOf(spec.id).length > reported);
    process.kill(kit.pidRecord(spec.id).pid, 'SIGKILL');
    expect(await ended(runner, spec.id, 120_000)).toMatchObject({ phase: 'succeeded', restarts: 1 });
    const from = [...kit.log(spec.id).matchAll(/Going on from the checkpoint after round (\d+) of/g)].map(
      (match) => Number(match[1]),
    );
    expect(from).toHaveLength(2);
    expect(from[1]).toBeGreaterThan(from[0] as number);
    const steps = stepsOf('train/loss');
    const first = steps[0] as number;
    expect(steps).toEqual(Array.from({ length: 41 - first }, (_, at) => first + at));
  }, 200_000);

  it('waits while another server has the port of the platform, and follows the platform to its new address', async () => {
    const stranger = createServer(
      (_request, response) =>
        void response.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>no such page</h1>'),
    );
    await new Promise<void>((done) => stranger.listen(0, '127.0.0.1', done));
    const moved = new TrackerStandIn();
    const before = kit.trackerUrl;
    await kit.stopLoops();
    kit.trackerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/tracker`;
    runner = kit.running();
    const asked = new Promise((done) => stranger.once('request', done));
    const spec = training('epochs: 2\n', manifest.slice(0, 300));
    await runner.start(spec);
    await asked;
    await kit.stopLoops();
    kit.trackerUrl = `${await moved.listen()}/tracker`;
    runner = kit.running();
    expect(await ended(runner, spec.id)).toMatchObject({ phase: 'succeeded', restarts: 0 });
    expect(moved.metrics.filter(({ key }) => key === 'val/accuracy').map(({ step }) => step)).toEqual([1, 2]);
    // Where the kernel closes every port but those that a program was started with, it has begun anew.
    const { closesConnections } = readKernelRules(kit.runtimesDir);
    expect(kit.pidRecord(spec.id).attempt).toBe(closesConnections ? 2 : 1);
    await kit.stopLoops();
    kit.trackerUrl = before;
    runner = kit.running();
    moved.close();
    stranger.closeAllConnections();
    stranger.close();
  });

  it('ends as canceled when its token is no longer valid', async () => {
    tracker.refusal = 409;
    const spec = training('', manifest.slice(0, 200));
    await runner.start(spec);
    expect(await ended(runner, spec.id)).toMatchObject({ phase: 'failed', exitCode: 10 });
    tracker.refusal = null;
  });

  it('says in its log that equal images lie on both sides of the split', async () => {
    const some = manifest.filter((_, at) => at % 15 === 0);
    const spec = training('epochs: 1\n', [
      ...some,
      ...some.map((entry) => ({ ...entry, path: entry.path.replace('.png', '-copy.png') })),
    ]);
    await runner.start(spec);
    expect(await ended(runner, spec.id, 120_000)).toMatchObject({ phase: 'succeeded' });
    expect(kit.log(spec.id)).toMatch(
      /Warning: [1-9]\d* images of val and test have the same bytes as one of train/,
    );
  });

  it('names what it cannot use: a bad hyperparameter, one class only, a changed file', async () => {
    const bad = training('epoch: 3\n');
    const lonely = training(
      '',
      manifest.filter(({ path }) => path.startsWith('3/')),
    );
    const changed = training('', [{ ...(manifest[0] as (typeof manifest)[0]), sha256: '0'.repeat(64) }]);
    for (const spec of [bad, lonely, changed]) await runner.start(spec);
    expect(await ended(runner, bad.id)).toMatchObject({ phase: 'failed', exitCode: 2 });
    expect(kit.log(bad.id)).toContain("unknown name 'epoch'");
    expect(await ended(runner, lonely.id)).toMatchObject({ phase: 'failed', exitCode: 3 });
    expect(kit.log(lonely.id)).toContain('at least two are needed');
    expect(await ended(runner, changed.id)).toMatchObject({ phase: 'failed', exitCode: 4 });
    expect(kit.log(changed.id)).toContain('expected sha256');
  });
});

/** A PNG that claims a size and holds nothing. */
function pngHeader(width: number, height: number): Buffer {
  const chunk = Buffer.from([
    0,
    0,
    0,
    13,
    ...Buffer.from('IHDR'),
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    8,
    2,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
  ]);
  chunk.writeUInt32BE(width, 8);
  chunk.writeUInt32BE(height, 12);
  let crc = ~0;
  for (const byte of chunk.subarray(4, 21)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  chunk.writeUInt32BE(~crc >>> 0, 21);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk,
    Buffer.from('\0\0\0\0IDAT\0\0\0\0'),
  ]);
}
