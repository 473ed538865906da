import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProcessRunner } from '../../adapters/process/process-runner.js';
import { defaultCacheDir } from '../../adapters/process/workload-dirs.js';
import { DOCKER, ProcessKit } from '../adapters/process/process-kit.js';
import { filesBelow } from '../adapters/process/runtime-case.js';
import { RUN, sha256, TOKEN, TrackerStandIn } from '../adapters/process/tracker-stand-in.js';
import { ended, until } from '../adapters/process/workload-waits.js';
import { isOfThisRun, LEARNING_CASES, type LearningCase } from './support/cases.js';
import { writeScenes } from './support/scenes.js';
import { type Answer, constantShare, foundShare, truths } from './support/served-share.js';

const MEMORY_BYTES = 4 * 2 ** 30;
/** The least share of objects, or images, of the test part that the served model names as they are. */
const LEAST_SERVED = 0.7;
const FORMATS = ['onnx', 'torchscript'];

/** Real pixels with known truth: digit scans in photographs. No weights but those learned here. */
describe.each(LEARNING_CASES.filter(({ task }) => isOfThisRun(task)))('learning $task', (learned) => {
  const kit = new ProcessKit(defaultCacheDir(), join(DOCKER, 'runtimes'));
  const tracker = new TrackerStandIn();
  const scenes = join(kit.home, 'scenes');
  let runner: ProcessRunner;
  let address: string;

  beforeAll(async () => {
    await writeScenes(scenes, learned.task, learned.scenes);
    tracker.files = scenes;
    address = await tracker.listen();
    kit.trackerUrl = `${address}/tracker`;
    kit.storeUrl = address;
    runner = kit.running();
  }, 300_000);
  afterAll(async () => {
    await kit.close();
    tracker.close();
  });

  it('learns from scratch, and its exported file answers alike', async () => {
    const job = trainingSpec(kit, address, scenes, learned);
    await runner.start(job);
    const status = await ended(runner, job.id, 1_500_000);
    expect([status.phase, status.phase === 'succeeded' ? '' : kit.log(job.id)]).toEqual(['succeeded', '']);
    const log = kit.log(job.id);
    console.log(
      log
        .split('\n')
        .filter((line) => /Epoch|Test:|Exported|Warning: no|s in all/.test(line))
        .join('\n'),
    );
    expect(log).toContain('Training from scratch');
    const read = <T>(path: string) => JSON.parse(String(tracker.artifacts.get(path))) as T;
    const { metrics, per_class: classes } = read<{
      metrics: Record<string, number>;
      per_class: Array<Record<string, number>>;
    }>('report.json');
    expect(metrics[`test/${learned.metric}`]).toBeGreaterThanOrEqual(learned.least);
    for (const entry of classes) expect(entry[learned.perClass]).toBeGreaterThan(0.5);
    const { formats } = read<{ formats: Exported[] }>('export/export.json');
    expect(formats.map(({ format }) => format)).toEqual(FORMATS);
    for (const made of formats) {
      const file = `model.${made.format}`;
      expect(made).toMatchObject({ available: true, file });
      expect(made.max_difference).toBeLessThan(0.01);
      expect(made.compared_values).toBeGreaterThan(0);
      expect(sha256(tracker.artifacts.get(`export/${file}`) as Buffer)).toBe(made.sha256);
    }
    expect(tracker.artifacts.get('worst/01.png')?.subarray(1, 4).toString()).toBe('PNG');
  }, 1_600_000);

  it('is served, and names what scenes show that it never saw', async () => {
    const downloads = [...tracker.artifacts]
      .filter(([path]) => path.startsWith('model/'))
      .map(([path, bytes]) => ({ url: `${address}/artifacts/${path}`, path, sha256: sha256(bytes) }));
    const service = kit.spec({
      kind: 'service',
      runtime: 'torchvision',
      entrypoint: 'serve.py',
      downloads,
      limits: { memoryBytes: MEMORY_BYTES, timeoutS: null },
    });
    await runner.start(service);
    const url = await until('a server', async () => (await runner.status(service.id))?.endpoints[0], 120_000);
    const ask = async (paths: readonly string[]): Promise<Answer[]> => {
      const inputs = paths.map((path) => readFileSync(path).toString('base64'));
      const answer = await fetch(`${url}/invocations`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ inputs }),
      });
      return ((await answer.json()) as { predictions: Answer[] }).predictions;
    };
    const shown = truths(learned.task, scenes);
    const share = foundShare(learned.task, [...shown.values()], await ask([...shown.keys()]));
    console.log(`served share ${share.toFixed(3)}`);
    expect(share).toBeGreaterThan(LEAST_SERVED);
    await runner.stop(service.id, 10);
  }, 300_000);

  it('is more than any answer finds that is the same for every image', () => {
    const shown = [...truths(learned.task, scenes).values()];
    expect(foundShare(learned.task, shown, shown)).toBe(1);
    expect(constantShare(learned.task, shown)).toBeLessThan(LEAST_SERVED - 0.2);
  });
});

/** A file of export.json. */
interface Exported {
  readonly format: string;
  readonly max_difference: number;
  readonly compared_values: number;
  readonly sha256: string;
}

function trainingSpec(kit: ProcessKit, address: string, scenes: string, learned: LearningCase) {
  const entries = filesBelow(scenes).map((path) => ({
    path,
    url: `${address}/files/${path}`,
    sha256: sha256(readFileSync(join(scenes, path))),
  }));
  const { task, model, hyperparameters } = learned;
  const split = { mode: 'existing' };
  const wanted = { enabled: true, formats: FORMATS };
  return kit.spec({
    runtime: 'torchvision',
    entrypoint: 'train.py',
    limits: { memoryBytes: MEMORY_BYTES, timeoutS: null },
    env: { TRACKER_URL: `${address}/tracker`, JOB_TOKEN: TOKEN, RUN_ID: RUN },
    files: [
      { path: 'manifest.json', content: JSON.stringify(entries) },
      {
        path: 'config.json',
        content: JSON.stringify({ task, model, hyperparameters, split, classes: [], export: wanted }),
      },
    ],
  });
}
