import { PlatformClient } from '../../setup/platform-client.js';
import { PlayedDevice } from './played-device.js';

/** A person of the tenant `demo` who may look and change nothing. */
export const VIEWER = { email: 'viewer@example.com', password: 'a long enough 1 phrase' };

/** Another, who runs what is there and makes no new images. */
export const OPERATOR = { email: 'operator@example.com', password: 'a long enough 2 phrase' };

/** A thing of each kind that has a page, beside what the sample left. Names are those of the parts of addresses. */
export interface Things {
  readonly datasetId: string;
  readonly sourceId: string;
  readonly experimentId: string;
  readonly runId: string;
  /** That of a tracker experiment, with few points. */
  readonly otherRunId: string;
  readonly name: string;
  readonly version: string;
  readonly promotionId: string;
  readonly endpoint: string;
  readonly deviceId: string;
  readonly deploymentId: string;
  readonly tenantId: string;
  readonly deletionId: string;
}

export async function makeThings(admin: PlatformClient, sourceUrl: string): Promise<Things> {
  const first = async (path: string) => (await admin.expect(200, 'GET', path)).body.items[0];
  const make = async (path: string, json: unknown, status = 201) =>
    (await admin.expect(status, 'POST', path, { json })).body;
  const training = await first('/api/v1/training/experiments?q=digits-sample');
  const promotion = await first('/api/v1/promotions');
  await make(`/api/v1/runs/${training.tracker_run_id}/register`, { model_name: 'digits' });
  const source = await make('/api/v1/external-sources', {
    name: 'Archive',
    base_url: sourceUrl,
    token: 'a-secret',
  });
  const tenant = await make('/api/v1/settings/tenants', { code: 'lab', name: 'Laboratory' });
  const doomed = await make('/api/v1/settings/tenants', { code: 'doomed', name: 'Doomed' });
  const deletion = await make(
    `/api/v1/settings/tenants/${doomed.id}/deletion`,
    { confirm_code: 'doomed' },
    202,
  );
  await make('/api/v1/system/users/create', { ...VIEWER, tenant_code: 'demo', role: 'VIEWER' }, 200);
  await make('/api/v1/system/users/create', { ...OPERATOR, tenant_code: 'demo', role: 'OPERATOR' }, 200);
  const otherRunId = await trackedRun(admin);
  const deviceId = await reportingDevice(admin);
  const deployment = await make('/api/v1/deployments', {
    ...{ model_name: 'digits', version: 1, target_device_id: deviceId },
    rollback_on: [{ metric: 'error_rate', op: '>', value: 0.1, for: '15m' }],
  });
  return {
    datasetId: 'digits-sample',
    sourceId: source.id,
    experimentId: training.id,
    runId: training.tracker_run_id,
    otherRunId,
    name: 'digits',
    version: '1',
    promotionId: promotion.id,
    endpoint: 'digits',
    deviceId,
    deploymentId: deployment.id,
    tenantId: tenant.id,
    deletionId: deletion.id,
  };
}

/** As a notebook logs it. */
async function trackedRun(admin: PlatformClient): Promise<string> {
  const access = { kind: 'tracker', tenant_code: 'demo', name: 'browser' };
  const { token } = (await admin.expect(201, 'POST', '/users/me/tokens', { json: access })).body;
  const notebook = new PlatformClient(admin.baseUrl, token);
  const log = async (call: string, json: object) =>
    (await notebook.expect(200, 'POST', `/tracker/api/2.0/mlflow/${call}`, { json })).body;
  const { experiment_id } = await log('experiments/create', { name: 'notebooks/digits' });
  const { run } = await log('runs/create', { experiment_id, run_name: 'by hand', start_time: Date.now() });
  const { run_id } = run.info;
  const metrics = Array.from({ length: 10 }, (_, step) => ({
    ...{ key: 'train/loss', step: step + 1, timestamp: Date.now(), value: 1 / (step + 1) },
  }));
  await log('runs/log-batch', { run_id, metrics, params: [{ key: 'epochs', value: '10' }] });
  await log('runs/update', { run_id, status: 'FINISHED', end_time: Date.now() });
  return run_id;
}

/** It reports, measures, predicts, begins to send a picture, and has a command before it. */
async function reportingDevice(admin: PlatformClient): Promise<string> {
  const id = 'line-3-camera';
  const device = await PlayedDevice.register(admin, { id, location: 'Hall 3' });
  const containers = [{ name: 'digits', image: 'digits:1', status: 'running' }];
  const ages = Array.from({ length: 12 }, (_, number) => number);
  const ts = (age: number) => new Date(Date.now() - age * 60_000).toISOString();
  await device.send('register', { os: 'linux arm64', sdk_version: 'visionops-device/0.2.0' });
  for (const age of ages)
    await device.send('heartbeat', {
      ...{ cpu: 12 + age, mem: 41, disk: 92, policy_revision: 1, payload: { containers } },
    });
  await device.send('telemetry', {
    records: ages.map((age) => ({ kind: 'temperature', ts: ts(age), data: { celsius: 41 - age / 10 } })),
  });
  await device.send('inference', {
    records: ages.map((age) => ({
      ...{ model_name: 'digits', version: 1, prediction_id: `p-${age}`, ts: ts(age) },
      ...{ confidence: 0.93, latency_ms: 12, result: { label: String(age % 10) } },
    })),
  });
  await device.send('uploads', {
    ...{ filename: 'unsure/0.png', size: 200_000, chunk_size: 65_536, kind: 'image' },
    meta: { prediction_id: 'p-0' },
  });
  const command = { type: 'collect-logs', args: { lines: 100 }, expires_in_s: 3600 };
  await admin.expect(201, 'POST', `/api/v1/edge/devices/${id}/commands`, { json: command });
  return id;
}
