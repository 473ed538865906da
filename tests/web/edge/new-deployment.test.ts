import { describe, expect, it } from '@jest/globals';
import { type Draft, draftOf, missingIn, requestOf } from '../../../web/src/edge/deployments/create/draft.js';
import { meantDevices } from '../../../web/src/edge/deployments/create/meant-devices.js';
import { planSentences } from '../../../web/src/edge/deployments/create/plan-text.js';

const fleet: Draft = { ...draftOf({ model: 'digits', version: '3' }), target: 'fleet' };

describe('the draft of a deployment', () => {
  it('begins with what the address says', () => {
    expect(draftOf({ model: 'digits', version: '3', device: 'camera' })).toMatchObject({
      ...{ model: 'digits', version: '3', device: 'camera', target: 'device' },
    });
    expect(draftOf({ ids: 'a,b' })).toMatchObject({ target: 'selection', ids: ['a', 'b'] });
  });

  it('asks for nothing while something is missing', () => {
    expect(missingIn(draftOf({}))).toEqual(['version', 'device']);
    expect(requestOf(draftOf({}))).toBeNull();
    expect(missingIn({ ...fleet, target: 'selection' })).toEqual(['selection']);
    expect(missingIn({ ...fleet, previous: '3' })).toEqual(['previous']);
    expect(missingIn({ ...fleet, window: { from: '22:00', to: '22:00', tz: 'UTC' } })).toEqual(['window']);
    const condition = { metric: 'error_rate', op: '>', value: 0.1, for: '15' } as const;
    expect(missingIn({ ...fleet, conditions: [condition] })).toEqual(['conditions']);
    for (const value of ['', '-']) {
      const cleared = { ...condition, for: '15m', value };
      expect(missingIn({ ...fleet, conditions: [cleared] })).toEqual(['conditions']);
    }
  });

  it('asks for one device, for all, or for a selection', () => {
    const one = { ...fleet, target: 'device', device: 'camera' } as const;
    expect(requestOf(one)).toEqual({
      ...{ model_name: 'digits', version: 3, target_device_id: 'camera', strategy: 'replace' },
    });
    expect(requestOf(fleet)).toEqual({ model_name: 'digits', version: 3, strategy: 'replace' });
    const some = { ...fleet, target: 'selection', ids: ['a', 'b'], os: 'linux', current: '2' } as const;
    expect(requestOf(some)?.targets).toEqual({ ids: ['a', 'b'], os: 'linux', current_version: 2 });
  });

  it('asks for groups in place of a strategy, and for the way back', () => {
    const window = { from: '22:00', to: '06:00', tz: 'Europe/Berlin' };
    const conditions = [{ metric: 'error_rate', op: '>', value: 0.1, for: '15m' }] as const;
    expect(
      requestOf({ ...fleet, how: 'groups', window, previous: '2', conditions, image: ' app:1 ' }),
    ).toEqual({
      ...{ model_name: 'digits', version: 3, image: 'app:1', previous_version: 2, window },
      groups: [
        { percent: 10, success_threshold: 100, error_threshold: 0 },
        { success_threshold: 100, error_threshold: 0 },
      ],
      rollback_on: [...conditions],
    });
  });

  it('asks for no order of one device, whatever was typed before for many', () => {
    const [first] = fleet.groups;
    if (!first) throw new Error('a group to begin with');
    const one: Draft = {
      ...{ ...fleet, target: 'device', device: 'camera', how: 'groups' },
      groups: [{ ...first, amount: '', error: 100 }],
    };
    expect(missingIn(one)).toEqual([]);
    expect(requestOf(one)).toEqual({
      ...{ model_name: 'digits', version: 3, target_device_id: 'camera', strategy: 'replace' },
    });
  });

  it.each([
    ['size', 0],
    ['size', 1.5],
    ['percent', 101],
    ['percent', ''],
    ['rest', ''],
  ] as const)('refuses a group of %s %j before the last', (kind, amount) => {
    const [first, last] = fleet.groups;
    if (!first || !last) throw new Error('two groups to begin with');
    const groups = [{ ...first, kind, amount }, last];
    expect(missingIn({ ...fleet, how: 'groups', groups })).toEqual(['groups']);
  });
});

describe('the devices that are meant', () => {
  const counts = { PENDING: 1000, ACTIVE: 20_000, STALE: 3000, OFFLINE: 1000, BLOCKED: 0 };
  const hall: Draft = { ...fleet, target: 'selection', location: 'Hall 3' };

  it('are all of the fleet, however many', () => {
    expect(meantDevices(fleet, counts)).toBe(25_000);
    expect(meantDevices(hall, counts)).toBe(25_000);
    expect(meantDevices({ ...fleet, target: 'device' }, null)).toBe(1);
    expect(meantDevices({ ...hall, location: '', ids: ['a', 'b'] }, null)).toBe(2);
  });

  it('are not known where the fleet does not say it', () => {
    expect(meantDevices(fleet, null)).toBeNull();
    expect(meantDevices(hall, null)).toBeNull();
    expect(meantDevices({ ...hall, os: 'linux' }, counts)).toBeNull();
    expect(meantDevices({ ...hall, ids: ['a'] }, counts)).toBeNull();
  });
});

describe('what will happen', () => {
  it('is said of one device', () => {
    expect(planSentences({ ...fleet, target: 'device', device: 'camera' }, 1)).toEqual([
      'Version 3 of digits goes to the device camera.',
      'Devices begin as soon as they call, those that are off when they return.',
      'A rollback brings back on each device what was there before.',
    ]);
  });

  it('counts where the fleet is known', () => {
    expect(planSentences(fleet, 1200)[0]).toBe(
      'Version 3 of digits goes to all 1,200 devices of the tenant.',
    );
    expect(planSentences(fleet, null)[0]).toBe('Version 3 of digits goes to all devices of the tenant.');
    const hall = { ...fleet, target: 'selection', location: 'Hall 3', current: '2' } as const;
    expect(planSentences(hall, 1)[0]).toBe(
      'Version 3 of digits goes to 1 device at Hall 3 and with version 2 now.',
    );
  });

  it('names groups, the window, and what takes it back', () => {
    const sentences = planSentences(
      {
        ...fleet,
        ...{ how: 'groups', previous: '2', window: { from: '22:00', to: '06:00', tz: 'Europe/Berlin' } },
        conditions: [{ metric: 'error_rate', op: '>', value: 0.1, for: '15m' }],
      },
      40,
    );
    expect(sentences).toEqual([
      'Version 3 of digits goes to all 40 devices of the tenant.',
      'Group 1 has 10 % of the devices; the next begins once 100 % of it have succeeded; the deployment fails once one of it has failed.',
      'Group 2 has the devices that are left; the deployment fails once one of it has failed.',
      'Devices begin between 22:00 and 06:00 (Europe/Berlin) only.',
      'It is rolled back by itself while error_rate > 0.1 for 15m.',
      'A rollback installs version 2.',
    ]);
  });
});
