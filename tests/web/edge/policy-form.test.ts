import { describe, expect, it } from '@jest/globals';
import {
  changesOf,
  formOf,
  inheritedOf,
  SETTINGS,
  wrongIn,
} from '../../../web/src/edge/policy/policy-form.js';
import { policyState } from '../../../web/src/edge/fleet/policy-state.js';

const inherited = {
  heartbeat_interval_s: 30,
  commands_poll_s: 30,
  retention: { telemetry_days: 90, inference_days: null, uploads_days: null, max_local_mb: null },
  sync: { enabled: true, interval_s: 60, batch_size: 500, max_kbps: null },
};
const policy = {
  heartbeat_interval_s: 10,
  commands_poll_s: 30,
  retention: { telemetry_days: 7, note: 'kept' },
  sync: { enabled: false },
  revision: 4,
  applied_revision: 3,
  inherited,
  effective: { ...inherited, device_id: 'camera', revision: 4, heartbeat_interval_s: 10 },
};
const settingOf = (key: string) => {
  const found = SETTINGS.find((setting) => setting.key === key);
  if (!found) throw new Error(`no setting ${key}`);
  return found;
};

describe('the form of a policy', () => {
  it('shows what is set for the device alone, beside what holds otherwise', () => {
    expect(formOf(policy)).toEqual({
      ...{ heartbeat_interval_s: 10, commands_poll_s: '', telemetry_days: 7, inference_days: '' },
      ...{
        uploads_days: '',
        max_local_mb: '',
        enabled: 'false',
        interval_s: '',
        batch_size: '',
        max_kbps: '',
      },
    });
    expect(inheritedOf(policy, settingOf('telemetry_days'))).toBe(90);
    expect(inheritedOf(policy, settingOf('uploads_days'))).toBeNull();
    expect(inheritedOf(policy, settingOf('enabled'))).toBe(true);
    expect(inheritedOf(policy, settingOf('commands_poll_s'))).toBe(30);
  });

  it('changes nothing that nobody touched', () => {
    expect(changesOf(formOf(policy), policy)).toEqual({});
  });

  it('sets, and goes back to what holds otherwise where a field is emptied', () => {
    const form = {
      ...formOf(policy),
      ...{
        heartbeat_interval_s: '',
        telemetry_days: '',
        uploads_days: '14',
        enabled: 'true',
        batch_size: 200,
      },
    };
    expect(changesOf(form, policy)).toEqual({
      heartbeat_interval_s: null,
      retention: { telemetry_days: null, uploads_days: 14 },
      sync: { enabled: true, batch_size: 200 },
    });
    expect(changesOf({ ...formOf(policy), enabled: '' }, policy)).toEqual({ sync: { enabled: null } });
  });

  it('names fields that the platform would refuse', () => {
    const form = {
      ...formOf(policy),
      ...{
        heartbeat_interval_s: 0,
        commands_poll_s: 0.5,
        telemetry_days: 1.5,
        batch_size: 10_001,
        interval_s: 2.5,
      },
    };
    expect([...wrongIn(form)].sort()).toEqual([
      'batch_size',
      'commands_poll_s',
      'heartbeat_interval_s',
      'telemetry_days',
    ]);
    expect(wrongIn(formOf(policy)).size).toBe(0);
  });
});

describe('policyState', () => {
  it.each([
    [4, null, 'unsaid'],
    [4, 3, 'behind'],
    [4, 4, 'applied'],
    [4, 5, 'applied'],
  ] as const)('of revision %j with %j applied is %s', (revision, applied_revision, state) => {
    expect(policyState({ revision, applied_revision })).toBe(state);
  });
});
