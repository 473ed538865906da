import { describe, expect, it } from '@jest/globals';
import { assertAllowed, isActive } from '../../../models/deployments/deployment-state.rules.js';
import { viewDeployment } from '../../../models/deployments/deployment-view.rules.js';
import type { DeploymentRow, StepCount } from '../../../models/deployments/deployment.types.js';
import { readReport, reportText } from '../../../models/deployments/devices/device-report.rules.js';
import {
  heldUntil,
  isMeasureDue,
  nextWaitMs,
  watchEnd,
} from '../../../models/deployments/follow-up/look-times.rules.js';

const row = (over: Partial<DeploymentRow> = {}): DeploymentRow =>
  ({
    ...{ status: 'IN_PROGRESS', currentGroup: 0, startedAt: new Date(), rollbackOn: [] },
    groups: [
      { size: 2, successThreshold: 100, errorThreshold: 0 },
      { size: 8, successThreshold: 100, errorThreshold: 0 },
    ],
    ...over,
  }) as DeploymentRow;

const count = (
  groupNo: number,
  step: StepCount['step'],
  n: number,
  failedStep: StepCount['failedStep'] = null,
) => ({
  ...{ groupNo, step, failedStep },
  count: n,
});

describe('what people see of a deployment', () => {
  it('counts devices by step and group', () => {
    const view = viewDeployment(row(), [
      count(0, 'succeeded', 1),
      count(0, 'installing', 1),
      count(1, 'queued', 7),
      count(1, 'failed', 1, 'downloading'),
    ]);
    expect([view.devices, view.progress]).toEqual([10, 0.2]);
    expect(view.steps.map(({ step, status, at, done, failed }) => [step, status, at, done, failed])).toEqual([
      ['queued', 'running', 7, 3, 0],
      ['downloading', 'failed', 0, 2, 1],
      ['installing', 'running', 1, 1, 0],
      ['verifying', 'running', 0, 1, 0],
    ]);
    expect(
      view.groups.map(({ number, status, succeeded, failed }) => [number, status, succeeded, failed]),
    ).toEqual([
      [1, 'running', 1, 0],
      [2, 'waiting', 0, 1],
    ]);
  });

  it('says that all is done, or which group failed', () => {
    const done = viewDeployment(row({ status: 'SUCCEEDED', currentGroup: 1 }), [
      count(0, 'succeeded', 2),
      count(1, 'succeeded', 8),
    ]);
    expect(done.progress).toBe(1);
    expect(new Set(done.steps.map(({ status }) => status))).toEqual(new Set(['done']));
    expect(done.groups.map(({ status }) => status)).toEqual(['done', 'done']);
    const failed = viewDeployment(row({ status: 'FAILED' }), [
      count(0, 'failed', 2, 'verifying'),
      count(1, 'canceled', 8),
    ]);
    expect(failed.groups.map(({ status }) => status)).toEqual(['failed', 'waiting']);
    expect(viewDeployment(row(), []).progress).toBe(0);
    const aborted = viewDeployment(row({ status: 'ABORTED' }), [
      { groupNo: 0, step: 'succeeded', failedStep: null, count: 1 },
      { groupNo: 0, step: 'canceled', failedStep: null, count: 2 },
    ]);
    expect(aborted.steps.map(({ status }) => status)).not.toContain('running');
  });
});

describe('a wish', () => {
  it('is refused where it is too early or too late, or another one is under way', () => {
    const conflict = expect.objectContaining({ code: 'conflict' });
    expect(() => assertAllowed('pause', 'PAUSED', null)).toThrow(conflict);
    expect(() => assertAllowed('rollback', 'IN_PROGRESS', null)).toThrow(conflict);
    expect(() => assertAllowed('abort', 'ABORTED', null)).toThrow(conflict);
    expect(() => assertAllowed('abort', 'IN_PROGRESS', 'pause')).toThrow(conflict);
    expect(() => assertAllowed('pause', 'IN_PROGRESS', 'pause')).not.toThrow();
    expect(isActive({ status: 'FAILED', isWatched: false, wish: 'retry' })).toBe(true);
    expect(isActive({ status: 'FAILED', isWatched: false })).toBe(false);
  });
});

