import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ARTIFACT_CALLS,
  MLFLOW_CALLS,
  MLFLOW_ROOTS,
  PAGE_CALLS,
} from '../../../../api/http/routing/mlflow-routes.js';
import { ROLES, roleGrants } from '../../../../models/access/permission.rules.js';
import { startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { MlflowClient } from './mlflow-client.js';

const CALLS = [
  ...Object.entries(MLFLOW_CALLS).map(([call, permission]) => ({ part: 'mlflow', call, permission })),
  ...Object.entries(ARTIFACT_CALLS).map(([call, permission]) => ({
    part: 'mlflow-artifacts',
    call,
    permission,
  })),
  ...Object.entries(PAGE_CALLS).map(([call, permission]) => ({ part: null, call, permission })),
];
const RUN = 'f'.repeat(32);
const pathOf = (root: string, { part, call }: { part: string | null; call: string }) => {
  const [method = '', path = ''] = call.split(' ');
  const filled = path
    .replace(':model_id', `m-${RUN}`)
    .replace(':key', 'k')
    .replace('*path', `${RUN}/artifacts/x`);
  return { method, path: part === null ? `/tracker/${filled}` : `${root}/${part}/${filled}` };
};

describe('who may call the tracker', () => {
  let api: TestApi;
  let [ours, theirs] = [] as unknown as [TestTenant, TestTenant];
  beforeAll(async () => {
    api = await startTestApi();
    [ours, theirs] = [await api.addTenant(), await api.addTenant()];
  });
  afterAll(() => api.close());

  const statuses = async (token: string | null, root: string = MLFLOW_ROOTS[0]) => {
    const found = new Map<string, number>();
    for (const call of CALLS) {
      const { method, path } = pathOf(root, call);
      const { status, body } = await api.call(method, path, {
        token,
        ...(method === 'GET' ? {} : { json: {} }),
      });
      expect(Object.keys(body ?? {}).sort()).toEqual(
        status < 400 ? expect.anything() : ['error_code', 'message'],
      );
      found.set(call.call, status);
    }
    return found;
  };

  it.each(MLFLOW_ROOTS)('is nobody without a token, below %s', async (root) => {
    for (const token of [null, 'votr_nobody', api.admin.token])
      expect(new Set((await statuses(token, root)).values())).toEqual(new Set([401]));
  });

  it.each(ROLES)('%s: what the role grants and nothing else', async (role) => {
    const found = await statuses((await MlflowClient.of(api, ours, role)).token);
    for (const { call, permission } of CALLS)
      expect({ call, refused: found.get(call) === 403 }).toEqual({
        call,
        refused: !roleGrants(role, permission),
      });
    expect([...found.values()].filter((status) => status >= 500 && status !== 501)).toEqual([]);
  });

  it('reads alone with a token that only reads', async () => {
    const found = await statuses((await MlflowClient.of(api, ours, 'ADMIN', true)).token);
    for (const { call, permission } of CALLS)
      expect({ call, refused: found.get(call) === 403 }).toEqual({ call, refused: permission !== 'VIEW' });
  });

  it('takes the token as a password of Basic credentials too', async () => {
    const { token } = await MlflowClient.of(api, ours);
    const authorization = `Basic ${Buffer.from(`me:${token}`).toString('base64')}`;
    const path = `${MLFLOW_ROOTS[0]}/mlflow/experiments/search`;
    expect((await api.call('GET', path, { headers: { authorization } })).status).toBe(200);
  });

  it('shows nothing of another tenant, whatever is asked by id or name', async () => {
    const [mine, other] = [await MlflowClient.of(api, ours), await MlflowClient.of(api, theirs)];
    const experiment_id = await mine.experiment('secret/plan');
    const run_id = await mine.run(experiment_id, { run_name: 'secret run' });
    await mine.put(run_id, 'secret.txt', 'secret');
    const logged = (await mine.post('logged-models', { experiment_id, name: 'secret-model' })).body.model
      .info;
    await mine.artifact('PUT', `artifacts/models/${logged.model_id}/artifacts/MLmodel`, 'secret');
    const name = 'secret-registered';
    await mine.post('registered-models/create', { name });
    const source = `models:/${logged.model_id}`;
    expect((await mine.post('model-versions/create', { name, source })).status).toBe(200);
    const download = (await mine.get('model-versions/get-download-uri', { name, version: '1' })).body
      .artifact_uri;
    const root = (download as string).replace('mlflow-artifacts:/', '');

    const missing = [
      await other.get('experiments/get', { experiment_id }),
      await other.get('experiments/get-by-name', { experiment_name: 'secret/plan' }),
      await other.post('experiments/update', { experiment_id, new_name: 'x' }),
      await other.post('experiments/delete', { experiment_id }),
      await other.post('experiments/set-experiment-tag', { experiment_id, key: 'k', value: 'v' }),
      await other.post('runs/create', { experiment_id }),
      await other.get('runs/get', { run_id }),
      await other.post('runs/update', { run_id, status: 'FAILED' }),
      await other.post('runs/delete', { run_id }),
      await other.post('runs/log-metric', { run_id, key: 'k', value: 1, timestamp: 1 }),
      await other.post('runs/log-batch', { run_id, tags: [{ key: 'k', value: 'v' }] }),
      await other.get('metrics/get-history', { run_id, metric_key: 'k' }),
      await other.get('artifacts/list', { run_id }),
      await other.put(run_id, 'secret.txt', 'x'),
      await other.artifact('GET', `artifacts/${run_id}/artifacts/secret.txt`),
      await other.artifact('DELETE', `artifacts/${run_id}/artifacts/secret.txt`),
      await other.artifact('GET', `artifacts/models/${logged.model_id}/artifacts/MLmodel`),
      await other.artifact('GET', `artifacts/${root}/MLmodel`),
      await other.page(`get-artifact?run_id=${run_id}&path=secret.txt`),
      await other.page(`model-versions/get-artifact?name=${name}&version=1&path=MLmodel`),
      await other.page(
        `ajax-api/2.0/mlflow/logged-models/${logged.model_id}/artifacts/files?artifact_file_path=MLmodel`,
      ),
      await other.get(`logged-models/${logged.model_id}`),
      await other.post('logged-models', { experiment_id, name: 'x' }),
      await other.get('registered-models/get', { name }),
      await other.get('model-versions/get', { name, version: '1' }),
      await other.post('model-versions/transition-stage', { name, version: '1', stage: 'Staging' }),
    ];
    expect(missing.map(({ status }) => status)).toEqual(missing.map(() => 404));
    await other.post('registered-models/create', { name: 'theirs' });
    const taken = await other.post('model-versions/create', { name: 'theirs', source });
    expect(taken.status).toBe(404);
    const seen = [
      await other.post('experiments/search', { view_type: 'ALL' }),
      await other.post('runs/search', { experiment_ids: [experiment_id], run_view_type: 'ALL' }),
      await other.post('logged-models/search', { experiment_ids: [experiment_id] }),
      await other.get('registered-models/search'),
      await other.get('model-versions/search'),
      await other.post('experiments/search-datasets', { experiment_ids: [experiment_id] }),
    ];
    for (const { status, text } of seen) expect([status, text.includes('secret')]).toEqual([200, false]);
    expect((await mine.get('runs/get', { run_id })).body.run.info.status).toBe('RUNNING');
  });
});
