import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_TENANT } from '../supervisor/environment.js';
import { dataFiles, writeJson } from '../supervisor/files.js';
import type { Progress } from '../terminal/progress.js';
import { ApiClient } from './api-client.js';
import { DATASET_ID, ensureDataset, uploadDigits, waitUntilFrozen } from './dataset-step.js';
import { type DeviceResult, runDevice } from './device-step.js';
import { type Digits, exportDigits, prepareRuntime } from './digits.js';
import { renderPicture } from './picture.js';
import { accuracyOf, type Answered, classify, ensureEndpoint, ENDPOINT_NAME } from './serving-step.js';
import { ensurePromoted } from './promotion-step.js';
import { exportScenes, SCENES_ID, uploadScenes } from './scenes-step.js';
import { withAdministratorToken } from './sign-in.platform.js';
import {
  ensureExperiment,
  ensureImage,
  followTraining,
  MODEL_NAME,
  registeredVersion,
} from './training-step.js';

/** Below this the sample has not shown what it is there to show. */
const LEAST_ACCURACY = 0.95;

export interface SampleOptions {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly adminEmail: string;
  readonly progress: Progress;
  /** Ends the journey where it is; the next run goes on from there. */
  readonly signal: AbortSignal;
}

export interface SampleResult {
  readonly accuracy: number;
  /** The card's line. */
  readonly summary: string;
}

/**
 * The main job on real data: digits in, a trained model that answers out, through the REST API. Everything has a fixed
 * name and each step looks first whether its work is done, so a repeat goes on where the last one ended.
 * @throws Error naming the step that failed and why
 */
export async function runSample(options: SampleOptions): Promise<SampleResult> {
  const tenant = process.env.SERVICE_INIT_TENANT_CODE || DEFAULT_TENANT;
  return withAdministratorToken(options.dataDir, options.adminEmail, async (token) => {
    const api = new ApiClient(options.baseUrl, token, tenant, options.signal);
    const { digits, python } = await prepareData(options, api);
    const version = await train(options, api);
    const answers = await options.progress.step('images it never saw', (report) =>
      classify(api, digits.heldBack, report),
    );
    assertAccurate(options, answers);
    const place = await options.progress.step('promotion to Production', () =>
      ensurePromoted(api, version, options.signal),
    );
    const device = await options.progress.step('a device with the model', (report) =>
      runDevice(api, version, digits.heldBack, { ...options, python, folder: deviceFolder(options) }, report),
    );
    await options.progress.step('frozen scenes', () => waitUntilFrozen(api, SCENES_ID, options.signal));
    return conclude(options, answers, place, device);
  });
}

const deviceFolder = ({ dataDir }: SampleOptions): string => join(dataFiles(dataDir).sample, 'device');

async function prepareData(
  { dataDir, progress, signal }: SampleOptions,
  api: ApiClient,
): Promise<{ digits: Digits; python: string }> {
  const folder = dataFiles(dataDir).sample;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const runtime = await progress.step('Python runtime', (report) => prepareRuntime(report, signal));
  const digits = await progress.step('digit scans as PNG files', () => exportDigits(folder, runtime));
  await progress.step('upload', async (report) => {
    await ensureDataset(api);
    await uploadDigits(api, digits.uploaded, report);
  });
  await progress.step('validation, frozen dataset', () => waitUntilFrozen(api, DATASET_ID, signal));
  // Nothing is trained on it: it is there to be looked at, and is validated while the training runs.
  await progress.step('scenes with boxes', () => uploadScenes(api, () => exportScenes(folder, runtime)));
  return { digits, python: runtime.python };
}

/** @returns the version that it registered */
async function train({ dataDir, progress, signal }: SampleOptions, api: ApiClient): Promise<number> {
  const experiment = await ensureExperiment(api);
  await progress.step('training', (report) =>
    followTraining(api, experiment.id, dataFiles(dataDir).sample, report, signal),
  );
  const version = await progress.step('registered model', () =>
    registeredVersion(api, experiment.id, signal),
  );
  const imageId = await progress.step('model image', () => ensureImage(api, version, signal));
  await progress.step('serving endpoint', () => ensureEndpoint(api, imageId, signal));
  return version;
}

function assertAccurate({ progress }: SampleOptions, answers: readonly Answered[]): void {
  const accuracy = accuracyOf(answers);
  progress.say(`  ok  accuracy ${accuracy.toFixed(3)} on ${answers.length} held-back images`);
  if (accuracy < LEAST_ACCURACY)
    throw new Error(
      `The model's accuracy on held-back images is ${accuracy.toFixed(3)}, below ${LEAST_ACCURACY}`,
    );
}

async function conclude(
  { dataDir }: SampleOptions,
  answers: readonly Answered[],
  place: string,
  device: DeviceResult,
): Promise<SampleResult> {
  const accuracy = accuracyOf(answers);
  const labels = [...new Set(answers.map((answer) => answer.digit.label))].sort();
  const counts = labels.map((row) =>
    labels.map(
      (column) =>
        answers.filter((answer) => answer.digit.label === row && answer.predicted === column).length,
    ),
  );
  const examples = await Promise.all(
    labels.map((label) =>
      readFile((answers.find((answer) => answer.digit.label === label) as Answered).digit.path),
    ),
  );
  const folder = dataFiles(dataDir).sample;
  writeFileSync(join(folder, 'confusion-matrix.svg'), renderPicture({ labels, counts, examples, accuracy }), {
    mode: 0o600,
  });
  writeJson(dataFiles(dataDir).sampleResult, {
    accuracy,
    images: answers.length,
    model: MODEL_NAME,
    endpoint: ENDPOINT_NAME,
    picture: 'confusion-matrix.svg',
    device,
  });
  return {
    accuracy,
    summary: `accuracy ${accuracy.toFixed(3)} on ${answers.length} images the model never saw; it is ${place}, and device ${device.id} read ${device.images} with it (${device.accuracy.toFixed(2)} right)`,
  };
}
