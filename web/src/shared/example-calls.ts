import type { CurlCall } from './call-lines';

const post = (path: string, body?: unknown): CurlCall => ({
  method: 'POST',
  path,
  ...(body === undefined ? {} : { body }),
});

/** What the lines of empty pages do; each is a call that the API takes as it stands. */
export const EXAMPLE_CALLS = {
  dataset: post('/api/v1/datasets', { id: 'scratches', name: 'Scratches' }),
  source: post('/api/v1/external-sources', { name: 'Archive', base_url: 'https://archive.example.org' }),
  training: post('/api/v1/training/experiments', {
    task: 'classification',
    framework: 'sklearn',
    model: 'mlp',
    dataset_id: 'digits-sample',
  }),
  model: post('/api/v1/runs/0123456789abcdef0123456789abcdef/register', { model_name: 'digits' }),
  promotion: post('/api/v1/models/digits/2/promote', { to_version: 2, reason: 'Better on sevens.' }),
  image: post('/api/v1/models/digits/1/image'),
  endpoint: post('/api/v1/serving/endpoints', {
    name: 'digits',
    image_id: '01234567-89ab-4def-8123-456789abcdef',
  }),
  device: post('/api/v1/edge/devices', { id: 'line-3-camera', location: 'Hall 3' }),
  deployment: post('/api/v1/deployments', { model_name: 'digits', version: 1 }),
  tenant: post('/api/v1/settings/tenants', { code: 'north', name: 'North plant' }),
  token: post('/users/me/tokens', {
    kind: 'tracker',
    tenant_code: 'demo',
    name: 'notebook',
    expires_in_days: 90,
  }),
} as const satisfies Readonly<Record<string, CurlCall>>;
