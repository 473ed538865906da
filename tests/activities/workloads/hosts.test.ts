import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listHosts } from '../../../models/workloads/host.platform.js';
import { giveUpHost, reportWorkloads } from '../../../models/workloads/hosted.platform.js';
import {
  removeWorkload,
  restartWorkload,
  scaleWorkload,
  stopWorkload,
} from '../../../models/workloads/workload.commands.js';
import { isAlive } from '../../adapters/process/process-kit.js';
import { until as untilIn } from '../../adapters/process/workload-waits.js';
import { HostGround, KEYS, type TestHost } from './host-kit.js';

const GIB = 2 ** 30;
/** Machines that test many things at once are slow. */
const until: typeof untilIn = (what, check) => untilIn(what, check, 60_000);

describe('workloads on several hosts', () => {
  let ground: HostGround;
  let [a, b]: TestHost[] = [];
  beforeEach(async () => {
    ground = await HostGround.open();
    [a, b] = [ground.host('a'), ground.host('b')];
    await a.start();
    await b.start();
  });
  afterEach(() => ground.close());

  const inTenant: HostGround['database']['inTenant'] = (...rest) => ground.database.inTenant(...rest);
  const isOn = async (host: TestHost | undefined, name: string) => (await host?.runner.status(name)) !== null;
  const giveUp = async (host: TestHost | undefined) => {
    const known = (await listHosts(ground.database)).find(({ id }) => id === host?.id);
    if (!known) throw new Error('no such host');
    return giveUpHost(ground.database, known, known.seenAt);
  };

  it('are spread over the hosts, run where they are placed and tell of their end', async () => {
    const wanted = [ground.wanted(), ground.wanted()];
    const jobs = wanted.map((one, at) => ({
      ...one,
      spec: { ...one.spec, entrypoint: 'exit.py', args: [String(at * 3)] },
    }));
    for (const job of jobs) await ground.ask(job);
    const [good, bad] = jobs as [(typeof jobs)[0], (typeof jobs)[0]];
    expect(await ground.reached(good.name, 'succeeded')).toMatchObject({ isDown: true });
    expect(await ground.reached(bad.name, 'failed')).toMatchObject({
      message: expect.stringContaining('Exit code 3'),
    });
    expect(new Set(await Promise.all(jobs.map(({ name }) => ground.hostOf(name))))).toEqual(
      new Set([a?.id, b?.id]),
    );
    expect(await ground.wakes(good)).toBeGreaterThan(1);
  });

  it('are started once, stopped when asked to and removed with all that was kept', async () => {
    const wanted = ground.wanted();
    const name = await ground.ask(wanted);
    await ground.ask(wanted);
    await ground.reached(name, 'running');
    const host = (await isOn(a, name)) ? a : b;
    const { pid } = host?.kit.pidRecord(name) ?? { pid: 0 };
    await inTenant(ground.tenantId, (tx) => stopWorkload(tx, name, 5));
    expect(await ground.reached(name, 'stopped')).toMatchObject({ isDown: true });
    expect(isAlive(pid)).toBe(false);
    const before = await ground.wakes(wanted);
    await inTenant(ground.tenantId, (tx) => removeWorkload(tx, name));
    await until('removal', async () => (await ground.state(name)) === null);
    expect([await isOn(a, name), await isOn(b, name)]).toEqual([false, false]);
    expect(await ground.wakes(wanted)).toBe(before + 1);
  });

  it('of a lost host fail with its name when they are jobs, and start elsewhere when they are services', async () => {
    await b?.stop();
    await giveUp(b);
    const job = ground.wanted();
    const service = await ground.service();
    await ground.ask(job);
    await ground.ask(service);
    await ground.reached(job.name, 'running');
    const [old] = (
      await until('an endpoint', async () => {
        const state = await ground.state(service.name);
        return state?.endpoints.length === 1 && state;
      })
    ).endpoints;
    const { pid } = a?.kit.pidRecord(job.name) ?? { pid: 0 };
    await a?.stop();
    await b?.start();
    expect(await giveUp(a)).toBe(true);
    expect(await ground.state(job.name)).toMatchObject({
      phase: 'failed',
      message: 'The machine a, on which it ran, is gone.',
      isDown: true,
    });
    const moved = await until('the endpoint elsewhere', async () => {
      const state = await ground.state(service.name);
      return state?.endpoints.length === 1 && state;
    });
    expect(await ground.hostOf(service.name)).toBe(b?.id);
    expect(moved.endpoints[0]).not.toBe(old);
    // The machine was only cut off: when it is back it ends what is not its own any more.
    expect(isAlive(pid)).toBe(true);
    await a?.start();
    await until('the end of the old process', () => !isAlive(pid));
    await until('nothing kept', async () => (await a?.runner.list({}))?.length === 0);
    expect((await ground.state(service.name))?.endpoints).toEqual(moved.endpoints);
  });

  it('are not given up when their host was heard of meanwhile', async () => {
    const known = (await listHosts(ground.database)).find(({ id }) => id === a?.id);
    await new Promise((done) => setTimeout(done, 5));
    await a?.beat();
    expect(await giveUpHost(ground.database, known as NonNullable<typeof known>, known?.seenAt as Date)).toBe(
      false,
    );
  });

  it('of programs that a tenant brought are refused by a host that does not keep tenants apart', async () => {
    // Others cannot pass it, so that no tenant has a user of its own there; root or not.
    const closed = mkdtempSync(join(tmpdir(), 'visionops-closed-'));
    await a?.stop();
    await b?.stop();
    await giveUp(a);
    await giveUp(b);
    const open = ground.host('open', closed);
    expect(open.runner.isolation.kind).toBe('none');
    // What it says of itself is from before.
    await open.start();
    const of = (origin: 'tenant' | 'platform') => {
      const wanted = ground.wanted();
      return { ...wanted, spec: { ...wanted.spec, entrypoint: 'exit.py', args: ['0'], origin } };
    };
    const [brought, shipped] = [of('tenant'), of('platform')];
    await ground.ask(brought);
    await ground.ask(shipped);
    expect(await ground.reached(brought.name, 'failed')).toMatchObject({
      message: expect.stringMatching(
        /^It runs a program that its tenant brought, .* needs a host that gives/,
      ),
      isDown: true,
    });
    expect(await isOn(open, brought.name)).toBe(false);
    await ground.reached(shipped.name, 'succeeded');
    // Later looks find no directory of it and say nothing else for all that.
    expect((await ground.state(brought.name))?.message).toMatch(/^It runs a program that its tenant brought/);
    rmSync(closed, { recursive: true, force: true });
  });

  it('wait for memory, for a turn and for a runtime, with the reason, and begin when there is room', async () => {
    await b?.stop();
    await giveUp(b);
    await a?.stop();
    await a?.start({ memoryBytes: 3 * GIB, maxJobs: 1 });
    const first = await ground.ask(ground.wanted());
    await ground.reached(first, 'running');
    const second = await ground.ask(ground.wanted());
    const large = ground.wanted();
    const third = await ground.ask({
      ...large,
      spec: { ...large.spec, limits: { memoryBytes: 4 * GIB, timeoutS: null } },
    });
    const foreign = ground.wanted();
    const fourth = await ground.ask({ ...foreign, spec: { ...foreign.spec, runtime: 'fortran' } });
    const says = (name: string, words: RegExp) =>
      until(`${name} ${words}`, async () => words.test((await ground.state(name))?.message ?? ''));
    await says(second, /Waiting for its turn/);
    await says(third, /Waiting for memory: no host has 4096 MiB/);
    await says(fourth, /Waiting for a host that can run fortran/);
    await inTenant(ground.tenantId, (tx) => stopWorkload(tx, fourth, 1));
    expect(await ground.state(fourth)).toMatchObject({ phase: 'stopped', isDown: true });
    await inTenant(ground.tenantId, (tx) => stopWorkload(tx, first, 1));
    await ground.reached(second, 'running');
  });

  it('begin anew with what is given, scale, and show what they print', async () => {
    const service = await ground.service();
    const name = await ground.ask(service);
    const ready = (count: number) =>
      until(`${count} instances`, async () => (await ground.state(name))?.endpoints.length === count);
    await ready(1);
    const host = (await isOn(a, name)) ? a : b;
    const { pid } = host?.kit.pidRecord(name) ?? { pid: 0 };
    await inTenant(ground.tenantId, (tx) => scaleWorkload(tx, name, 2, service.wake));
    await ready(2);
    await inTenant(ground.tenantId, (tx) =>
      restartWorkload(tx, KEYS, { ...service, env: { SECRET: 'of-the-second' } }),
    );
    await until('the end of the first', () => !isAlive(pid));
    await ready(1);
    const text = JSON.stringify(
      await ground.database.inPlatform((tx) => tx.query('select * from workload where name = $1', [name])),
    );
    expect(text).not.toContain('of-the-second');
    await until('its log', async () => (await ground.printed(service)).length > 0);
  });

  it('take no report about an earlier wish, or of a host that lost them', async () => {
    const name = await ground.ask(ground.wanted());
    await ground.reached(name, 'running');
    const [row] = await ground.database.inPlatform((tx) =>
      tx.query<{ id: string; revision: number; host: string }>(
        'select id, revision, host from workload where name = $1',
        [name],
      ),
    );
    const report = {
      ...{ id: row?.id ?? '', status: 'succeeded' as const, reason: 'Lie.', endpoints: [] },
      ...{ exitCode: 0, startedAt: null, finishedAt: null },
    };
    const say = (host: string, revision: number) =>
      reportWorkloads(ground.database, host, [{ ...report, revision }]);
    expect((await say(row?.host ?? '', (row?.revision ?? 0) - 1)).size).toBe(0);
    expect((await say(row?.host === a?.id ? (b?.id ?? '') : (a?.id ?? ''), row?.revision ?? 0)).size).toBe(0);
    expect((await ground.state(name))?.phase).toBe('running');
  });
});
