import { PlatformClient } from '../../tests/setup/platform-client.js';
import { longOrShort } from '../harness/mode.js';

const RUNS = longOrShort(20, 4);
export const METRICS = 5;
export const POINTS = longOrShort(10_000, 1_000);
export const CURVES = RUNS * METRICS;
const BATCH = 1_000;

/** Runs with metrics as a notebook logs them. @returns their ids */
export async function logCurves(client: PlatformClient): Promise<string[]> {
  const access = { kind: 'tracker', tenant_code: 'demo', name: 'curves' };
  const { token } = (await client.expect(201, 'POST', '/users/me/tokens', { json: access })).body;
  const notebook = new PlatformClient(client.baseUrl, token);
  const log = async (call: string, json: object) =>
    (await notebook.expect(200, 'POST', `/tracker/api/2.0/mlflow/${call}`, { json })).body;
  const { experiment_id } = await log('experiments/create', { name: 'bench/curves' });
  const ids: string[] = [];
  for (let number = 0; number < RUNS; number += 1) {
    const { run } = await log('runs/create', {
      ...{ experiment_id, run_name: `run ${number}`, start_time: Date.now() },
    });
    ids.push(run.info.run_id);
    for (let metric = 0; metric < METRICS; metric += 1)
      for (let step = 0; step < POINTS; step += BATCH)
        await log('runs/log-batch', { run_id: run.info.run_id, metrics: batch(number, metric, step) });
    await log('runs/update', { run_id: run.info.run_id, status: 'FINISHED', end_time: Date.now() });
  }
  return ids;
}

const batch = (run: number, metric: number, from: number) =>
  Array.from({ length: BATCH }, (_, index) => ({
    key: `figure-${metric}`,
    step: from + index,
    timestamp: 1_700_000_000_000 + from + index,
    value: Math.exp(-(from + index) / (1_500 + run * 90)) + Math.sin((from + index) * (metric + 1)) / 20,
  }));