describe('what a device reports', () => {
  it('is taken as far as it can be understood', () => {
    expect(readReport({ step: 'installing', progress: 0.5, message: 'ok' })).toEqual({
      step: 'installing',
      progress: 0.5,
      message: 'ok',
    });
    for (const odd of [
      null,
      {},
      { step: 'succeeded' },
      { step: 7, progress: 2, message: '' },
      { progress: Number.NaN, message: {} },
    ])
      expect(readReport(odd)).toEqual({ step: null, progress: null, message: null });
    expect(readReport({ message: 'x'.repeat(9000) }).message).toHaveLength(500);
    expect(reportText('cam-1', 'failed', 'no room')).toBe('cam-1 failed: no room');
  });
});

describe('the next look', () => {
  const now = new Date('2026-11-26T00:00:00Z');
  it('comes in time for a window and for conditions, and at last after ten minutes', () => {
    const quiet = { isWatched: false, rollbackOn: [] };
    expect(nextWaitMs(quiet, now, null)).toBe(600_000);
    expect(nextWaitMs(quiet, now, new Date(now.getTime() + 90_000))).toBe(90_000);
    expect(nextWaitMs(quiet, now, now)).toBe(1000);
    const condition = { metric: 'error_rate', op: '>' as const, value: 0.1, for: '2m' };
    expect(nextWaitMs({ isWatched: true, rollbackOn: [condition] }, now, null)).toBe(30_000);
    expect(watchEnd({ finishedAt: now, rollbackOn: [condition] }).toISOString()).toBe(
      '2026-11-27T00:02:00.000Z',
    );
    expect(watchEnd({ finishedAt: now, rollbackOn: [{ ...condition, for: '3d' }] }).toISOString()).toBe(
      '2026-11-30T00:00:00.000Z',
    );
  });

  it('measures conditions now and then, however often devices call', () => {
    const condition = { metric: 'error_rate', op: '>' as const, value: 0.1, for: '2m' };
    const watched = { isWatched: true, rollbackOn: [condition] };
    const ago = (ms: number) => ({ ...watched, measuredAt: new Date(now.getTime() - ms) });
    expect(isMeasureDue(watched, now)).toBe(true);
    expect(isMeasureDue(ago(29_999), now)).toBe(false);
    expect(isMeasureDue(ago(30_000), now)).toBe(true);
    expect(isMeasureDue({ ...watched, isWatched: false }, now)).toBe(false);
    expect(nextWaitMs(ago(20_000), now, null)).toBe(10_000);
  });

  it('leaves a group the time of its longest condition', () => {
    const condition = { metric: 'error_rate', op: '>' as const, value: 0.1, for: '2m' };
    const rollbackOn = [condition, { ...condition, for: '10m' }];
    const end = new Date(now.getTime() + 600_000);
    expect(heldUntil({ isWatched: true, rollbackOn }, now)).toEqual(end);
    expect(heldUntil({ isWatched: true, rollbackOn, measuredAt: new Date(end.getTime() - 1) }, now)).toEqual(
      end,
    );
    expect(heldUntil({ isWatched: true, rollbackOn, measuredAt: end }, now)).toBeNull();
    const late = {
      isWatched: true,
      rollbackOn,
      measuredAt: new Date(end.getTime() - 1),
      measureTriedAt: end,
    };
    expect(heldUntil(late, now)).toEqual(end);
    expect([isMeasureDue(late, end), nextWaitMs(late, end, null)]).toEqual([false, 30_000]);
    expect(heldUntil({ isWatched: true, rollbackOn }, null)).toBeNull();
    expect(heldUntil({ isWatched: false, rollbackOn: [] }, now)).toBeNull();
  });
});
