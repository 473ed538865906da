import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blocksOf, runInShell } from '../journeys/support/guide-shell.js';
import { sha256 } from '../builders/real-images.js';
import { SupervisedPlatform } from '../setup/supervised-platform.js';
import { isOfThisRun } from './support/cases.js';
import { writeScenes } from './support/scenes.js';

/** Empty where the environment of ultralytics is there, otherwise the reason why it is not. */
const PROBLEM = process.env.ULTRALYTICS_PROBLEM ?? 'runs with --all';
/** The smallest classifier of every runtime that exports. */
const EXPORTING = [
  { framework: 'torchvision', model: 'mobilenet_v3_small', licence: undefined },
  ...(PROBLEM === '' ? [{ framework: 'ultralytics', model: 'yolo11n-cls', licence: 'AGPL-3.0' }] : []),
];

const CALLS = `
A="Authorization: Bearer $TOKEN"; T='X-Tenant: demo'; J='Content-Type: application/json'; E=$B/api/v1/training/experiments
`;

const DATASET = `
(cd scenes && python3 -m zipfile -c ../scenes.zip train val test)
curl -s $B/api/v1/datasets -H "$A" -H "$T" -H "$J" -d '{"id": "folders", "name": "Digits in folders"}'
curl -s $B/api/v1/datasets/folders/archive -H "$A" -H "$T" -F file=@scenes.zip
until curl -s $B/api/v1/datasets/folders -H "$A" -H "$T" | grep -qE '"status":"(FROZEN|FAILED)"'; do sleep 1; done
`;

/** Trains for an epoch without export, and exports what came of it afterwards, twice. */
const trainAndExport = (framework: string, model: string) => `
ID=$(curl -s $E -H "$A" -H "$T" -H "$J" -d '{"task": "classification", "framework": "${framework}", "model": "${model}",
  "dataset_id": "folders", "gpu": 0, "pretrained": {"enabled": false}, "split": {"mode": "existing"},
  "hyperparameters": "epochs: 1\\nimage_size: 64\\nbatch_size: 6"}' | field id)
until curl -s $E/$ID -H "$A" -H "$T" | grep -qE '"status":"(SUCCEEDED|FAILED)"'; do sleep 2; done
for FORMAT in onnx torchscript; do
  curl -s $E/$ID/export -H "$A" -H "$T" -H "$J" -d "{\\"formats\\": [\\"$FORMAT\\"]}"
  while curl -s $E/$ID/exports -H "$A" -H "$T" | grep -qE '"status":"(QUEUED|RUNNING)"'; do sleep 1; done
done
curl -s $E/$ID -H "$A" -H "$T" > experiment.json
curl -s $E/$ID/exports -H "$A" -H "$T" > exports.json
curl -s $E/$ID/checkpoints -H "$A" -H "$T" > checkpoints.json
curl -s "$E/$ID/artifacts/download?path=export/export.json" -H "$A" -H "$T" > report.json
curl -s "$E/$ID/artifacts/download?path=export/model.onnx" -H "$A" -H "$T" -o model.onnx
curl -s "$E/$ID/artifacts/download?path=export/model.torchscript" -H "$A" -H "$T" -o model.torchscript
`;

/** Trains the smallest network for an epoch, registers it as the next version of `finder`, and keeps what became of it. */
const trainFinder = (more: Readonly<Record<string, unknown>>) => {
  const config = {
    ...{ task: 'classification', framework: 'torchvision', model: 'mobilenet_v3_small', gpu: 0 },
    ...{ dataset_id: 'folders', split: { mode: 'existing' }, register_model: true },
    ...{ register_model_name: 'finder', hyperparameters: 'epochs: 1\nimage_size: 64\nbatch_size: 6' },
    ...more,
  };
  return `
ID=$(curl -s $E -H "$A" -H "$T" -H "$J" -d '${JSON.stringify(config)}' | field id)
until curl -s $E/$ID -H "$A" -H "$T" | grep -qE '"status":"(SUCCEEDED|FAILED)"'; do sleep 2; done
curl -s $E/$ID -H "$A" -H "$T" > experiment.json
curl -s $E/$ID/log -H "$A" -H "$T" > training.log
`;
};
const VERSION = 'curl -s $B/api/v1/models/finder/versions/2 -H "$A" -H "$T" > version.json';

(isOfThisRun('classification') ? describe : describe.skip)('a trained model', () => {
  let platform: SupervisedPlatform;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'visionops-export-'));
    await writeScenes(join(folder, 'scenes'), 'classification', { train: 24, val: 6, test: 6 });
    platform = await SupervisedPlatform.create(undefined, { SERVICE_RUNTIMES: 'ultralytics' });
    await platform.start();
    await run(DATASET, 60_000);
  }, 240_000);
  afterAll(async () => {
    await platform?.destroy();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  async function run(commands: string, limit: number): Promise<void> {
    const signedIn = blocksOf('first-calls.md').slice(0, 2).join('\n');
    const script = `${signedIn}\n${CALLS}${commands}`;
    const { code, output } = await runInShell(script, platform.baseUrl, folder, limit);
    expect({ code, output: code === 0 ? '' : output.slice(-3000) }).toEqual({ code: 0, output: '' });
  }

  it.each(EXPORTING)(
    'of $framework is exported later, compared with what was written, and kept',
    async (of) => {
      await run(trainAndExport(of.framework, of.model), 500_000);
      const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
      expect(read('experiment.json')).toMatchObject({ status: 'SUCCEEDED' });
      const { items } = read('exports.json');
      expect(items).toMatchObject([
        { status: 'SUCCEEDED', results: [{ format: 'torchscript', available: true }] },
        { status: 'SUCCEEDED', results: [{ format: 'onnx', available: true, compared_images: 8 }] },
      ]);
      expect(read('report.json').licence).toBe(of.licence);
      expect(read('report.json').formats.map(({ format }: { format: string }) => format)).toEqual([
        ...['onnx', 'torchscript'],
      ]);
      for (const [{ results }, file] of [
        [items[1], 'model.onnx'],
        [items[0], 'model.torchscript'],
      ]) {
        expect(results[0].max_difference).toBeLessThanOrEqual(results[0].tolerance);
        expect(sha256(readFileSync(join(folder, file)))).toBe(results[0].sha256);
      }
      expect(read('checkpoints.json')).toMatchObject({
        items: [{ epoch: 1, path: 'checkpoints/latest.pt' }],
      });
    },
    600_000,
  );

  it('is what another training begins with', async () => {
    const classes = readdirSync(join(folder, 'scenes/train')).sort().slice(1);
    const begin = { source: 'model', model_name: 'finder' };
    const trainings = [
      trainFinder({ pretrained: { enabled: false } }),
      trainFinder({ pretrained: begin, classes }),
    ];
    await run(`${trainings.join('')}${VERSION}`, 500_000);
    const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const { status, config } = read('experiment.json');
    expect([status, config.pretrained]).toMatchObject(['SUCCEEDED', { ...begin, version: 1 }]);
    const log = readFileSync(join(folder, 'training.log'), 'utf8');
    expect(log).toMatch(/Beginning with finder-1: 9\d% of the network/);
    expect(log).toMatch(
      /Initialised anew, .*: network\.classifier\.3\.weight, network\.classifier\.3\.bias\n/,
    );
    expect(read('version.json').lineage.base).toEqual({
      ...{ model_name: 'finder', version: 1, sha256: config.pretrained.sha256, stage: 'None' },
    });
  }, 600_000);
});
