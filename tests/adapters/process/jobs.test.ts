import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProcessRunner } from '../../../adapters/process/process-runner.js';
import { suspendWorkloads } from '../../../adapters/process/suspend-workloads.js';
import { ended, until } from './workload-waits.js';
import { isAlive, ProcessKit } from './process-kit.js';

describe('jobs as processes', () => {
  const kit = new ProcessKit();
  let runner: ProcessRunner;
  beforeAll(() => void (runner = kit.running()));
  afterAll(() => kit.close());

  const started = (id: string) =>
    until(`start of ${id}`, () => /"pid": (\d+)/.exec(kit.log(id))?.[1]).then(Number);
  const replaceWorker = async () => {
    await kit.stopLoops();
    runner = kit.running();
  };

  it('runs a job once however often it is started', async () => {
    const spec = kit.spec();
    const other = kit.runner();
    await Promise.all([runner.start(spec), other.start(spec), runner.start(spec)]);
    await started(spec.id);
    await Promise.all([runner.reconcileOnce(), other.reconcileOnce(), other.reconcileOnce()]);
    await runner.start(spec);
    await runner.stop(spec.id, 5);
    await runner.start(spec);
    await runner.reconcileOnce();
    expect(
      readFileSync(join(kit.work(spec.id), 'started'), 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(1);
    expect(await runner.status(spec.id)).toMatchObject({ phase: 'stopped' });
  });

  it('has ended the process by the time it answers a stop', async () => {
    const spec = kit.spec();
    await runner.start(spec);
    const pid = await started(spec.id);
    await runner.stop(spec.id, 10);
    expect(isAlive(pid)).toBe(false);
  });

  it('kills what ignores the request, grandchildren in other sessions included', async () => {
    const spec = kit.spec({ entrypoint: 'stubborn.py' });
    await runner.start(spec);
    const { pids } = await until('pids', () => /\{"pids".*\}/.exec(kit.log(spec.id))?.[0]).then(
      (text) => JSON.parse(text) as { pids: number[] },
    );
    expect(pids.map(isAlive)).toEqual([true, true]);
    await runner.stop(spec.id, 0.3);
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(await runner.status(spec.id)).toMatchObject({ phase: 'stopped', exitCode: null });
  });

  /** The process of the nth start. */
  const startedAs = (id: string, attempt: number) =>
    until(
      `start ${attempt} of ${id}`,
      () => [...kit.log(id).matchAll(/"pid": (\d+)/g)][attempt - 1]?.[1],
    ).then(Number);

  it('goes on by itself after a kill from outside, and fails at the second one with the reason', async () => {
    const spec = kit.spec();
    await runner.start(spec);
    process.kill(await startedAs(spec.id, 1), 'SIGKILL');
    const second = await startedAs(spec.id, 2);
    expect(await runner.status(spec.id)).toMatchObject({ phase: 'running', restarts: 1 });
    process.kill(second, 'SIGKILL');
    expect(await ended(runner, spec.id)).toMatchObject({
      phase: 'failed',
      exitCode: null,
      message:
        'Killed by SIGKILL from outside the platform. It had gone on by itself once before; a retry goes on from its last checkpoint.',
    });
  });

  it('goes on by itself when nothing of the platform or the job is left alive, and fails at the second such loss with the reason', async () => {
    const spec = kit.spec();
    await runner.start(spec);
    for (const attempt of [1, 2]) {
      const pid = await startedAs(spec.id, attempt);
      await kit.stopLoops();
      for (const each of [kit.pidRecord(spec.id).pid, pid]) process.kill(each, 'SIGKILL');
      await until('the end of both', () => !isAlive(pid));
      runner = kit.running();
    }
    expect(await ended(runner, spec.id)).toMatchObject({
      phase: 'failed',
      message: expect.stringMatching(
        /^Its supervising process was killed.* gone on by itself once before; a retry /,
      ),
    });
    expect(
      readFileSync(join(kit.work(spec.id), 'started'), 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(2);
  });

  it('leaves a job that was cut off where it is when it is stopped meanwhile', async () => {
    const spec = kit.spec();
    await runner.start(spec);
    const pid = await startedAs(spec.id, 1);
    await kit.stopLoops();
    for (const each of [kit.pidRecord(spec.id).pid, pid]) process.kill(each, 'SIGKILL');
    await until('the end of both', () => !isAlive(pid));
    const stopping = runner.stop(spec.id, 5);
    await until('the wish', async () => (await runner.status(spec.id))?.phase === 'stopped');
    runner = kit.running();
    await stopping;
    expect(await runner.status(spec.id)).toMatchObject({ phase: 'stopped', restarts: 0 });
    expect(
      readFileSync(join(kit.work(spec.id), 'started'), 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(1);
  });

  it('keeps a job running while no worker lives and reports its exit code to the next one', async () => {
    const spec = kit.spec();
    await runner.start(spec);
    const pid = await started(spec.id);
    await replaceWorker();
    await runner.reconcileOnce();
    expect(await runner.status(spec.id)).toMatchObject({ phase: 'running', restarts: 0 });
    await kit.stopLoops();
    process.kill(pid, 'SIGTERM');
    await until('end without a worker', () => !isAlive(pid));
    runner = kit.running();
    expect(await ended(runner, spec.id)).toMatchObject({ phase: 'failed', exitCode: 12 });
  });

  it('ends what is left of a job whose supervising process was killed', async () => {
    const spec = kit.spec({ entrypoint: 'stubborn.py' });
    await runner.start(spec);
    const { pids } = await until('pids', () => /\{"pids".*\}/.exec(kit.log(spec.id))?.[0]).then(
      (text) => JSON.parse(text) as { pids: number[] },
    );
    process.kill(kit.pidRecord(spec.id).pid, 'SIGKILL');
    await until('the second start', async () => (await runner.status(spec.id))?.restarts === 1);
    expect(isAlive(pids[0] ?? 0)).toBe(false);
    // The grandchild threw away the environment that names it: only a user of its own gives it away.
    if (runner.isolation.kind === 'uid') expect(isAlive(pids[1] ?? 0)).toBe(false);
    else process.kill(pids[1] ?? 0, 'SIGKILL');
    await runner.remove(spec.id);
  });

  it('does not take a foreign process with the same pid for its own', async () => {
    const spec = kit.spec();
    await runner.start(spec);
    await started(spec.id);
    await kit.stopLoops();
    await suspendWorkloads(kit.dataDir, 5);
    const path = join(kit.root, spec.id, 'instances/0/pid.json');
    rmSync(join(kit.root, spec.id, 'instances/0/exit.json'));
    writeFileSync(path, JSON.stringify({ ...kit.pidRecord(spec.id), pid: process.pid }));
    runner = kit.running();
    await until('the second start', () => kit.pidRecord(spec.id).attempt === 2);
    expect(await runner.status(spec.id)).toMatchObject({ phase: 'running', restarts: 1 });
    await runner.remove(spec.id);
  });

  it('goes on with a job after the whole platform was shut down', async () => {
    const spec = kit.spec();
    await runner.start(spec);
    await started(spec.id);
    await kit.stopLoops();
    expect(await suspendWorkloads(kit.dataDir, 5)).toBeGreaterThanOrEqual(1);
    expect(await runner.status(spec.id)).toMatchObject({
      phase: 'pending',
      message: expect.stringContaining('goes on by itself'),
    });
    runner = kit.running();
    await until(
      'second start',
      async () =>
        readFileSync(join(kit.work(spec.id), 'started'), 'utf8')
          .trim()
          .split('\n').length === 2,
    );
    await until('running again', async () => (await runner.status(spec.id))?.phase === 'running');
    await runner.remove(spec.id);
    expect(await runner.status(spec.id)).toBeNull();
    await runner.remove(spec.id);
  });

  it('refuses ids and paths that would leave its directory', async () => {
    await expect(runner.start(kit.spec({ id: '../x' }))).rejects.toThrow('not a DNS label');
    await expect(runner.start(kit.spec({ files: [{ path: '../x', content: '' }] }))).rejects.toThrow(
      'safe relative path',
    );
  });
});
