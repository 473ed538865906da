import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProcessRunner } from '../../../adapters/process/process-runner.js';
import type { WorkloadSpec } from '../../../core/ports/workload-runner.js';
import { ended, until } from './workload-waits.js';
import type { ProcessKit } from './process-kit.js';
import {
  expectExports,
  expectLicence,
  expectPrediction,
  filesBelow,
  type Prediction,
  type RuntimeCase,
  safetensors,
} from './runtime-case.js';
import { RUN, sha256, TOKEN, TrackerStandIn } from './tracker-stand-in.js';

/** Images in a request to a server. */
const MOST_ASKED = 24;

/** What docs/reference/runtime-contract.md asks of every runtime and every task. */
export function describeRuntime(kit: ProcessKit, wanted: RuntimeCase): void {
  describe(`${wanted.runtime}, ${wanted.task}`, () => {
    const tracker = new TrackerStandIn();
    const { patienceMs } = wanted;
    let runner: ProcessRunner;
    let address: string;
    let files: Array<{ path: string; url: string; sha256: string; label?: string; split?: string }>;

    beforeAll(async () => {
      tracker.files = wanted.dataset;
      address = await tracker.listen();
      kit.trackerUrl = `${address}/tracker`;
      kit.storeUrl = address;
      files = filesOf(wanted.dataset);
      runner = kit.running();
    });
    afterAll(async () => {
      await kit.stopLoops();
      tracker.close();
    });

    const filesOf = (folder: string) =>
      filesBelow(folder).map((path) => ({
        path,
        url: `${address}/files/${path}`,
        sha256: sha256(readFileSync(join(folder, path))),
      }));
    const spec = (
      hyperparameters: string,
      over: Readonly<Record<string, unknown>> = {},
      change: Partial<WorkloadSpec> = {},
      entries = files,
    ): WorkloadSpec =>
      kit.spec({
        runtime: wanted.runtime,
        entrypoint: 'train.py',
        limits: { memoryBytes: wanted.memoryBytes, timeoutS: null },
        env: { TRACKER_URL: `${address}/tracker`, JOB_TOKEN: TOKEN, RUN_ID: RUN },
        files: [
          { path: 'manifest.json', content: JSON.stringify(entries) },
          { path: 'config.json', content: JSON.stringify({ ...config, hyperparameters, ...over }) },
        ],
        ...change,
      });
    const config = {
      experiment_id: 'e',
      attempt: 1,
      task: wanted.task,
      model: wanted.model,
      classes: [],
      split: wanted.split,
      ...(wanted.exports ? { export: { enabled: true, formats: wanted.exports } } : {}),
    };
    /** Steps of a curve; a value that comes again with its time is the same point to the tracker. */
    const stepsOf = (wantedKey: string) => [
      ...new Map(
        tracker.metrics
          .filter(({ key }) => key === wantedKey)
          .map(({ step, timestamp, value }) => [`${step} ${timestamp} ${value}`, step]),
      ).values(),
    ];
    const refused = async (job: WorkloadSpec, exitCode: number, log: RegExp) => {
      await runner.start(job);
      expect(await ended(runner, job.id, patienceMs)).toMatchObject({ phase: 'failed', exitCode });
      expect(kit.log(job.id)).toMatch(log);
    };

    it('trains, measures as it goes and leaves a model with a report', async () => {
      const job = spec(wanted.quick);
      await runner.start(job);
      const status = await ended(runner, job.id, patienceMs * wanted.epochs);
      expect([status.phase, status.phase === 'succeeded' ? '' : kit.log(job.id)]).toEqual(['succeeded', '']);
      expect(stepsOf('train/loss')).toEqual(Array.from({ length: wanted.epochs }, (_, at) => at + 1));
      const last = (key: string) => tracker.metrics.findLast((metric) => metric.key === key)?.value;
      expect(last('system/progress')).toBe(1);
      expect(last('system/parameters')).toBeGreaterThan(0);
      for (const key of wanted.metrics) expect([key, last(key)]).toEqual([key, expect.any(Number)]);
      expect(Object.fromEntries(tracker.params)).toMatchObject({
        model: wanted.model,
        'hp.epochs': String(wanted.epochs),
      });
      const always = ['model/MLmodel', 'model/labels.json', 'confusion_matrix.json', 'confusion_matrix.png'];
      expect([...tracker.artifacts.keys()]).toEqual(
        expect.arrayContaining([...always, 'metrics.json', ...wanted.artifacts]),
      );
      for (const path of always)
        expect(readFileSync(join(kit.work(job.id), 'output', path))).toEqual(tracker.artifacts.get(path));
      expect(kit.log(job.id)).toMatch(/Epoch 1\/[\s\S]*Done/);
      if (wanted.exports) expectExports(tracker.artifacts, wanted.exports);
      if (wanted.licence !== undefined) expectLicence(tracker, wanted.exports !== undefined, wanted.licence);
    }, 900_000);

    it('answers for images by the model folder that it left', async () => {
      const downloads = [...tracker.artifacts.entries()]
        .filter(([path]) => path.startsWith('model/'))
        .map(([path, bytes]) => ({ url: `${address}/artifacts/${path}`, path, sha256: sha256(bytes) }));
      const service = kit.spec({
        kind: 'service',
        runtime: wanted.runtime,
        entrypoint: 'serve.py',
        downloads,
        limits: { memoryBytes: wanted.memoryBytes, timeoutS: null },
      });
      await runner.start(service);
      const url = await until(
        'a server',
        async () => (await runner.status(service.id))?.endpoints[0],
        patienceMs,
      );
      for (const path of ['ping', 'health', 'version'])
        expect((await fetch(`${url}/${path}`)).status).toBe(200);
      const post = (type: string, body: string) =>
        fetch(`${url}/invocations`, { method: 'POST', headers: { 'Content-Type': type }, body });
      const images = files.filter(({ path }) => path.endsWith('.png')).slice(0, MOST_ASKED);
      const inputs = images.map(({ path }) => readFileSync(join(wanted.dataset, path)).toString('base64'));
      const answers = async (params: Readonly<Record<string, number>>) => {
        const answer = await post('application/json', JSON.stringify({ inputs, params }));
        expect(answer.status).toBe(200);
        const { predictions } = (await answer.json()) as { predictions: Prediction[] };
        expect(predictions).toHaveLength(inputs.length);
        return predictions;
      };
      const labels = JSON.parse(String(tracker.artifacts.get('model/labels.json'))) as string[];
      // However unsure of it a model is after so few rounds, its objects have the shape of the contract.
      for (const [params, most] of [
        [{ conf: 0 }, Infinity],
        [{ conf: 0, top_k: 1 }, 1],
      ] as const) {
        const predictions = await answers(params);
        for (const prediction of predictions) expectPrediction(wanted.task, prediction, labels);
        const counts = predictions.map(
          ({ scores, detections }) => Object.keys(scores ?? detections ?? {}).length,
        );
        expect(Math.max(...counts)).toBeGreaterThan(0);
        expect(Math.max(...counts)).toBeLessThanOrEqual(most);
      }
      expect((await post('text/csv', 'image\n')).status).toBe(415);
      for (const bad of ['nonsense', '{"inputs": [], "instances": []}', '{"inputs": ["AAAA"]}'])
        expect((await post('application/json', bad)).status).toBe(400);
      await runner.stop(service.id, 10);
    }, 300_000);

    it('saves its state when it is asked to end, and goes on from it in another directory', async () => {
      tracker.metrics.length = 0;
      const job = spec(wanted.long);
      await runner.start(job);
      const folder = join(kit.work(job.id), 'checkpoints');
      const saved = await until(
        'a checkpoint',
        () => existsSync(folder) && readdirSync(folder).find((name) => /^latest\.[a-z]+$/.test(name)),
        patienceMs * 3,
      );
      await runner.stop(job.id, 20);
      expect(await runner.status(job.id)).toMatchObject({ phase: 'stopped', exitCode: 12 });
      expect(kit.log(job.id)).toContain('Terminated on request');
      const path = `checkpoints/${saved}`;
      const state = tracker.artifacts.get(path) ?? Buffer.alloc(0);
      const onDisk = readFileSync(join(kit.work(job.id), path));
      expect([sha256(state), state.length]).toEqual([sha256(onDisk), onDisk.length]);
      const resumed = spec(
        wanted.long,
        { attempt: 2 },
        {
          downloads: [{ url: `${address}/artifacts/${path}`, path, sha256: sha256(state), keep: true }],
        },
      );
      await runner.start(resumed);
      const begun = await until(
        'the training to go on',
        () => /Going on from the checkpoint after (?:round|epoch) (\d+)/.exec(kit.log(resumed.id)),
        patienceMs,
      );
      const from = Number(begun[1]);
      await until(
        'the next epoch',
        () => kit.log(resumed.id).includes(`Epoch ${from + 1}/`) && stepsOf('train/loss').includes(from + 1),
        patienceMs * 2,
      );
      await runner.stop(resumed.id, 20);
      const upTo = stepsOf('train/loss').filter((step) => step <= from);
      expect(upTo).toEqual(Array.from({ length: from }, (_, at) => at + 1));
    }, 900_000);

    it('goes on by itself after a SIGKILL, and measures each step once', async () => {
      tracker.metrics.length = 0;
      const job = spec(wanted.long);
      await runner.start(job);
      const folder = join(kit.work(job.id), 'checkpoints');
      const measuredSince = () => {
        const isSaved =
          existsSync(folder) && readdirSync(folder).some((name) => /^latest\.[a-z]+$/.test(name));
        const measured = join(folder, 'measured.jsonl');
        return isSaved && existsSync(measured) && readFileSync(measured, 'utf8').includes('\n');
      };
      await until('a step that the checkpoint lacks', measuredSince, patienceMs * 3);
      process.kill(kit.pidRecord(job.id).pid, 'SIGKILL');
      const killedAt = Math.max(0, ...stepsOf('train/loss'));
      await until('the training to go on', () => kit.log(job.id).includes('Going on from'), patienceMs);
      await until('later steps', () => stepsOf('train/loss').includes(killedAt + 2), patienceMs * 4);
      await runner.stop(job.id, 20);
      const steps = stepsOf('train/loss');
      expect(steps.sort((one, other) => one - other)).toEqual(steps.map((_, at) => at + 1));
    }, 900_000);

    it('sends what it measured at its end as it was, after a SIGKILL there', async () => {
      tracker.metrics.length = 0;
      tracker.silentAt = 'system/parameters';
      const job = spec(wanted.quick);
      await runner.start(job);
      await until('the last metrics', () => tracker.silentAt === null, patienceMs * wanted.epochs);
      process.kill(kit.pidRecord(job.id).pid, 'SIGKILL');
      const { phase } = await ended(runner, job.id, patienceMs * wanted.epochs);
      expect([phase, kit.log(job.id)]).toEqual(['succeeded', expect.stringContaining('Start 2')]);
      for (const key of ['train/loss', 'system/parameters', ...wanted.metrics])
        expect([key, stepsOf(key)]).toEqual([key, [...new Set(stepsOf(key))]]);
    }, 900_000);

    for (const { does, hyperparameters, dataset, says } of wanted.variants ?? [])
      it(does, async () => {
        tracker.files = dataset ?? wanted.dataset;
        const job = spec(hyperparameters, {}, {}, filesOf(tracker.files));
        await runner.start(job);
        const { phase } = await ended(runner, job.id, patienceMs * wanted.epochs);
        tracker.files = wanted.dataset;
        expect([phase, kit.log(job.id)]).toEqual(['succeeded', expect.stringMatching(says)]);
      }, 900_000);

    if (wanted.takesWeights)
      it('begins with the weights that it is given, and with no others', async () => {
        const own = tracker.artifacts.get('model/model.safetensors') ?? Buffer.alloc(0);
        tracker.artifacts.set('weights/own', own).set('weights/text', Buffer.from('no weights'));
        tracker.artifacts.set('weights/other', safetensors('another.weight'));
        const begin = (name: string, digest: string, more: Readonly<Record<string, unknown>> = {}) =>
          spec(
            wanted.quick,
            { pretrained: { file: name, sha256: digest }, ...more },
            { downloads: [{ url: `${address}/artifacts/weights/${name}`, path: `weights/${name}` }] },
          );
        const digestOf = (name: string) => sha256(tracker.artifacts.get(`weights/${name}`) as Buffer);
        const job = begin('own', digestOf('own'));
        await runner.start(job);
        const { phase } = await ended(runner, job.id, patienceMs * wanted.epochs);
        const said = expect.stringMatching(/Beginning with own: (100|9\d)% of the network/);
        expect([phase, kit.log(job.id)]).toEqual(['succeeded', said]);
        // Another number of classes: its head is new, the rest is not. Nothing of a single class can be left out.
        const labels = JSON.parse(String(tracker.artifacts.get('model/labels.json'))) as string[];
        const isSame = labels.length === 1;
        const fewer = begin('own', digestOf('own'), { classes: labels.slice(1) });
        await runner.start(fewer);
        const status = await ended(runner, fewer.id, patienceMs * wanted.epochs);
        const left = expect.stringMatching(
          isSame
            ? /Beginning with own: 100% of/
            : /Beginning with own: \d\d% of [\s\S]*Initialised anew, as [^\n]*weight/,
        );
        expect([status.phase, kit.log(fewer.id)]).toEqual(['succeeded', left]);
        await refused(begin('own', digestOf('text')), 2, /pretrained\.sha256: the weights have [0-9a-f]{64}/);
        await refused(begin('text', digestOf('text')), 2, /pretrained\.file: text holds no weights/);
        await refused(
          begin('other', digestOf('other')),
          2,
          /pretrained\.file: 0% of the network's numbers fit/,
        );
        const missing = { pretrained: { file: 'missing', sha256: digestOf('own') } };
        await refused(spec(wanted.quick, missing), 2, /pretrained\.file: missing is not there/);
      }, 900_000);

    it('names what it cannot use and ends with the code for it', async () => {
      await refused(spec('epoch: 3\n'), 2, /unknown name 'epoch'/);
      await refused(spec('epochs: 0\n'), 2, /epochs: must be between/);
      await refused(spec('', { model: 'none-such' }), 2, /model: unknown 'none-such'/);
      await refused(spec('', { task: 'anomaly_detection' }), 2, /task: this runtime trains/);
      await refused(spec(wanted.quick, {}, {}, []), 3, /Dataset: /);
      await refused(spec(wanted.quick, { classes: ['none-such', 'neither'] }), 3, /Dataset: /);
    }, 600_000);

    it('ends when its token is no longer valid', async () => {
      tracker.refusal = 409;
      const job = spec(wanted.quick);
      await runner.start(job);
      expect(await ended(runner, job.id, patienceMs)).toMatchObject({ phase: 'failed', exitCode: 10 });
      tracker.refusal = null;
    }, 300_000);
  });
}
