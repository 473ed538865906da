import { randomUUID } from 'node:crypto';
import { randomName, type ResourceFactory } from '../../support/resource-factory.js';

/** A device that has come once, for the isolation suite. */
export const DEVICE_FACTORY: ResourceFactory = {
  prefix: '/api/v1/edge/devices/',
  async create({ api, tenant, user, canary }) {
    const device_id = randomName();
    const person = { token: user.token, tenant: tenant.code };
    const made = await api.call('POST', '/api/v1/edge/devices', {
      ...person,
      json: { id: device_id, location: canary },
    });
    const headers = { 'x-edge-token': made.body.token as string };
    await api.call('POST', '/api/v1/edge/register', { headers, json: { os: canary, sdk_version: canary } });
    await api.call('POST', '/api/v1/edge/heartbeat', {
      headers,
      json: { cpu: 1, payload: { text: canary } },
    });
    return { device_id, token: made.body.token as string };
  },
  random: () => ({ device_id: `d-${randomUUID()}` }),
};

/** The same below the streams. */
export const DEVICE_STREAM_FACTORY: ResourceFactory = { ...DEVICE_FACTORY, prefix: '/api/v1/stream/edge/' };
