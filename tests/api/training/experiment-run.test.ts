import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { issueJobToken } from '../../../core/security/job-token.js';
import { openRunForJob } from '../../../models/tracker/run.commands.js';
import { end } from '../../../models/training/experiment-state.commands.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

describe('the run of an experiment', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let token: string;
  let id: string;
  let runId: string;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    token = (await api.addUser({ [tenant.code]: 'ML_ENGINEER' })).token;
    const store = openObjectStore(api.container.settings);
    await freezeDataset(
      api.container.db,
      store,
      tenant.id,
      'grey',
      ['0', '1'].map((label) => ({ path: `${label}/a.png`, bytes: Buffer.from(label) })),
    );
    await store.close();
    const config = {
      ...{ task: 'classification', framework: 'sklearn', model: 'knn', dataset_id: 'grey' },
      evaluation: { enabled: false },
    };
    const { body } = await call('POST', '/experiments', { ...config, experiment_name: 'shop/alpha' });
    [id, runId] = [body.id, body.tracker_run_id];
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) => openRunForJob(tx, runId));
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/training${path}`, {
      token,
      tenant: tenant.code,
      ...(json === undefined ? {} : { json }),
    });
  const job = (claims: { runId: string; attempt: number }) => ({
    token: issueJobToken(api.container.settings.SERVICE_SECRET_KEYS, { tenantId: tenant.id, ...claims }),
  });
  const put = (path: string, body: string) =>
    api.call('PUT', `/tracker/api/2.0/mlflow-artifacts/artifacts/${runId}/artifacts/${path}`, {
      ...job({ runId, attempt: 1 }),
      body,
    });

  it('is linked to as MLflow finds it', async () => {
    const { status, body } = await call('GET', `/experiments/${id}/mlflow`);
    const base = api.container.settings.SERVICE_BASE_URL.replace(/\/+$/, '');
    expect([status, body]).toEqual([
      200,
      {
        experiment_id: id,
        attempt: 1,
        run_id: runId,
        tracker_experiment_id: expect.stringMatching(/^\d+$/),
        tracker_experiment_name: 'shop/alpha',
        tracking_uri: `${base}/tracker`,
        url: `${base}/tracker/api/2.0/mlflow/runs/get?run_id=${runId}`,
        artifact_uri: `mlflow-artifacts:/${runId}/artifacts`,
        api_url: `${base}/api/v1/runs/${runId}`,
        attempts: [{ attempt: 1, run_id: runId, status: 'RUNNING', started_at: expect.any(String) }],
      },
    ]);
    const made = await api.call('POST', '/users/me/tokens', {
      token,
      json: { kind: 'tracker', tenant_code: tenant.code, name: 'laptop' },
    });
    const { pathname, search } = new URL(body.url);
    const found = await api.call('GET', `${pathname}${search}`, { token: made.body.token });
    expect([found.status, found.body.run.info.run_id, found.body.run.info.experiment_id]).toEqual([
      200,
      runId,
      body.tracker_experiment_id,
    ]);
    expect((await call('GET', `/experiments/${runId.slice(0, 8)}/mlflow`)).status).toBe(422);
  });

  it('lists its artifacts one level at a time, and sends a file as it is and a folder as a ZIP', async () => {
    await put('model/MLmodel', 'flavors: {}');
    await put('model/data/weights', 'abc');
    await put('metrics.json', '{"a": 1}');
    const root = (await call('GET', `/experiments/${id}/artifacts`)).body;
    expect([root.run_id, root.total, root.items.map((item: { path: string }) => item.path)]).toEqual([
      runId,
      2,
      expect.arrayContaining(['model', 'metrics.json']),
    ]);
    const level = (await call('GET', `/experiments/${id}/artifacts?path=/model/`)).body;
    expect(level).toMatchObject({ path: 'model', total: 2 });
    const file = await call('GET', `/experiments/${id}/artifacts/download?path=metrics.json`);
    expect([file.status, file.text, file.headers.get('content-disposition')]).toEqual([
      200,
      '{"a": 1}',
      expect.stringMatching(/^attachment; .*metrics\.json/),
    ]);
    const part = await api.call(
      'GET',
      `/api/v1/training/experiments/${id}/artifacts/download?path=metrics.json`,
      { token, tenant: tenant.code, headers: { range: 'bytes=1-3' } },
    );
    expect([part.status, part.text]).toEqual([206, '"a"']);
    const folder = await call('GET', `/experiments/${id}/artifacts/download?path=model`);
    expect([folder.status, folder.headers.get('content-type'), folder.text.slice(0, 2)]).toEqual([
      200,
      'application/zip',
      'PK',
    ]);
    expect(folder.text).toContain('model/data/weights');
    expect(folder.text).not.toContain('metrics.json');
  });

  it('refuses paths that lead elsewhere, and finds nothing where nothing is', async () => {
    for (const path of ['../x', 'model/../../x', 'a//b', 'a\\b', 'a%00b'])
      for (const of of ['artifacts', 'artifacts/download'])
        expect((await call('GET', `/experiments/${id}/${of}?path=${path}`)).status).toBe(422);
    expect((await call('GET', `/experiments/${id}/artifacts?path=none`)).status).toBe(404);
    expect((await call('GET', `/experiments/${id}/artifacts/download?path=none`)).status).toBe(404);
    const other = '00000000-0000-4000-8000-000000000000';
    for (const of of ['artifacts', 'artifacts/download', 'checkpoints', 'mlflow'])
      expect((await call('GET', `/experiments/${other}/${of}`)).status).toBe(404);
  });

  it('has checkpoints with epoch, size and metrics, and says from which a retry goes on', async () => {
    expect((await call('GET', `/experiments/${id}/checkpoints`)).body).toEqual({ items: [], total: 0 });
    await put('checkpoints/latest.skops', 'state');
    const at = (key: string, step: number, value: number) => ({ key, step, value, timestamp: step });
    await api.call('POST', '/tracker/api/2.0/mlflow/runs/log-batch', {
      ...job({ runId, attempt: 1 }),
      json: {
        run_id: runId,
        metrics: [
          ...[1, 2, 3].map((step) => at('train/loss', step, 1 / step)),
          at('system/progress', 2, 0.4),
          at('system/checkpoint', 2, 2),
        ],
      },
    });
    const [running] = (await call('GET', `/experiments/${id}/checkpoints`)).body.items;
    expect(running).toMatchObject({
      ...{ attempt: 1, run_id: runId, path: 'checkpoints/latest.skops', epoch: 2, size_bytes: 5 },
      metrics: { 'train/loss': 0.5 },
      resumable: false,
    });
    const ref = { tenantId: tenant.id, experimentId: id, attempt: 1 };
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) => end(tx, ref, 'FAILED', 'It failed.'));
    expect((await call('GET', `/experiments/${id}/checkpoints`)).body.items[0].resumable).toBe(true);
  });
});
