import { readFile } from 'node:fs/promises';
import type { Report } from '../terminal/progress.js';
import type { ApiClient } from './api-client.js';
import type { Digit } from './digits.js';
import { waitFor } from './wait.js';

export const ENDPOINT_NAME = 'digits';
const COME_UP_MS = 10 * 60_000;
const BATCH = 50;

interface EndpointOut {
  readonly image_id: string;
  readonly status: string;
  readonly status_message?: string | null;
}

const path = `/api/v1/serving/endpoints/${ENDPOINT_NAME}`;

/** Makes the endpoint under its fixed name unless it is there, and waits until its model answers. */
export async function ensureEndpoint(api: ApiClient, imageId: string, signal: AbortSignal): Promise<void> {
  const found = await api.find<EndpointOut>(path);
  if (found === null)
    await api.post('/api/v1/serving/endpoints', {
      name: ENDPOINT_NAME,
      image_id: imageId,
      replicas: 1,
      gpu: 0,
    });
  else if (found.status === 'STOPPED' || found.status === 'FAILED') await api.post(`${path}/start`);
  await waitFor('starting the endpoint', COME_UP_MS, signal, async () => {
    const endpoint = await api.get<EndpointOut>(path);
    if (endpoint.status === 'FAILED')
      throw new Error(`The endpoint did not start: ${endpoint.status_message ?? 'no reason given'}`);
    return endpoint.status === 'RUNNING' ? true : undefined;
  });
}

export interface Answered {
  readonly digit: Digit;
  readonly predicted: string;
}

/** Sends every image to the endpoint, a batch at a time. */
export async function classify(
  api: ApiClient,
  digits: readonly Digit[],
  report: Report,
): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (let from = 0; from < digits.length; from += BATCH) {
    const batch = digits.slice(from, from + BATCH);
    const instances = await Promise.all(
      batch.map(async (digit) => ({ b64: (await readFile(digit.path)).toString('base64') })),
    );
    const { predictions } = await api.post<{ predictions: ReadonlyArray<{ label: string }> }>(
      `${path}/proxy/invocations`,
      { instances },
    );
    if (predictions.length !== batch.length)
      throw new Error(`The endpoint answered ${predictions.length} predictions to ${batch.length} images.`);
    answers.push(...batch.map((digit, index) => ({ digit, predicted: String(predictions[index]?.label) })));
    report(answers.length / digits.length, `${answers.length} of ${digits.length}`);
  }
  return answers;
}

/** Pure: the share of right answers, from 0 to 1. */
export const accuracyOf = (answers: readonly Answered[]): number =>
  answers.filter((answer) => answer.predicted === answer.digit.label).length / answers.length;
