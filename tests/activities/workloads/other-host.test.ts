import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHostWatch } from '../../../activities/workloads/host-watch.js';
import { beatHost, listHosts } from '../../../models/workloads/host.platform.js';
import { giveUpHost, removeHost } from '../../../models/workloads/hosted.platform.js';
import { holdPlacement } from '../../../models/workloads/placement.sql.js';
import { scaleWorkload, stopWorkload } from '../../../models/workloads/workload.commands.js';
import { ABLE, aHost } from '../../builders/a-host.js';
import { until as untilIn } from '../../adapters/process/workload-waits.js';
import { HostGround, logger } from './host-kit.js';

const GIB = 2 ** 30;
const until: typeof untilIn = (what, check) => untilIn(what, check, 60_000);

describe('workloads whose host cannot have them any more', () => {
  let ground: HostGround;
  beforeEach(async () => {
    ground = await HostGround.open();
  });
  afterEach(() => ground.close());

  const inTenant: HostGround['database']['inTenant'] = (...rest) => ground.database.inTenant(...rest);
  const sql = (text: string, params: readonly unknown[]) =>
    ground.database.inPlatform((tx) => tx.execute(text, params));
  const answering = (name: string, count: number) =>
    until(`${count} instances`, async () => {
      const state = await ground.state(name);
      return state?.phase === 'running' && state.endpoints.length === count && state.endpoints;
    });
  const scale = (service: { name: string; wake: Parameters<typeof scaleWorkload>[3] }, count: number) =>
    inTenant(ground.tenantId, (tx) => scaleWorkload(tx, service.name, count, service.wake));

  it('begin elsewhere when they are started again and theirs is full by now', async () => {
    const [a, b] = [ground.host('a'), ground.host('b')];
    await a.start({ memoryBytes: GIB });
    const [service, next] = [await ground.service(), await ground.service()];
    const name = await ground.ask(service);
    await answering(name, 1);
    await inTenant(ground.tenantId, (tx) => stopWorkload(tx, name, 1));
    await ground.reached(name, 'stopped');
    const printed = await ground.printed(service);
    expect(printed).not.toBe('');
    await ground.ask(next);
    await answering(next.name, 1);
    expect(await ground.hostOf(next.name)).toBe(a.id);
    await scale(service, 1);
    expect(await ground.state(name)).toMatchObject({ phase: 'pending', isDown: false, endpoints: [] });
    await b.start();
    await answering(name, 1);
    expect(await ground.hostOf(name)).toBe(b.id);
    await until('nothing kept', async () => (await a.runner.status(name)) === null);
    // What it printed before stays, and what it prints now follows.
    await until('its log', async () => (await ground.printed(service)).length > printed.length);
    expect((await ground.printed(service)).startsWith(printed)).toBe(true);
  });

  it('have more instances where there is memory for them, and else go on with those they have', async () => {
    const [a, b] = [ground.host('a'), ground.host('b')];
    await a.start({ memoryBytes: 2 * GIB });
    const [service, next] = [await ground.service(), await ground.service()];
    const name = await ground.ask(service);
    await ground.ask(next);
    await answering(name, 1);
    await answering(next.name, 1);
    await b.start({ memoryBytes: 3 * GIB });
    await scale(service, 2);
    const first = await answering(name, 2);
    expect([await ground.hostOf(name), await ground.hostOf(next.name)]).toEqual([b.id, a.id]);
    await scale(service, 3);
    expect(await answering(name, 3)).toEqual(expect.arrayContaining([...first]));
    const before = await answering(name, 3);
    await scale(service, 4);
    await until('the reason', async () => /no room for more/.test((await ground.state(name))?.message ?? ''));
    expect((await ground.state(name))?.endpoints).toEqual(before);
    await scale(service, 2);
    expect(await answering(name, 2)).toEqual(first);
  });

  it('go to another although they were down when they were wanted, where theirs cannot begin them', async () => {
    const [full, good] = [ground.host('full'), ground.host('good')];
    full.runner.start = () =>
      Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'mkdir' }));
    const name = await ground.ask(await ground.service());
    await beatHost(ground.database, aHost({ id: full.id, name: 'full' }), ABLE);
    // As the commands of earlier releases left it.
    await sql("update workload set host = $1, status = 'failed' where name = $2", [full.id, name]);
    await full.start();
    await until('no host', async () => (await ground.hostOf(name)) === null);
    await good.start();
    await ground.reached(name, 'running');
    expect(await ground.hostOf(name)).toBe(good.id);
  });
});

describe('workloads on hosts that are gone', () => {
  let ground: HostGround;
  beforeEach(async () => {
    ground = await HostGround.open();
  });
  afterEach(() => ground.close());

  const isGone = /^The machine .* gone\.$/;
  /** Was seen last when nobody knows any more. */
  const silentHost = async () => {
    const host = aHost({ name: 'silent' });
    await beatHost(ground.database, host, ABLE);
    const [known] = await listHosts(ground.database);
    if (!known) throw new Error('no host');
    return known;
  };
  const place = (name: string, host: string) =>
    ground.database.inPlatform((tx) =>
      tx.execute('update workload set host = $2 where name = $1', [name, host]),
    );

  it('are not placed there while it is taken for lost', async () => {
    const host = await silentHost();
    const name = await ground.ask(ground.wanted());
    const giving = await ground.database.inPlatform(async (tx) => {
      await holdPlacement(tx);
      const given = giveUpHost(ground.database, host, host.seenAt);
      await Promise.race([given, sleep(500)]);
      await tx.execute('update workload set host = $2 where name = $1', [name, host.id]);
      return { given };
    });
    expect(await giving.given).toBe(true);
    expect(await ground.state(name)).toMatchObject({
      phase: 'failed',
      message: expect.stringMatching(isGone),
    });
  });

  it('end with the host when it is forgotten', async () => {
    const host = await silentHost();
    await giveUpHost(ground.database, host, host.seenAt);
    const [job, service] = [ground.wanted(), await ground.service()];
    for (const one of [job, service]) await place(await ground.ask(one), host.id);
    expect(await removeHost(ground.database, host.id)).toBe(true);
    expect(await ground.state(job.name)).toMatchObject({
      phase: 'failed',
      message: 'The machine silent, on which it ran, is gone.',
    });
    expect(await ground.hostOf(service.name)).toBeNull();
    expect(await listHosts(ground.database)).toEqual([]);
  });

  it('are found by whoever watches the hosts, also where nobody knows the host', async () => {
    const [job, running, stopped] = [ground.wanted(), await ground.service(), await ground.service()];
    for (const one of [job, running, stopped]) await ground.ask(one);
    for (const { name } of [job, running, stopped]) await place(name, randomUUID());
    await ground.database.inTenant(ground.tenantId, (tx) => stopWorkload(tx, stopped.name, 1));
    const abort = new AbortController();
    const watch = createHostWatch({ database: ground.database, goneAfterS: 600, logger }).run(abort.signal);
    await until('the end', async () => (await ground.state(job.name))?.phase === 'failed');
    await until('the stop', async () => (await ground.state(stopped.name))?.isDown);
    expect((await ground.state(job.name))?.message).toMatch(isGone);
    await ground.host('a').start();
    await ground.reached(running.name, 'running');
    abort.abort();
    await watch;
  });
});
