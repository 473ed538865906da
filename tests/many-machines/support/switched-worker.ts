import { readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { PlatformClient } from '../../setup/platform-client.js';
import { ADMIN } from '../../setup/supervised-platform.js';
import type { Fleet } from './fleet.js';

const EXPERIMENTS = '/api/v1/training/experiments';
const TERMINAL = new Set(['SUCCEEDED', 'FAILED', 'CANCELED']);
/** Trainings run longer than a worker takes to come back. */
const EPOCHS = 30;
/** As many as there are hosts; each goes where there is room. */
export const TRAININGS = 2;

/**
 * A test of docs/guide/upgrade.md, "Several machines": the link of machine b leads to another folder by now, and its worker is
 * started again while trainings of the dataset of the main journey are under way.
 */
export function switchedWorker(fleet: () => Fleet): void {
  it('brings trainings to their ends while a worker is started again from another folder', async () => {
    const admin = await PlatformClient.signIn(fleet().base, ADMIN.email, ADMIN.password, 'post');
    const json = {
      ...{ task: 'classification', framework: 'sklearn', model: 'mlp', dataset_id: 'postcodes', gpu: 0 },
      split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 7, stratify: true },
      hyperparameters: `epochs: ${EPOCHS}\nhidden: 512\n`,
    };
    const paths: string[] = [];
    while (paths.length < TRAININGS) {
      const { body } = await admin.expect(202, 'POST', EXPERIMENTS, { json });
      paths.push(`${EXPERIMENTS}/${body.id}`);
    }
    for (const path of paths) await admin.until(path, ({ status }) => status === 'RUNNING');
    const folder = readlinkSync(fleet().guideOf('b').unit('worker', '').folder);
    expect(runningFrom(fleet(), folder)).toBe(0);
    const stoppedAt = performance.now();
    expect(await fleet().stop('worker b')).toBe(0);
    fleet().begin('worker b');
    await untilReady(fleet());
    process.stderr.write(`  the worker was back after ${Math.round(performance.now() - stoppedAt)} ms\n`);
    expect(runningFrom(fleet(), folder)).toBeGreaterThan(0);
    for (const path of paths) {
      const ended = await admin.until(path, ({ status }) => TERMINAL.has(status), 120_000);
      expect(ended).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
      const { bytes } = await admin.expect(200, 'GET', `${path}/log`);
      const epochs = [...bytes.toString().matchAll(/Epoch (\d+)\//g)].map(([, epoch]) => Number(epoch));
      expect(epochs).toEqual(Array.from({ length: EPOCHS }, (_, at) => at + 1));
      await admin.expect(200, 'DELETE', path);
    }
  });
}

/** How many processes of machine b work in the folder. */
function runningFrom(fleet: Fleet, folder: string): number {
  return fleet.network.pidsOn('b').filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  }).length;
}

/** Until the worker of machine b does its work. */
async function untilReady(fleet: Fleet): Promise<void> {
  const { SERVICE_OPS_HOST: host, SERVICE_OPS_PORT: port } = fleet.environmentOf('worker b');
  const isReady = () =>
    fetch(`http://${host}:${port}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let left = 300; left > 0; left -= 1, await sleep(100)) if (await isReady()) return;
  throw new Error(`the worker did not come up:\n${fleet.saidBy('worker b')}`);
}
