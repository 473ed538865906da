import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PlanInput, planInstance } from '../../../adapters/process/instance-plan.js';
import { readLogPart } from '../../../adapters/process/log-reader.js';
import { reachablePorts } from '../../../adapters/process/reachable-ports.js';
import { decideRestart } from '../../../adapters/process/workload-restart.rules.js';
import {
  FRESH_INSTANCE,
  type InstanceView,
  type LaunchRecord,
} from '../../../adapters/process/workload-records.js';
import { TenantUids } from '../../../adapters/process/tenant-uids.js';

describe('restart policy', () => {
  it('waits longer after each death and gives up at the fifth', () => {
    expect([0, 1, 2, 3, 4].map((tries) => decideRestart(tries, null))).toEqual([
      { kind: 'restart', afterMs: 1000, tries: 1 },
      { kind: 'restart', afterMs: 2000, tries: 2 },
      { kind: 'restart', afterMs: 4000, tries: 3 },
      { kind: 'restart', afterMs: 8000, tries: 4 },
      { kind: 'give-up' },
    ]);
  });

  it('forgives earlier deaths after a minute of health', () => {
    expect(decideRestart(4, 60_000)).toEqual({ kind: 'restart', afterMs: 1000, tries: 1 });
    expect(decideRestart(4, 59_999)).toEqual({ kind: 'give-up' });
  });
});

describe('plan of an instance', () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  const launch = {
    attempt: 1,
    launchedAt: '2026-01-01T00:00:00Z',
    bootId: 'b1',
    kind: 'job',
  } as LaunchRecord;
  const view = (change: Partial<InstanceView>): InstanceView => ({
    index: 0,
    record: FRESH_INSTANCE,
    launch,
    pid: null,
    exit: null,
    isAlive: false,
    ...change,
  });
  const plan = (change: Partial<InstanceView>, input: Partial<PlanInput> = {}) =>
    planInstance({
      kind: 'job',
      intent: { desired: 'running', replicas: 1, graceS: 20, generation: 0 },
      view: view(change),
      bootId: 'b1',
      nowMs: now,
      connect: null,
      ...input,
    }).kind;
  const pid = { attempt: 1, pid: 7, start: 1, port: null, startedAt: '2026-01-01T00:00:00Z' };
  const exit = {
    attempt: 1,
    code: 0,
    signal: null,
    reason: null,
    stage: 'run',
    peakBytes: 0,
    startedAt: '',
    finishedAt: '',
    error: null,
  } as const;
  const stopped = { desired: 'stopped', replicas: 1, graceS: 20, generation: 0 } as const;

  it('starts what was never started and what was launched without a trace', () => {
    expect(plan({ launch: null })).toBe('start');
    expect(plan({})).toBe('start');
    expect(plan({}, { nowMs: Date.parse(launch.launchedAt) + 1000 })).toBe('none');
  });

  it('records the end of what lost its supervising process', () => expect(plan({ pid })).toBe('bury'));

  it('runs a job once, unless the platform itself interrupted it', () => {
    expect(plan({ pid, exit })).toBe('none');
    expect(plan({ pid, exit: { ...exit, code: 1 } })).toBe('none');
    for (const reason of ['stopped', 'timeout', 'memory', 'unstartable'] as const)
      expect([reason, plan({ pid, exit: { ...exit, reason } })]).toEqual([reason, 'none']);
    expect(plan({ pid, exit: { ...exit, reason: 'suspended' } })).toBe('start');
    expect(plan({ pid, exit: { ...exit, reason: 'suspended' } }, { intent: stopped })).toBe('none');
  });

  it.each([
    ['lost with its supervising process', { ...exit, code: null, reason: 'lost' as const }],
    ['killed from outside', { ...exit, code: null, signal: 9 }],
  ])('starts a job that was %s again, once for its first such end and never for another', (_, cutOff) => {
    expect(plan({ pid, exit: cutOff })).toBe('start');
    expect(plan({ pid, exit: cutOff }, { bootId: 'b2' })).toBe('start');
    expect(plan({ pid, exit: cutOff }, { intent: stopped })).toBe('none');
    const record = { ...FRESH_INSTANCE, cutOffAttempt: 1 };
    // The start was recorded and did not come to be.
    expect(plan({ pid, exit: cutOff, record })).toBe('start');
    const second = { launch: { ...launch, attempt: 2 }, pid: { ...pid, attempt: 2 }, record };
    expect(plan({ ...second, exit: { ...cutOff, attempt: 2 } })).toBe('none');
    expect(plan({ ...second, exit: { ...exit, attempt: 2, reason: 'suspended' } })).toBe('start');
  });

  it('does not start a job again that crashed by itself', () =>
    expect(plan({ pid, exit: { ...exit, code: null, signal: 11 } })).toBe('none'));

  it('asks to stop once and kills after grace and a little more', () => {
    expect(plan({ pid, isAlive: true }, { intent: stopped })).toBe('ask-to-stop');
    const record = { ...FRESH_INSTANCE, stopAskedAt: new Date(now - 24_000).toISOString() };
    expect(plan({ pid, isAlive: true, record }, { intent: stopped })).toBe('none');
    expect(plan({ pid, isAlive: true, record }, { intent: stopped, nowMs: now + 2_000 })).toBe('kill');
  });

  it('interrupts a job whose ports are closed to it now, so that it goes on with others', () => {
    const alive = (connect: readonly number[] | null) => ({
      ...{ pid, isAlive: true, launch: { ...launch, connect } },
    });
    expect(plan(alive([80, 9000]), { connect: [80, 9000] })).toBe('none');
    expect(plan(alive([80, 9000]), { connect: [80] })).toBe('none');
    expect(plan(alive([80, 9000]), { connect: [81, 9000] })).toBe('ask-to-stop');
    expect(plan(alive([80]), { connect: [81], kind: 'service' })).toBe('probe');
    // The kernel does not hold it, or it was started by a release that did not.
    expect(plan(alive([80]), { connect: null })).toBe('none');
    expect(plan(alive(null), { connect: [81] })).toBe('none');
    expect(plan({ pid, isAlive: true }, { connect: [81] })).toBe('none');
  });

  it('ends instances beyond the wished number', () =>
    expect(plan({ index: 1, pid, isAlive: true }, { kind: 'service' })).toBe('ask-to-stop'));
});

