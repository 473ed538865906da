import { describe, expect, it } from '@jest/globals';
import {
  chooseHost,
  type LoadedHost,
  type WorkloadNeed,
} from '../../../models/workloads/choose-host.rules.js';
import { stateOf } from '../../../models/workloads/workload.rules.js';
import { ABLE, aHost } from '../../builders/a-host.js';

const GIB = 2 ** 30;
const need: WorkloadNeed = {
  ...{ kind: 'training', runtime: 'sklearn', origin: 'platform', memoryBytes: 2 * GIB },
};
const OPEN = { facts: { ...ABLE, isolation: { kind: 'none' as const, explanation: 'One trust domain.' } } };
const loaded = (reservedBytes: number, jobs = 0, startingBytes = 0) => ({
  load: { reservedBytes, startingBytes, jobs },
});
const host = (name: string, over: Partial<LoadedHost> = {}): LoadedHost => ({
  ...aHost({ name }),
  ...{ facts: ABLE, seenAt: new Date(), ageS: 1, goneAt: null, load: loaded(0).load },
  ...over,
});
const chosen = (hosts: readonly LoadedHost[], wanted = need) => {
  const choice = chooseHost(hosts, wanted);
  return 'host' in choice ? choice.host.name : choice.reason;
};

describe('the choice of a host', () => {
  it('takes the one whose memory is taken up least, for its size', () => {
    expect(
      chosen([host('a', loaded(4 * GIB)), host('b', { memoryBytes: 32 * GIB, ...loaded(8 * GIB) })]),
    ).toBe('b');
  });

  it('leaves one alone that cannot begin anything just now, and says why nothing begins', () => {
    const full = host('full', { facts: { ...ABLE, trouble: 'ENOSPC' } });
    expect(chosen([full, host('b', loaded(4 * GIB))])).toBe('b');
    expect(chosen([full])).toBe('Waiting for a host: full cannot begin anything (ENOSPC).');
  });

  const seen = (availableBytes: number) => ({ facts: { ...ABLE, availableBytes } });

  it('takes the one with most memory free, whatever limits say', () => {
    const hosts = [
      host('a', { ...seen(3 * GIB), ...loaded(0) }),
      host('b', { ...seen(6 * GIB), ...loaded(4 * GIB) }),
    ];
    expect(chosen(hosts)).toBe('b');
    // Those that do not run yet use none of it so far.
    expect(
      chosen([host('a', seen(5 * GIB)), host('b', { ...seen(6 * GIB), ...loaded(6 * GIB, 0, 6 * GIB) })]),
    ).toBe('a');
  });

  it('takes the one whose limits are taken up least of those with as much memory free', () => {
    const hosts = [host('a', { ...seen(4.1 * GIB), ...loaded(2 * GIB) }), host('b', seen(4.0 * GIB))];
    expect(chosen(hosts)).toBe('b');
  });

  it('takes none that has not a quarter of the limit free', () => {
    const spare = 0.5 * GIB;
    expect(chosen([host('a', seen(spare))])).toBe('a');
    expect(chosen([host('a', seen(spare - 1))])).toMatch(/no host has 512 MiB free now/);
    expect(chosen([host('a', { ...seen(GIB), ...loaded(3 * GIB, 0, 3 * GIB) })])).toMatch(
      /no host has 512 MiB free/,
    );
    expect(chosen([host('a', seen(spare - 1)), host('b', seen(GIB))])).toBe('b');
  });

  it.each([
    ['nobody', [], /none is alive/],
    ['a silent host', [host('a', { ageS: 16 })], /none is alive/],
    ['a host that is given up', [host('a', { goneAt: new Date() })], /none is alive/],
    [
      'a host without the runtime',
      [host('a', { facts: { ...ABLE, runtimes: [] } })],
      /can run sklearn: no host has/,
    ],
    ['a full host', [host('a', loaded(7 * GIB))], /no host has 2048 MiB left/],
    ['a host that trains as much as it may', [host('a', { maxJobs: 1, ...loaded(0, 1) })], /its turn/],
  ])('waits where there is only %s', (_who, hosts, reason) => {
    expect(chosen(hosts)).toMatch(reason);
  });

  it('says why the runtime cannot be run', () => {
    const facts = {
      ...ABLE,
      runtimes: [{ runtime: 'sklearn', available: false, reason: 'Python is missing.' }],
    };
    expect(chosen([host('a', { facts })])).toMatch(/sklearn: Python is missing/);
  });

  it('runs what a tenant brought only where each tenant has a user of its own', () => {
    const brought = { ...need, origin: 'tenant' as const };
    expect(chosen([host('open', OPEN), host('apart', loaded(4 * GIB))], brought)).toBe('apart');
    expect(chosen([host('open', OPEN)], brought)).toMatch(
      /^Waiting for a host that gives each tenant a user/,
    );
    expect(chosen([host('open', OPEN)])).toBe('open');
  });

  it('counts the turns of trainings alone', () => {
    expect(chosen([host('a', { maxJobs: 1, ...loaded(0, 1) })], { ...need, kind: 'serving' })).toBe('a');
  });
});

describe('the state of a workload', () => {
  const row = {
    ...{ wish: 'run' as const, revision: 2, appliedRevision: 2, status: 'failed' as const },
    ...{ reason: 'It died.', endpoints: ['http://a'], startedAt: null },
  };

  it('is what its host saw of the last wish', () => {
    expect(stateOf(row)).toMatchObject({ phase: 'failed', message: 'It died.', isDown: true });
  });

  it('is pending as long as the last wish is not fulfilled', () => {
    expect(stateOf({ ...row, revision: 3 })).toMatchObject({
      phase: 'pending',
      endpoints: [],
      isDown: false,
    });
  });

  it('is not down before the stop is done', () => {
    expect(stateOf({ ...row, revision: 3, wish: 'stop' })).toMatchObject({ phase: 'failed', isDown: false });
    expect(stateOf({ ...row, wish: 'stop', status: 'stopped' })).toMatchObject({ isDown: true });
  });
});
