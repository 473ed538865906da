import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/test-api.js';
import { EdgeKit, within } from './support/edge-kit.js';

describe('devices and their policies', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  it('read their policy again, and store by it, once their tenant keeps records for another time', async () => {
    const other = await api.addTenant();
    const kitOf = new EdgeKit(api, other);
    const device = await kitOf.device();
    let sent = 0;
    const send = () => {
      sent += 1;
      return device.call('POST', '/telemetry', { json: { records: [{ kind: 'heat', data: { sent } }] } });
    };
    const settle = (json: object) =>
      api.call('PATCH', `/api/v1/settings/tenants/${other.id}`, { token: api.admin.token, json });
    expect((await send()).status).toBe(200);
    expect((await settle({ retention: { telemetry: 7 } })).status).toBe(200);
    const config = await device.call('GET', '/config');
    expect(config.body).toMatchObject({ revision: 2, retention: { telemetry_days: 7 } });
    const classes = () =>
      kitOf.rows<{ days: number }>(
        'select distinct kept_days as days from telemetry where tenant_id = $1 order by 1',
        [other.id],
      );
    expect(
      await within(1000, async () => (await send()).status === 200 && (await classes()).length > 1),
    ).toBe(true);
    expect(await classes()).toEqual([{ days: 0 }, { days: 7 }]);
    await settle({ name: 'Other', retention: { telemetry: 7 } });
    expect((await device.call('GET', '/config')).body.revision).toBe(2);
  });

  it('follow a policy of revisions, with what the tenant and the defaults say', async () => {
    const other = await api.addTenant();
    await api.call('PATCH', `/api/v1/settings/tenants/${other.id}`, {
      token: api.admin.token,
      json: { retention: { telemetry: 30, inference: 90 } },
    });
    const kitOf = new EdgeKit(api, other);
    const device = await kitOf.device();
    const put = (json: object) => kitOf.call('PUT', `/devices/${device.id}/policy`, { json });
    const changed = await put({
      ...{ heartbeat_interval_s: 5, retention: { telemetry_days: 3, note: 'kept' }, sync: { batch_size: 9 } },
    });
    expect(changed.body).toMatchObject({
      ...{ revision: 2, heartbeat_interval_s: 5, commands_poll_s: 30 },
      retention: { telemetry_days: 3, note: 'kept' },
      effective: { retention: { telemetry_days: 3, inference_days: 90, uploads_days: null } },
      inherited: {
        ...{ heartbeat_interval_s: 30, commands_poll_s: 30, sync: { batch_size: 500 } },
        retention: { telemetry_days: 30, inference_days: 90, uploads_days: null, max_local_mb: 512 },
      },
    });
    expect((await put({ commands_poll_s: 7 })).body).toMatchObject({ revision: 3, heartbeat_interval_s: 5 });
    expect(
      (await put({ heartbeat_interval_s: null, retention: { telemetry_days: null } })).body,
    ).toMatchObject({
      ...{ revision: 4, heartbeat_interval_s: 30, retention: { note: 'kept' } },
      effective: { retention: { telemetry_days: 30 } },
    });
    for (const bad of [
      { heartbeat_interval_s: 0 },
      { commands_poll_s: 'x' },
      { retention: { telemetry_days: 0.5 } },
    ])
      expect((await put(bad)).status).toBe(422);
    const config = await device.call('GET', '/config?applied_revision=3');
    expect(config.body).toMatchObject({
      ...{ device_id: device.id, revision: 4, commands_poll_s: 7 },
      sync: { enabled: true, batch_size: 9 },
    });
    expect((await kitOf.call('GET', `/devices/${device.id}/policy`)).body.applied_revision).toBe(3);
    await device.call('POST', '/heartbeat', { json: { policy_revision: 4 } });
    const stated = async () => (await device.call('POST', '/heartbeat', { json: {} })).body.policy_revision;
    expect(await stated()).toBe(4);
    expect((await kitOf.read(device.id)).policy.applied_revision).toBe(4);
    await put({ commands_poll_s: 8 });
    expect(await within(1000, async () => (await stated()) === 5)).toBe(true);
  });
});