describe('ports that workloads may connect to', () => {
  it.each([
    ['http://127.0.0.1:8080/tracker', 'http://127.0.0.1:9000', [8080, 9000]],
    ['http://[::1]:8080', 'http://localhost:8080', [8080]],
    ['https://visionops.example.com', 'https://s3.amazonaws.com', [53, 443]],
    ['http://10.0.0.1', 'https://10.0.0.2', [80, 443]],
  ])('are those of %s and %s, and of name look-ups', (trackerUrl, storeUrl, ports) => {
    expect(reachablePorts({ trackerUrl, storeUrl })).toEqual(ports);
  });
});

describe('log by byte offset', () => {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-log-'));
  beforeAll(() => {
    writeFileSync(join(folder, '00000000000000000100.log'), 'one\ntwö\n');
    writeFileSync(join(folder, '00000000000000000109.log'), 'three\nunfinished');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('goes on at the oldest line that is kept and over the border of two files', async () => {
    expect(await readLogPart(folder, 0, 1000, false)).toEqual({
      text: 'one\ntwö\nthree\n',
      nextOffset: 115,
      isAtEnd: false,
    });
    expect(await readLogPart(folder, 104, 1000, false)).toEqual({
      text: 'twö\nthree\n',
      nextOffset: 115,
      isAtEnd: false,
    });
  });

  it('keeps an unfinished line back until it is final', async () => {
    expect(await readLogPart(folder, 115, 1000, false)).toEqual({
      text: '',
      nextOffset: 115,
      isAtEnd: false,
    });
    expect(await readLogPart(folder, 115, 1000, true)).toEqual({
      text: 'unfinished',
      nextOffset: 125,
      isAtEnd: true,
    });
  });

  it('cuts at a line end, counts from the end and survives offsets beyond it', async () => {
    expect((await readLogPart(folder, 100, 16, false)).text).toBe('one\ntwö\nthree\n');
    expect((await readLogPart(folder, -16, 1000, true)).text).toBe('three\nunfinished');
    expect(await readLogPart(folder, 9999, 1000, true)).toEqual({ text: '', nextOffset: 125, isAtEnd: true });
    expect(await readLogPart(join(folder, 'none'), 5, 10, true)).toEqual({
      text: '',
      nextOffset: 5,
      isAtEnd: true,
    });
  });

  it('never cuts through a character when one line fills the part', async () => {
    const long = mkdtempSync(join(tmpdir(), 'visionops-log-'));
    writeFileSync(join(long, '00000000000000000000.log'), `a${'ö'.repeat(40)}`);
    const texts: string[] = [];
    for (let offset = 0, left = 20; left > 0; left -= 1) {
      const part = await readLogPart(long, offset, 16, true);
      texts.push(part.text);
      offset = part.nextOffset;
      if (part.isAtEnd) break;
    }
    expect(texts.join('')).toBe(`a${'ö'.repeat(40)}`);
    rmSync(long, { recursive: true });
  });
});

describe('users of tenants', () => {
  it('gives each tenant one user, also when two processes ask at once', async () => {
    const root = mkdtempSync(join(tmpdir(), 'visionops-uids-'));
    const [one, two] = [new TenantUids(root), new TenantUids(root)];
    const given = await Promise.all(
      ['a', 'b', 'c', 'd', 'a', 'b'].flatMap((tenant) =>
        [one, two].map(async (uids) => `${tenant}=${await uids.allocate(tenant)}`),
      ),
    );
    const later = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (tenant) => `${tenant}=${await new TenantUids(root).allocate(tenant)}`),
    );
    expect(new Set(given)).toEqual(new Set(later));
    expect(new Set(later.map((text) => text.split('=')[1])).size).toBe(4);
    rmSync(root, { recursive: true });
  });
});
