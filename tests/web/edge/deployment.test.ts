import { describe, expect, it } from '@jest/globals';
import { logText } from '../../../web/src/edge/deployments/one/log-lines.js';
import { isOffered } from '../../../web/src/edge/deployments/one/orders.js';
import { stepCounts } from '../../../web/src/edge/deployments/one/step-counts.js';
import { fleetFilters, installedWord } from '../../../web/src/edge/fleet/installed.js';
import { versionsInField } from '../../../web/src/models/devices/versions-in-field.js';
import { targetText } from '../../../web/src/shared/deployments/target-text.js';
import { levelOf } from '../../../web/src/shared/log/log-lines.js';

it('counts the devices of each step, and those that are done', () => {
  const step = (name: 'queued' | 'downloading', at: number) => ({
    ...{ step: name, status: 'running' as const, message: '', at, done: 0, failed: 1 },
  });
  const group = (number: number, succeeded: number, failed: number) => ({
    ...{ number, size: 5, success_threshold: 100, error_threshold: 0, status: 'running' as const },
    ...{ succeeded, failed },
  });
  expect(
    stepCounts({
      steps: [step('queued', 4), step('downloading', 2)],
      groups: [group(1, 3, 1), group(2, 1, 0)],
    }),
  ).toEqual([
    { step: 'queued', count: 4 },
    { step: 'downloading', count: 2 },
    { step: 'succeeded', count: 4 },
    { step: 'failed', count: 1 },
  ]);
});

it('offers each order where the status allows it', () => {
  expect(isOffered('pause', 'IN_PROGRESS')).toBe(true);
  expect(isOffered('pause', 'PAUSED')).toBe(false);
  expect(isOffered('rollback', 'SUCCEEDED')).toBe(true);
  for (const order of ['pause', 'resume', 'abort', 'retry-failed', 'rollback'] as const)
    expect(isOffered(order, 'ABORTED')).toBe(false);
});

it('writes lines of a log, of which failures look like errors', () => {
  const line = { at: '2026-11-26T01:02:03.456Z', device_id: 'camera', message: 'no room' };
  const failed = logText({ ...line, step: 'failed' }, 'utc');
  expect(failed).toBe('2026-11-26 01:02:03Z ERROR [failed camera] no room');
  expect(levelOf(failed)).toBe('error');
  expect(logText({ ...line, step: null, device_id: null }, 'utc')).toBe('2026-11-26 01:02:03Z INFO  no room');
  const local = logText({ ...line, step: 'failed' }, 'local');
  const stamp = local.slice(0, local.indexOf(' ERROR'));
  expect(stamp).toMatch(/[+-]\d\d:\d\d$/);
  expect(new Date(stamp.replace(' ', 'T')).toISOString()).toBe('2026-11-26T01:02:03.000Z');
});

describe('targetText', () => {
  const none = { ids: null, location: null, os: null, current_version: null };

  it('says in few words which devices are meant', () => {
    expect(targetText({ target_device_id: 'camera', targets: null })).toBe('camera');
    expect(targetText({ target_device_id: null, targets: none })).toBe('all devices');
    const some = { ...none, ids: ['a', 'b'], location: 'Hall 3', current_version: 2 };
    expect(targetText({ target_device_id: null, targets: some })).toBe(
      '2 named devices, at Hall 3, with version 2',
    );
  });
});

describe('the filter by what is installed', () => {
  it('is one word of the address and two of the call', () => {
    expect(fleetFilters({ runs: installedWord('road signs', 3), page: 2 })).toEqual({
      ...{ model: 'road signs', version: '3', page: 2 },
    });
  });

  it('leaves out what it does not understand', () => {
    expect(fleetFilters({ runs: 'digits', location: 'Hall 3' })).toEqual({ location: 'Hall 3' });
    expect(fleetFilters({})).toEqual({});
  });
});

it('shows the versions of one model in the field, the newest first', () => {
  const versions = [
    { model: 'digits', version: 1, count: 30 },
    { model: 'signs', version: 4, count: 20 },
    { model: 'digits', version: 3, count: 10 },
  ];
  expect(versionsInField({ versions }, 'digits')).toEqual([
    { version: 3, count: 10 },
    { version: 1, count: 30 },
  ]);
  expect(versionsInField({ versions }, 'faces')).toEqual([]);
});
