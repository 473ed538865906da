import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkloadRunner, WorkloadSpec } from '../../../core/ports/workload-runner.js';
import { ended, endpoints, until } from './workload-waits.js';

/**
 * What the programs of the suite do. `exit` writes `first line` to stdout and `last words` to stderr and ends with the
 * code that is its argument; `wait` writes its pid and ends at SIGTERM with 12, after `asked to end`; `grow` takes memory
 * without end; `web` answers GET /ping.
 */
export type Program = 'exit' | 'grow' | 'wait' | 'web';

export interface RunnerUnderTest {
  readonly runner: WorkloadRunner;
  /** A job of one of the programs under an id of its own. */
  spec(program: Program, change?: Partial<WorkloadSpec>): WorkloadSpec;
  close(): Promise<void>;
}

/** What every runner of workloads does, whatever they run on. */
export function describeWorkloadRunner(name: string, open: () => Promise<RunnerUnderTest>): void {
  describe(`a workload runner: ${name}`, () => {
    let under: RunnerUnderTest;
    let runner: WorkloadRunner;
    beforeAll(async () => {
      under = await open();
      runner = under.runner;
    });
    afterAll(() => under.close());

    const started = async (spec: WorkloadSpec): Promise<string> => {
      await runner.start(spec);
      const text = async () => (await runner.readLog(spec.id, 0, 10_000)).text;
      await until(`start of ${spec.id}`, async () => (await text()).includes('"pid"'));
      return spec.id;
    };

    it('says what stands between tenants, and that it can run the runtime of the suite', async () => {
      expect(['pod', 'uid', 'none']).toContain(runner.isolation.kind);
      expect(runner.isolation.explanation).not.toBe('');
      const { runtime } = under.spec('exit');
      expect(await runner.runtimes()).toContainEqual({ runtime, available: true, reason: null });
    });

    it('reports success with its log', async () => {
      const spec = under.spec('exit', { args: ['0'], labels: { experiment: 'e1' } });
      await runner.start(spec);
      const status = await ended(runner, spec.id);
      expect(status).toMatchObject({
        phase: 'succeeded',
        exitCode: 0,
        message: 'Finished.',
        labels: { experiment: 'e1' },
      });
      expect(Date.parse(status.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(status.startedAt ?? ''));
      expect(await runner.readLog(spec.id, 0, 10_000)).toEqual({
        text: 'first line\nlast words\n',
        nextOffset: 22,
        eof: true,
      });
      expect((await runner.list({ experiment: 'e1' })).map((found) => found.id)).toEqual([spec.id]);
      expect(await runner.list({ experiment: 'e2' })).toEqual([]);
    });

    it('reads a log in parts that end at lines, and its end by a negative offset', async () => {
      const spec = under.spec('exit', { args: ['0'] });
      await runner.start(spec);
      await ended(runner, spec.id);
      expect(await runner.readLog(spec.id, 0, 18)).toEqual({
        text: 'first line\n',
        nextOffset: 11,
        eof: false,
      });
      const rest = { text: 'last words\n', nextOffset: 22, eof: true };
      expect(await runner.readLog(spec.id, 11, 18)).toEqual(rest);
      expect(await runner.readLog(spec.id, -11, 18)).toEqual(rest);
      expect(await runner.readLog(spec.id, 22, 18)).toEqual({ ...rest, text: '' });
    });

    it('reports an exit code with its meaning', async () => {
      const spec = under.spec('exit', { args: ['3'] });
      await runner.start(spec);
      expect(await ended(runner, spec.id)).toMatchObject({
        phase: 'failed',
        exitCode: 3,
        message: expect.stringContaining('dataset or model cannot be used'),
      });
    });

    it('lets a job end in order when it is stopped, and leaves it ended', async () => {
      const spec = under.spec('wait');
      const id = await started(spec);
      await runner.start({ ...spec, labels: { is: 'changed' } });
      expect(await runner.status(id)).toMatchObject({ phase: 'running', exitCode: null, labels: {} });
      const stopped = { phase: 'stopped', exitCode: 12, message: 'Stopped on request.', restarts: 0 };
      await runner.stop(id, 10);
      expect(await runner.status(id)).toMatchObject(stopped);
      expect((await runner.readLog(id, 0, 10_000)).text).toContain('asked to end');
      await runner.stop(id, 10);
      await runner.start(spec);
      expect(await runner.status(id)).toMatchObject(stopped);
    });

    it('ends a job at its memory limit and says so', async () => {
      const spec = under.spec('grow', { limits: { memoryBytes: 100 * 2 ** 20, timeoutS: null } });
      await runner.start(spec);
      expect(await ended(runner, spec.id)).toMatchObject({
        phase: 'failed',
        message: expect.stringMatching(/^Out of memory: it used more than its limit of 100 MiB/),
      });
    });

    it('ends a job at its time limit and says so', async () => {
      const spec = under.spec('wait', { limits: { memoryBytes: 2 ** 30, timeoutS: 1 } });
      await runner.start(spec);
      expect(await ended(runner, spec.id)).toMatchObject({
        phase: 'failed',
        message: 'Stopped at its time limit of 1 s.',
      });
    });

    it('lists the instances of a service that answer, and follows the wished number', async () => {
      const spec = under.spec('web', { kind: 'service', replicas: 2 });
      await runner.start(spec);
      const two = await endpoints(runner, spec.id, 2);
      expect(new Set(two).size).toBe(2);
      expect(await runner.status(spec.id)).toMatchObject({
        phase: 'running',
        message: '2 of 2 instances answer.',
      });
      await runner.scale(spec.id, 1);
      const one = await endpoints(runner, spec.id, 1);
      expect((await fetch(`${one[0]}/ping`)).status).toBe(200);
      await runner.scale(spec.id, 0);
      await until('stopped', async () => (await runner.status(spec.id))?.phase === 'stopped');
      await runner.scale(spec.id, 1);
      await endpoints(runner, spec.id, 1);
      expect((await runner.status(spec.id))?.restarts).toBe(0);
      await runner.remove(spec.id);
      await expect(runner.scale(spec.id, 1)).rejects.toThrow('not found');
    });

    it('knows a tenant until its workloads are removed and it is forgotten', async () => {
      const tenantId = 'tenant-of-one';
      const id = await started(under.spec('wait', { tenantId }));
      expect(await runner.tenants()).toContain(tenantId);
      await runner.remove(id);
      await runner.remove(id);
      expect(await runner.status(id)).toBeNull();
      await runner.forgetTenant(tenantId);
      expect(await runner.tenants()).not.toContain(tenantId);
      await runner.forgetTenant(tenantId);
    });

    it('takes an id that it does not know for one that has ended', async () => {
      const id = 'never-heard-of';
      expect(await runner.status(id)).toBeNull();
      await runner.stop(id, 10);
      await runner.remove(id);
      expect(await runner.readLog(id, 0, 100)).toEqual({ text: '', nextOffset: 0, eof: true });
      await expect(runner.scale(id, 1)).rejects.toMatchObject({ code: 'not_found' });
    });
  });
}
