import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHostWatch } from '../../../activities/workloads/host-watch.js';
import { createHostBeat } from '../../../activities/workloads/host-beat.js';
import type { WorkloadLogs } from '../../../activities/workloads/workload-logs.js';
import { asTenantId } from '../../../core/security/ids.js';
import type { Database } from '../../../models/orm/in-tenant.js';
import { listHosts } from '../../../models/workloads/host.platform.js';
import { giveUpHost, listHosted } from '../../../models/workloads/hosted.platform.js';
import {
  removeWorkload,
  scaleWorkload,
  startWorkload,
  stopWorkload,
} from '../../../models/workloads/workload.commands.js';
import { aHost } from '../../builders/a-host.js';
import { until as untilIn } from '../../adapters/process/workload-waits.js';
import { HostGround, KEYS, logger } from './host-kit.js';

const until: typeof untilIn = (what, check) => untilIn(what, check, 60_000);

describe('workloads that wait for a host', () => {
  let ground: HostGround;
  beforeEach(async () => {
    ground = await HostGround.open();
  });
  afterEach(() => ground.close());

  const inTenant: HostGround['database']['inTenant'] = (...rest) => ground.database.inTenant(...rest);

  it('begin when they were stopped without one, and are wanted again', async () => {
    const service = await ground.service();
    const name = await ground.ask(service);
    await inTenant(ground.tenantId, (tx) => stopWorkload(tx, name, 1));
    expect(await ground.state(name)).toMatchObject({ phase: 'stopped', isDown: true });
    await inTenant(ground.tenantId, (tx) => scaleWorkload(tx, name, 1, service.wake));
    expect(await ground.state(name)).toMatchObject({ phase: 'pending', message: 'Waiting for a host.' });
    await ground.host('a').start();
    await ground.reached(name, 'running');
  });

  it('begin elsewhere when they were stopped on a host that is gone', async () => {
    const a = ground.host('a');
    await a.start();
    const service = await ground.service();
    const name = await ground.ask(service);
    await ground.reached(name, 'running');
    await inTenant(ground.tenantId, (tx) => stopWorkload(tx, name, 1));
    await ground.reached(name, 'stopped');
    await a.stop();
    const [known] = await listHosts(ground.database);
    if (!known) throw new Error('no host');
    expect(await giveUpHost(ground.database, known, known.seenAt)).toBe(true);
    expect(await ground.hostOf(name)).toBeNull();
    await inTenant(ground.tenantId, (tx) => scaleWorkload(tx, name, 1, service.wake));
    const b = ground.host('b');
    await b.start();
    await ground.reached(name, 'running');
    expect(await ground.hostOf(name)).toBe(b.id);
  });

  it('are in nobody else’s way, however many of a tenant do not fit', async () => {
    const neighbour = asTenantId(randomUUID());
    await ground.database.inPlatform((tx) =>
      tx.execute("insert into tenant (id, code, name) values ($1, 'next', 'Next door')", [neighbour]),
    );
    for (let count = 0; count < 120; count += 1) {
      const wanted = ground.wanted();
      const limits = { memoryBytes: 2 ** 50, timeoutS: null };
      await ground.ask({ ...wanted, spec: { ...wanted.spec, limits } });
    }
    const [own, other] = [await ground.service(), ground.wanted()];
    await ground.ask(own);
    await inTenant(neighbour, (tx) => startWorkload(tx, KEYS, other));
    await ground.host('a').start();
    await ground.reached(own.name, 'running');
    await until('the neighbour’s', async () => (await ground.hostOf(other.name)) !== null);
  });

  it('are not held up by fifty of their tenant that wait for a runtime which no host has', async () => {
    for (let count = 0; count < 50; count += 1) {
      const foreign = ground.wanted();
      await ground.ask({ ...foreign, spec: { ...foreign.spec, runtime: 'fortran' } });
    }
    const last = ground.wanted();
    await ground.ask(last);
    await ground.host('a').start();
    await ground.reached(last.name, 'running');
  });

  it('say why their host cannot begin them, and go to another where its disk is full', async () => {
    const [full, good] = [ground.host('full'), ground.host('good')];
    const noSpace = Object.assign(new Error("ENOSPC: no space left on device, mkdir '/secret/place'"), {
      ...{ code: 'ENOSPC', syscall: 'mkdir' },
    });
    full.runner.start = () => Promise.reject(noSpace);
    await full.start();
    const name = await ground.ask(ground.wanted());
    const reason = await until('the reason', async () => {
      const { message = '' } = (await ground.state(name)) ?? {};
      return message.includes('ENOSPC') && message;
    });
    expect(reason).not.toContain('/secret');
    await until('no host that can begin it', async () =>
      /cannot begin anything \(ENOSPC\)/.test((await ground.state(name))?.message ?? ''),
    );
    expect(await ground.hostOf(name)).toBeNull();
    await good.start();
    await ground.reached(name, 'running');
    expect(await ground.hostOf(name)).toBe(good.id);
  });

  it('are dropped when they are to be removed from a host that is gone', async () => {
    const a = ground.host('a');
    await a.start();
    const wanted = ground.wanted();
    const done = { ...wanted, spec: { ...wanted.spec, entrypoint: 'exit.py', args: ['0'] } };
    const name = await ground.ask(done);
    await ground.reached(name, 'succeeded');
    await a.stop();
    const [known] = await listHosts(ground.database);
    if (!known) throw new Error('no host');
    expect(await giveUpHost(ground.database, known, known.seenAt)).toBe(true);
    await inTenant(ground.tenantId, (tx) => removeWorkload(tx, name));
    expect(await ground.state(name)).not.toBeNull();
    const abort = new AbortController();
    const watch = createHostWatch({ database: ground.database, goneAfterS: 600, logger }).run(abort.signal);
    await until('its end', async () => (await ground.state(name)) === null);
    abort.abort();
    await watch;
  });

  it('learn from whoever watches the hosts that no host is alive', async () => {
    const job = ground.wanted();
    const name = await ground.ask(job);
    expect(await ground.state(name)).toMatchObject({ message: 'Waiting for a host.' });
    const abort = new AbortController();
    const watch = createHostWatch({ database: ground.database, goneAfterS: 600, logger }).run(abort.signal);
    await until('the reason', async () => /none is alive/.test((await ground.state(name))?.message ?? ''));
    expect(await ground.wakes(job)).toBe(1);
    abort.abort();
    await watch;
    // A host that begins is taken as ever.
    await ground.host('a').start();
    await ground.reached(name, 'running');
  });

  it('are not placed where nobody looks after what runs', async () => {
    const { runner } = ground.host('a');
    const [host, abort] = [aHost({ name: 'idle' }), new AbortController()];
    let isLooking = false;
    const beat = createHostBeat({
      ...{ database: ground.database, host, runner, orchestrator: 'process' },
      isLooking: () => isLooking,
      problem: () => null,
    }).run(abort.signal);
    await sleep(1500);
    expect(await listHosts(ground.database)).toEqual([]);
    isLooking = true;
    await until('the host', async () => (await listHosts(ground.database)).length === 1);
    abort.abort();
    await beat;
  });
});

