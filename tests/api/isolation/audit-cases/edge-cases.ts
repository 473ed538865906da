import { DATASET_FACTORY } from '../../datasets/support/dataset-factory.js';
import { DEVICE_FACTORY } from '../../edge/support/device-factory.js';
import { randomName } from '../../support/resource-factory.js';
import { type AuditedCase, type AuditPlace, onNew, type Prepare, type UnauditedCase } from './audit-case.js';

/** A call that the device itself makes. */
const byDevice =
  (json: Readonly<Record<string, unknown>> = {}): Prepare =>
  async (at) => {
    const { device_id = '', token = '' } = await at.make(DEVICE_FACTORY);
    return { values: { device_id }, json, raw: { headers: { 'x-edge-token': token } } };
  };

const deliveredCommand: Prepare = async (at) => {
  const { device_id = '', token = '' } = await at.make(DEVICE_FACTORY);
  const headers = { 'x-edge-token': token };
  const command = await at.call('POST', `/api/v1/edge/devices/${device_id}/commands`, { type: 'look' });
  await at.api.call('GET', '/api/v1/edge/commands', { headers });
  return { values: { command_id: command.id as string }, raw: { headers } };
};

const openedUpload = async (at: AuditPlace, size = 5) => {
  const { device_id = '', token = '' } = await at.make(DEVICE_FACTORY);
  const headers = { 'x-edge-token': token };
  const { dataset_id } = await at.make(DATASET_FACTORY);
  const made = await at.api.call('POST', '/api/v1/edge/uploads', {
    headers,
    json: { filename: 'a.png', size, dataset_id },
  });
  return { values: { device_id, upload_id: made.body.upload_id as string }, raw: { headers } };
};

export const EDGE_CASES: Readonly<Record<string, AuditedCase>> = {
  'POST /api/v1/edge/devices': { action: 'device.create', prepare: () => ({ json: { id: randomName() } }) },
  'PATCH /api/v1/edge/devices/{device_id}': {
    action: 'device.update',
    prepare: onNew(DEVICE_FACTORY, { location: 'Roof' }),
  },
  'DELETE /api/v1/edge/devices/{device_id}': {
    action: 'device.delete',
    // One that has sent nothing: records go in transactions of their own.
    prepare: async (at) => {
      const { id = '' } = await at.call('POST', '/api/v1/edge/devices', { id: randomName() });
      return { values: { device_id: id } };
    },
  },
  'POST /api/v1/edge/devices/{device_id}/token:rotate': {
    action: 'device.token_rotate',
    prepare: onNew(DEVICE_FACTORY),
  },
  'POST /api/v1/edge/devices/{device_id}/token:revoke': {
    action: 'device.token_revoke',
    prepare: onNew(DEVICE_FACTORY),
  },
  'PATCH /api/v1/edge/devices/{device_id}/token:scopes': {
    action: 'device.token_scopes',
    prepare: onNew(DEVICE_FACTORY, { scopes: [] }),
  },
  'POST /api/v1/edge/devices/{device_id}/offline': {
    action: 'device.block',
    prepare: onNew(DEVICE_FACTORY, { blocked: true }),
  },
  'PUT /api/v1/edge/devices/{device_id}/policy': {
    action: 'device.policy',
    prepare: onNew(DEVICE_FACTORY, { heartbeat_interval_s: 5 }),
  },
  'POST /api/v1/edge/devices/{device_id}/commands': {
    action: 'device.command',
    prepare: onNew(DEVICE_FACTORY),
  },
  'POST /api/v1/edge/devices/{device_id}/restart': {
    action: 'device.command',
    prepare: onNew(DEVICE_FACTORY),
  },
  'POST /api/v1/edge/register': { action: 'device.register', prepare: byDevice({ os: 'another' }) },
};

export const UNAUDITED_EDGE_CASES: Readonly<Record<string, UnauditedCase>> = {
  'POST /api/v1/edge/telemetry': {
    because: 'telemetry',
    prepare: byDevice({ records: [{ kind: 'temperature' }] }),
  },
  'POST /api/v1/edge/inference': {
    because: 'inference',
    prepare: byDevice({ records: [{ model_name: 'm', version: 1 }] }),
  },
  'POST /api/v1/edge/commands/{command_id}:ack': {
    because: 'what a device says of a command',
    prepare: deliveredCommand,
  },
  'PUT /api/v1/edge/uploads/{upload_id}/chunks/{index}': {
    because: 'chunk bytes',
    prepare: async (at) => {
      const { values, raw } = await openedUpload(at);
      return {
        values: { ...values, index: '0' },
        raw: {
          body: Buffer.from('12345'),
          headers: { ...raw.headers, 'content-type': 'application/octet-stream' },
        },
      };
    },
  },
  'POST /api/v1/edge/uploads': {
    because: 'one row is written at the end, for the session',
    prepare: async (at) => {
      const { dataset_id } = await at.make(DATASET_FACTORY);
      return byDevice({ filename: 'a.png', size: 5, dataset_id })(at);
    },
  },
  'POST /api/v1/edge/uploads/{upload_id}:complete': {
    because: 'one row is written at the end, for the session',
    prepare: async (at) => {
      const { values, raw } = await openedUpload(at, 0);
      return { values, raw };
    },
  },
  'POST /api/v1/edge/heartbeat': { because: 'heartbeats', prepare: byDevice() },
};
