import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '../terminal/progress.js';
import type { ApiClient, StreamEvent } from './api-client.js';
import { DATASET_ID } from './dataset-step.js';
import { waitFor } from './wait.js';

export const MODEL_NAME = 'digits';
const EXPERIMENT_NAME = 'digits-sample';
const TRAIN_MS = 15 * 60_000;
const IMAGE_MS = 5 * 60_000;
const FAILED = new Set(['FAILED', 'CANCELED']);

export interface ExperimentOut {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly status_message: string;
  /** From 0 to 1. */
  readonly progress: number;
}

const pathOf = (id: string): string => `/api/v1/training/experiments/${id}`;

/** The sample's experiment: the one that is there unless it failed, otherwise a new one. */
export async function ensureExperiment(api: ApiClient): Promise<ExperimentOut> {
  const { items } = await api.get<{ items: readonly ExperimentOut[] }>(
    `/api/v1/training/experiments?q=${EXPERIMENT_NAME}&page=1`,
  );
  const usable = items.find(
    (experiment) => experiment.name === EXPERIMENT_NAME && !FAILED.has(experiment.status),
  );
  if (usable !== undefined) return usable;
  return api.post<ExperimentOut>('/api/v1/training/experiments', {
    task: 'classification',
    framework: 'sklearn',
    model: 'mlp',
    dataset_id: DATASET_ID,
    gpu: 0,
    split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 42, stratify: true },
    experiment_name: EXPERIMENT_NAME,
    register_model: true,
    register_model_name: MODEL_NAME,
  });
}

/** Follows the log into `train.log` and shows the progress, until the training has ended well. */
export async function followTraining(
  api: ApiClient,
  id: string,
  folder: string,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const reading = new AbortController();
  const log = join(folder, 'train.log');
  await writeFile(log, '', { mode: 0o600 });
  // The stream is a convenience: whether the training has ended is read from its record.
  const following = follow(api, id, log, report, reading.signal).catch(() => undefined);
  try {
    await waitFor('the training', TRAIN_MS, signal, async () => {
      const experiment = await api.get<ExperimentOut>(pathOf(id));
      if (FAILED.has(experiment.status))
        throw new Error(
          `The training ended as ${experiment.status}: ${experiment.status_message || (await lastLine(log)) || 'no reason given'}`,
        );
      report(experiment.progress, await lastLine(log));
      return experiment.status === 'SUCCEEDED' ? true : undefined;
    });
  } finally {
    reading.abort();
    await Promise.race([following, new Promise((resolve) => setTimeout(resolve, 200))]);
  }
}

async function follow(
  api: ApiClient,
  id: string,
  log: string,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  for await (const event of api.events(`${pathOf(id)}/logs`)) {
    if (signal.aborted) return;
    await take(event, log, report);
  }
}

async function take({ event, data }: StreamEvent, log: string, report: Report): Promise<void> {
  if (event === 'log' && Array.isArray(data.lines))
    await appendFile(log, data.lines.map((line) => `${textOf(line)}\n`).join(''));
  if (event === 'progress' && typeof data.progress === 'number') report(data.progress, await lastLine(log));
}

const textOf = (line: unknown): string =>
  typeof line === 'string' ? line : String((line as { text?: unknown }).text ?? '');

async function lastLine(file: string): Promise<string> {
  return ((await readFile(file, 'utf8')).trimEnd().split('\n').at(-1) ?? '').slice(0, 60);
}

/** The version that the experiment registered. */
export async function registeredVersion(
  api: ApiClient,
  experimentId: string,
  signal: AbortSignal,
): Promise<number> {
  return waitFor('registering the model', 60_000, signal, async () => {
    const page = await api.find<{
      items: ReadonlyArray<{ version: number; training_experiment_id: string | null }>;
    }>(`/api/v1/models/${MODEL_NAME}/versions?page=1&page_size=200`);
    return page?.items.find((version) => version.training_experiment_id === experimentId)?.version;
  });
}

/** Asks for the model's image, which is built once, and waits until it can be used. @returns its id */
export async function ensureImage(api: ApiClient, version: number, signal: AbortSignal): Promise<string> {
  const { id } = await api.post<ImageOut>(`/api/v1/models/${MODEL_NAME}/${version}/image`);
  return waitFor('building the model image', IMAGE_MS, signal, async () => {
    const { items } = await api.get<{ items: readonly ImageOut[] }>(
      `/api/v1/registry/images?model=${MODEL_NAME}&page_size=200`,
    );
    const image = items.find((entry) => entry.id === id);
    if (image?.status === 'FAILED')
      throw new Error(`The model image could not be built: ${image.status_message ?? 'no reason given'}`);
    return image?.status === 'READY' ? id : undefined;
  });
}

interface ImageOut {
  readonly id: string;
  readonly status: 'BUILDING' | 'READY' | 'FAILED';
  readonly status_message: string | null;
}
