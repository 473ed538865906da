import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import { trainingGround } from './support/training-ground.js';

jest.setTimeout(240_000);
/** Enough that the first checkpoint, after five seconds, comes before the end. */
const EPOCHS = 600;

describe('a training whose processes are killed', () => {
  const ground = trainingGround();
  const { startWorker, kill, get, post, config, until, over } = ground;

  it('goes on by itself once when its process is killed, then fails with a named reason, keeps its log, and goes on from its checkpoint when tried again', async () => {
    const started = await post(
      '/api/v1/training/experiments',
      config({ hyperparameters: `epochs: ${EPOCHS}\nhidden: 256\nlayers: 2\n` }),
    );
    const { id, tracker_run_id: runId } = started.body;
    const checkpoints = async (run: string) =>
      (await get(`/api/v1/runs/${run}/artifacts?path=checkpoints`)).body.items?.length ?? 0;
    while ((await checkpoints(runId)) === 0)
      await until(id, (experiment) => experiment.status !== 'SUCCEEDED');
    const log = async () => (await get(`/api/v1/training/experiments/${id}/log`)).text;
    for (const pid of trainersOf(runId)) process.kill(pid, 'SIGKILL');
    while (!(await log()).includes('Going on from the checkpoint'))
      await until(id, (experiment) => experiment.status === 'RUNNING');
    for (const pid of trainersOf(runId)) process.kill(pid, 'SIGKILL');
    const ended = await until(id, (experiment) => experiment.status === 'FAILED');
    expect(ended.status_message).toBe(
      'Killed by SIGKILL from outside the platform. It had gone on by itself once before; a retry goes on from its last checkpoint.',
    );
    expect((await get(`/api/v1/runs/${runId}/artifacts?path=logs`)).body.items).toMatchObject([
      { name: 'train.log' },
    ]);
    expect((await get(`/api/v1/training/experiments/${id}/log`)).text).toContain(`Epoch 1/${EPOCHS}`);

    expect((await post(`/api/v1/training/experiments/${id}/retry`)).status).toBe(202);
    const done = await over(id);
    expect(done).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    expect(done.steps.map((step: { status: string }) => step.status)).toEqual(['done', 'done', 'done']);
    const { text } = await get(`/api/v1/training/experiments/${id}/log`);
    const from = Number(/Going on from the checkpoint after round (\d+) of /.exec(text)?.[1]);
    expect(from).toBeGreaterThan(0);
    const steps = async (run: string): Promise<number[]> =>
      (await get(`/api/v1/runs/${run}/metrics/${encodeURIComponent('train/loss')}`)).body.points.map(
        (point: { step: number }) => point.step,
      );
    const [before, after] = [await steps(runId), await steps(done.tracker_run_id)];
    // What the first attempt had measured and not yet sent comes with the checkpoint.
    expect(after[0]).toBeLessThanOrEqual(from + 1);
    expect([...new Set([...before, ...after])].sort((a, b) => a - b)).toEqual(
      Array.from({ length: EPOCHS }, (_, at) => at + 1),
    );
  });

  it('goes on after the worker was killed, with one process from beginning to end', async () => {
    const started = await post(
      '/api/v1/training/experiments',
      config({ hyperparameters: 'epochs: 150\nhidden: 256\nlayers: 2\n' }),
    );
    const { id } = started.body;
    await until(id, (experiment) => experiment.status === 'RUNNING' && experiment.progress > 0.1);
    await kill('SIGKILL');
    startWorker();
    const done = await over(id);
    expect(done).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    const { text } = await get(`/api/v1/training/experiments/${id}/log`);
    const epochs = [...text.matchAll(/Epoch (\d+)\/150/g)].map((match) => Number(match[1]));
    expect(epochs).toEqual(Array.from({ length: 150 }, (_, at) => at + 1));
  });
});

/** Processes that were given this run: what a person would find with ps. */
function trainersOf(runId: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`RUN_ID=${runId}`) &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('train.py')
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}
