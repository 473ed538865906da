import type { PlatformClient } from '../setup/platform-client.js';

const READS = [
  '/users/me',
  '/users/me/sessions',
  '/users/me/tokens',
  '/api/v1/tenants',
  '/api/v1/settings/tenants',
  '/api/v1/settings/tenants/deletions',
  '/api/v1/settings/features',
  '/api/v1/system/users',
  '/api/v1/system/audit',
  '/api/v1/system/health',
  '/api/v1/notifications',
  '/api/v1/notifications/preferences',
  '/api/v1/external-sources',
  '/api/v1/datasets',
  '/api/v1/datasets/grey',
  '/api/v1/datasets/grey/files',
  '/api/v1/datasets/grey/usage',
  '/api/v1/datasets/followed/syncs',
  '/api/v1/training/datasets',
  '/api/v1/training/experiments',
  '/api/v1/experiments/tree',
  '/api/v1/models',
  '/api/v1/models/summary',
  '/api/v1/models/greys/versions',
  '/api/v1/models/greys/1/download',
  '/api/v1/registry/images',
  '/api/v1/serving/endpoints',
  '/api/v1/serving/endpoints/greys',
];

export async function mainReads(client: PlatformClient): Promise<void> {
  for (const path of READS) await client.expect(200, 'GET', path);
  const { body } = await client.expect(200, 'GET', '/api/v1/training/experiments');
  for (const { id } of body.items)
    for (const part of ['', '/steps', '/log', '/metrics?keys=train/loss'])
      await client.expect(200, 'GET', `/api/v1/training/experiments/${id}${part}`);
}

/** People, a dataset from nothing to its deletion with a validation by the worker, and a training that is cancelled. */
export async function mainWrites(client: PlatformClient): Promise<void> {
  const change = (status: number, method: string, path: string, json?: unknown) =>
    client.expect(status, method, path, json === undefined ? {} : { json });
  const person = { email: 'late@example.com', password: 'a long enough 1 phrase' };
  const registered = await change(201, 'POST', '/auth/register', person);
  await change(200, 'PATCH', `/api/v1/system/users/${registered.body.id}/role`, {
    tenant_code: 'shop',
    role: 'ML_ENGINEER',
  });
  await change(200, 'PATCH', '/users/me', { full_name: 'Root' });
  await change(201, 'POST', '/api/v1/datasets', { id: 'late', name: 'Late' });
  await client.expect(201, 'POST', '/api/v1/datasets/late/files', {
    file: { name: 'a.csv', bytes: Buffer.from('a,b\n1,2\n') },
  });
  await client.until('/api/v1/datasets/late', ({ status }) => status === 'FROZEN');
  await change(200, 'PATCH', '/api/v1/datasets/late', { description: 'Written by the version before.' });
  const training = await change(202, 'POST', '/api/v1/training/experiments', {
    task: 'classification',
    framework: 'sklearn',
    model: 'mlp',
    dataset_id: 'grey',
    hyperparameters: 'epochs: 2000\nhidden: 1024\n',
  });
  const path = `/api/v1/training/experiments/${training.body.id}`;
  await client.until(path, ({ status }) => status === 'RUNNING');
  await change(202, 'POST', `${path}/cancel`);
  await client.until(path, ({ status }) => status === 'CANCELED');
  await change(200, 'DELETE', path);
  await change(204, 'DELETE', '/api/v1/datasets/late');
}
