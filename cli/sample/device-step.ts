import { copyFile, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Report } from '../terminal/progress.js';
import type { ApiClient } from './api-client.js';
import { logOf, picturesOf, withAgent } from './device-agent.js';
import type { Digit } from './digits.js';
import { MODEL_NAME } from './training-step.js';
import { waitFor } from './wait.js';

export const DEVICE_ID = 'sample-camera';
const PICTURES = 50;
const DEPLOY_MS = 3 * 60_000;
const PREDICT_MS = 60_000;
const ENDED = new Set(['FAILED', 'ABORTED', 'ROLLED_BACK']);

const path = `/api/v1/edge/devices/${DEVICE_ID}`;

export interface DeviceResult {
  readonly id: string;
  /** Pictures that it predicted. */
  readonly images: number;
  /** From 0 to 1. */
  readonly accuracy: number;
}

interface DeploymentOut {
  readonly id: string;
  readonly version: number;
  readonly status: string;
  readonly message: string;
}

interface InferenceFeed {
  readonly items: ReadonlyArray<{ readonly result: { readonly file?: string; readonly label?: string } }>;
  readonly total: number;
}

/**
 * A device on this machine: the reference agent registers, gets the model by a deployment, and predicts pictures that the
 * model never saw.
 * @throws Error where the deployment or the predictions do not come to their end
 */
export async function runDevice(
  api: ApiClient,
  version: number,
  heldBack: readonly Digit[],
  options: {
    readonly python: string;
    readonly baseUrl: string;
    readonly folder: string;
    readonly signal: AbortSignal;
  },
  report: Report,
): Promise<DeviceResult> {
  const shown = spread(heldBack, PICTURES);
  const before = (await api.find<InferenceFeed>(`${path}/inference?limit=1`))?.total ?? 0;
  const token = await tokenOf(api);
  // It sends what it has each minute where nobody says more often: the sample does not wait for that.
  await api.put(`${path}/policy`, { sync: { interval_s: 1 } });
  const { signal } = options;
  return withAgent({ ...options, token }, async () => {
    const { id } = (await underWay(api, version)) ?? (await deploy(api, version));
    await waitFor('the deployment to the device', DEPLOY_MS, signal, async () => {
      const { status, message } = await api.get<DeploymentOut>(`/api/v1/deployments/${id}`);
      if (ENDED.has(status)) throw new Error(`The deployment to the device ended as ${status}: ${message}`);
      report(0.5, message);
      return status === 'SUCCEEDED' ? true : undefined;
    });
    for (const digit of shown) await show(digit, options.folder);
    const predictions = `the predictions of the device, whose log is ${logOf(options.folder)},`;
    const { items } = await waitFor(predictions, PREDICT_MS, signal, async () => {
      const feed = await api.get<InferenceFeed>(`${path}/inference?limit=${PICTURES}`);
      report(0.5 + (feed.total - before) / PICTURES / 2, `${feed.total - before} of ${PICTURES} pictures`);
      return feed.total - before >= PICTURES ? feed : undefined;
    });
    const right = items.filter(({ result }) => result.file?.startsWith(`${result.label}-`)).length;
    return { id: DEVICE_ID, images: items.length, accuracy: right / items.length };
  });
}

/** As many of each class. */
const spread = <T>(all: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)] as T);

/** Its name begins with what it shows. Moved in whole: the agent looks at any time. */
async function show({ label, path: from }: Digit, folder: string): Promise<void> {
  const name = `${label}-${basename(from)}`;
  await copyFile(from, join(folder, name));
  await rename(join(folder, name), join(picturesOf(folder), name));
}

/** Token of a new device, or a new token of the device that an earlier run left. */
async function tokenOf(api: ApiClient): Promise<string> {
  const found = await api.find<{ readonly status: string }>(path);
  if (found?.status === 'BLOCKED') throw new Error(`The device ${DEVICE_ID} is blocked: unblock it first.`);
  const { token } = found
    ? await api.post<{ token: string }>(`${path}/token:rotate`)
    : await api.post<{ token: string }>('/api/v1/edge/devices', { id: DEVICE_ID, location: 'This machine' });
  return token;
}

const deploy = (api: ApiClient, version: number): Promise<DeploymentOut> =>
  api.post<DeploymentOut>('/api/v1/deployments', {
    ...{ model_name: MODEL_NAME, version },
    target_device_id: DEVICE_ID,
  });

/** What an earlier run began. */
async function underWay(api: ApiClient, version: number): Promise<DeploymentOut | undefined> {
  const { items } = await api.get<{ items: readonly DeploymentOut[] }>(
    `/api/v1/deployments?model=${MODEL_NAME}&device=${DEVICE_ID}`,
  );
  return items.find((each) => each.version === version && !ENDED.has(each.status));
}