describe('the logs of a host', () => {
  let ground: HostGround;
  beforeEach(async () => {
    ground = await HostGround.open();
  });
  afterEach(() => ground.close());

  const ends = () => {
    const wanted = ground.wanted();
    return { ...wanted, spec: { ...wanted.spec, entrypoint: 'exit.py', args: ['0'] } };
  };

  it('hold up the end of the one that cannot be stored, and of no other', async () => {
    const [stuck, good] = [ends(), ends()];
    let isBroken = true;
    const stored: string[] = [];
    const logs: WorkloadLogs = {
      kind: 'training',
      open: ({ name }) => ({
        pump: async () => {
          if (isBroken && name === stuck.name) throw new Error('this log cannot be stored');
          stored.push(name);
          return false;
        },
      }),
    };
    await ground.ask(stuck);
    await ground.ask(good);
    await ground.host('a').start({}, [logs]);
    await ground.reached(good.name, 'succeeded');
    expect((await ground.state(stuck.name))?.phase).not.toBe('succeeded');
    isBroken = false;
    await ground.reached(stuck.name, 'succeeded');
    expect(stored).toContain(stuck.name);
  });

  it('take long for one while another begins, which is not taken for lost', async () => {
    const [slow, next] = [ground.wanted(), ground.wanted()];
    let isSlow = false;
    const logs: WorkloadLogs = {
      kind: 'training',
      open: ({ name }) => ({
        pump: async () => {
          if (isSlow && name === slow.name) await sleep(3_000);
          return false;
        },
      }),
    };
    await ground.host('a').start({}, [logs]);
    await ground.ask(slow);
    await ground.reached(slow.name, 'running');
    isSlow = true;
    await ground.ask(next);
    const seen = new Set<string | undefined>();
    await until('the next', async () => {
      const phase = (await ground.state(next.name))?.phase;
      seen.add(phase);
      return phase === 'running' || phase === 'failed';
    });
    for (let left = 50; left > 0; left -= 1, await sleep(100))
      seen.add((await ground.state(next.name))?.phase);
    expect([...seen]).not.toContain('failed');
  });

  it('of an instance are written with its last words, and again when writing failed', async () => {
    const host = ground.host('a');
    await host.start();
    const service = await ground.service();
    const name = await ground.ask(service);
    await ground.reached(name, 'running');
    await host.stop();
    const [row] = await listHosted(ground.database, host.id);
    if (!row) throw new Error('no workload');
    let text = 'first\n';
    const runner = {
      readLog: async (_: string, offset: number) => ({
        ...{ text: text.slice(offset), nextOffset: Math.min(text.length, Math.max(offset, text.length)) },
        eof: false,
      }),
    };
    let isAway = false;
    const database = {
      inTenant: ((...given: Parameters<Database['inTenant']>) =>
        isAway
          ? Promise.reject(new Error('away'))
          : ground.database.inTenant(...given)) as Database['inTenant'],
    };
    const log = ground.logs(database as Database).open(row, { runner, hostId: 'another' });
    isAway = true;
    await expect(log.pump(row, true)).rejects.toThrow('away');
    isAway = false;
    await log.pump(row, true);
    expect(await ground.printed(service)).toContain('first');
    text += 'last words\n';
    await log.pump(row, false);
    expect(await ground.printed(service)).not.toContain('last words');
    await log.pump(row, true);
    expect(await ground.printed(service)).toContain('last words');
  });
});
