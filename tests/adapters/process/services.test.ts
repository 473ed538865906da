import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProcessRunner } from '../../../adapters/process/process-runner.js';
import { endpoints as endpointsOf, until } from './workload-waits.js';
import { ProcessKit } from './process-kit.js';

describe('services as processes', () => {
  const kit = new ProcessKit();
  let runner: ProcessRunner;
  beforeAll(() => void (runner = kit.running()));
  afterAll(() => kit.close());

  const web = { kind: 'service', entrypoint: 'web.py' } as const;
  const endpoints = (id: string, count: number) => endpointsOf(runner, id, count);
  const pidAt = async (url: string) => ((await (await fetch(`${url}/ping`)).json()) as { pid: number }).pid;

  it('starts an instance again that was killed', async () => {
    const spec = kit.spec(web);
    await runner.start(spec);
    const pid = await pidAt((await endpoints(spec.id, 1))[0] ?? '');
    process.kill(pid, 'SIGKILL');
    await until('off the list', async () => (await runner.status(spec.id))?.endpoints.length === 0);
    const again = await endpoints(spec.id, 1);
    expect(await pidAt(again[0] ?? '')).not.toBe(pid);
    expect((await runner.status(spec.id))?.restarts).toBe(1);
    await runner.stop(spec.id, 5);
  });

  it('leaves a service running while no worker lives', async () => {
    const spec = kit.spec(web);
    await runner.start(spec);
    const [url] = await endpoints(spec.id, 1);
    const pid = await pidAt(url ?? '');
    await kit.stopLoops();
    expect(await pidAt(url ?? '')).toBe(pid);
    runner = kit.running();
    await runner.reconcileOnce();
    expect(await runner.status(spec.id)).toMatchObject({ endpoints: [url], restarts: 0 });
    await runner.stop(spec.id, 5);
  });

  it('gives up after five deaths in a row and tries again when asked', async () => {
    await kit.stopLoops();
    const driven = kit.runner();
    const spec = kit.spec({ ...web, args: ['broken'] });
    await driven.start(spec);
    const failed = await until('failure', async () => {
      await driven.reconcileOnce();
      const status = await driven.status(spec.id);
      // Jumps over the pauses between two starts.
      if (status?.message.startsWith('Restarting')) kit.skewMs += 20_000;
      return status?.phase === 'failed' && status;
    });
    expect(failed).toMatchObject({
      restarts: 4,
      message: expect.stringMatching(/^It died 5 times in a row\. Exit code 3/),
    });
    expect(kit.log(spec.id).match(/broken/g)).toHaveLength(5);
    await driven.scale(spec.id, 1);
    await until('sixth start', async () => {
      await driven.reconcileOnce();
      return kit.log(spec.id).match(/broken/g)?.length === 6;
    });
    runner = kit.running();
    await runner.remove(spec.id);
    kit.skewMs = 0;
  });
});
