import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { createExportActivities } from '../../../activities/training/export/export.activities.js';
import { asTenantId } from '../../../core/security/ids.js';
import { issueJobToken } from '../../../core/security/job-token.js';
import { closeRun, openRunForJob } from '../../../models/tracker/run.commands.js';
import { exportWorkloadId } from '../../../models/training/export/export-state.rules.js';
import { jobSettings } from '../../../models/training/jobs/job-spec.js';
import type { StoredSpec } from '../../../models/workloads/workload.types.js';
import { findWorkload } from '../../../models/workloads/workload.queries.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

/** The activities as the worker has them, called one by one; what the program would send comes with its own job token. */
describe('exports of trained models', () => {
  let api: TestApi;
  let store: ReturnType<typeof openObjectStore>;
  let tenant: TestTenant;
  let token: string;

  beforeAll(async () => {
    api = await startTestApi();
    store = openObjectStore(api.container.settings);
    tenant = await api.addTenant();
    token = (await api.addUser({ [tenant.code]: 'ML_ENGINEER' })).token;
    const files = ['0', '1'].flatMap((label) =>
      Array.from({ length: 20 }, (_, at) => ({ path: `${label}/${at}.png`, bytes: Buffer.from(label + at) })),
    );
    await freezeDataset(api.container.db, store, tenant.id, 'grey', files);
  });
  afterAll(async () => {
    await store.close();
    await api.close();
  });

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/training/experiments${path}`, {
      token,
      tenant: tenant.code,
      ...(json === undefined ? {} : { json }),
    });
  const job = (runId: string) => ({
    token: issueJobToken(api.container.settings.SERVICE_SECRET_KEYS, {
      ...{ tenantId: tenant.id, runId, attempt: 1 },
    }),
  });
  const put = (runId: string, path: string, body: string) =>
    api.call('PUT', `/tracker/api/2.0/mlflow-artifacts/artifacts/${runId}/artifacts/${path}`, {
      ...job(runId),
      body,
    });
  const activities = () =>
    createExportActivities({
      database: api.container.db,
      objects: store,
      job: jobSettings(api.container.settings),
    });
  const inTenant: TestApi['container']['db']['inTenant'] = (id, work) => api.container.db.inTenant(id, work);
  const inActivity = <T>(work: () => Promise<T>): Promise<T> => new MockActivityEnvironment().run(work);

  /** An experiment of a framework that exports, as its training left it. */
  async function trained(status = 'SUCCEEDED', framework = 'torchvision'): Promise<[string, string]> {
    const config = {
      ...{ task: 'classification', framework: 'sklearn', model: 'knn', dataset_id: 'grey' },
      evaluation: { enabled: false },
    };
    const { id, tracker_run_id: runId } = (await call('POST', '', config)).body;
    await inTenant(asTenantId(tenant.id), (tx) => openRunForJob(tx, runId));
    await put(runId, 'model/MLmodel', 'flavors');
    await put(runId, 'export/export.json', '{"formats": []}');
    await inTenant(asTenantId(tenant.id), (tx) => closeRun(tx, runId, 'FINISHED'));
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        "update training_experiment set status = $2, framework = $3, licence = 'AGPL-3.0' where id = $1",
        [...[id, status, framework]],
      ),
    );
    return [id, runId];
  }

  it('run as a job of the framework, and keep what it made with the run', async () => {
    const [id, runId] = await trained();
    const asked = await call('POST', `/${id}/export`, { formats: ['onnx', 'torchscript'] });
    expect([asked.status, asked.body]).toMatchObject([
      202,
      {
        ...{
          status: 'QUEUED',
          experiment_id: id,
          run_id: runId,
          formats: ['onnx', 'torchscript'],
          results: [],
        },
        licence: 'AGPL-3.0',
      },
    ]);
    const ref = { tenantId: tenant.id, exportId: asked.body.id as string, attempt: 1 };
    const again = await call('POST', `/${id}/export`, {});
    expect([again.status, again.body.detail]).toEqual([409, { export_id: asked.body.id }]);
    expect((await call('DELETE', `/${id}`)).status).toBe(409);

    const work = activities();
    expect((await put(runId, 'export/model.onnx', 'early')).status).toBe(401);
    expect(await work.beginExport(ref)).toBe(true);
    expect(await work.beginExport(ref)).toBe(true);
    await inActivity(() => work.startExportJob(ref));
    await inActivity(() => work.startExportJob(ref));
    const name = exportWorkloadId(ref.exportId, 1);
    const [row] = await api.container.db.inPlatform((tx) =>
      tx.query<{ kind: string; spec: StoredSpec }>('select kind, spec from workload where name = $1', [name]),
    );
    expect(row).toMatchObject({
      kind: 'export',
      spec: { runtime: 'torchvision', entrypoint: 'export_model.py' },
    });
    const paths = row?.spec.downloads.map(({ path }) => path) ?? [];
    expect(paths.slice(0, 2)).toEqual(['model/MLmodel', 'export/export.json']);
    expect(paths.filter((path) => /^examples\/\d\d\.png$/.test(path))).toHaveLength(24);
    expect(await work.lookAtExport(ref)).toBeNull();
    expect((await call('GET', `/${id}/exports`)).body).toMatchObject({
      ...{
        total: 1,
        items: [
          { licence: 'AGPL-3.0', status: 'RUNNING', status_message: expect.stringContaining('Waiting') },
        ],
      },
    });
    // The run takes files again, and stays what it was.
    const run = () => api.call('GET', `/api/v1/runs/${runId}`, { token, tenant: tenant.code });
    expect((await run()).body.status).toBe('FINISHED');
    expect((await put(runId, 'export/model.onnx', 'bytes')).status).toBe(200);
    const entry = {
      format: 'onnx',
      available: true,
      reason: null,
      file: 'model.onnx',
      sha256: 'a'.repeat(64),
    };
    const compared = { max_difference: 0.001, tolerance: 0.01, compared_images: 8 };
    const refused = { format: 'torchscript', available: false, reason: 'RuntimeError: no script' };
    await put(
      runId,
      'export/export.json',
      JSON.stringify({ labels: [], formats: [{ ...entry, ...compared }, refused] }),
    );
    const end = await inActivity(() => work.collectExport(ref));
    expect(end).toEqual({
      status: 'SUCCEEDED',
      message: 'Wrote onnx. Not written: torchscript: RuntimeError: no script',
    });
    await work.endExport(ref, end);
    await work.endExport(ref, { status: 'FAILED', message: 'Later.' });
    await work.removeExportJob(ref);
    expect(await inTenant(asTenantId(tenant.id), (tx) => findWorkload(tx, name))).toBeNull();
    expect((await call('GET', `/${id}/exports`)).body.items[0]).toMatchObject({
      status: 'SUCCEEDED',
      finished_at: expect.any(String),
      results: [
        { format: 'onnx', available: true, path: 'export/model.onnx', ...compared },
        { format: 'torchscript', available: false, path: null, reason: 'RuntimeError: no script' },
      ],
    });
    expect((await put(runId, 'export/model.onnx', 'late')).status).toBe(401);
    expect((await run()).body.status).toBe('FINISHED');
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
  });

  it('fail when nothing could be written, or the report is not one', async () => {
    const [id, runId] = await trained();
    for (const report of ['no json', '{"formats": [{"format": "onnx", "available": true}]}', '[]']) {
      const ref = {
        tenantId: tenant.id,
        exportId: (await call('POST', `/${id}/export`, {})).body.id,
        attempt: 1,
      };
      const work = activities();
      await work.beginExport(ref);
      await put(runId, 'export/export.json', report);
      const end = await inActivity(() => work.collectExport(ref));
      expect(end).toEqual({
        status: 'FAILED',
        message: expect.stringMatching(/^No format could be written. onnx: Its program reported nothing/),
      });
      await work.endExport(ref, end);
    }
    expect((await call('GET', `/${id}/exports`)).body).toMatchObject({ total: 3 });
  });

  it('are canceled, once, while they are under way', async () => {
    const [id] = await trained();
    expect((await call('POST', `/${id}/export/cancel`)).status).toBe(409);
    const { id: exportId } = (await call('POST', `/${id}/export`, {})).body;
    const canceled = await call('POST', `/${id}/export/cancel`);
    expect([canceled.status, canceled.body.status_message]).toEqual([202, 'Canceling.']);
    expect((await call('POST', `/${id}/export/cancel`)).status).toBe(202);
    const [asked] = await api.container.db.inPlatform((tx) =>
      tx.query<{ n: number }>(
        "select count(*)::int as n from dispatch where workflow_id = $1 and kind = 'cancel'",
        [`export:${tenant.id}:${exportId}:1`],
      ),
    );
    expect(asked?.n).toBe(1);
    const ref = { tenantId: tenant.id, exportId, attempt: 1 };
    await activities().endExport(ref, { status: 'CANCELED', message: 'Canceled on request.' });
    expect(await activities().beginExport(ref)).toBe(false);
    expect((await call('POST', `/${id}/export/cancel`)).status).toBe(409);
  });

  it('are refused for what cannot be exported, with the reason', async () => {
    const [running] = await trained('RUNNING');
    expect((await call('POST', `/${running}/export`, {})).body).toMatchObject({
      ...{ code: 'conflict', message: expect.stringContaining('RUNNING') },
    });
    const [table] = await trained('SUCCEEDED', 'sklearn');
    const none = await call('POST', `/${table}/export`, {});
    expect([none.status, none.body.detail[0].msg]).toEqual([
      422,
      expect.stringContaining('exports no models'),
    ]);
    const [id, runId] = await trained();
    const places = async (json: unknown) => {
      const { status, body } = await call('POST', `/${id}/export`, json);
      return [status, body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))];
    };
    expect(await places({ formats: ['tensorrt'] })).toEqual([422, ['body.formats']]);
    expect(await places({ formatz: ['onnx'] })).toEqual([422, ['body.formatz']]);
    expect(await places({ half: true })).toEqual([422, ['body.enabled']]);
    expect((await call('POST', `/${id}/export`, { formats: ['pickle'] })).status).toBe(422);
    expect((await api.call('DELETE', `/api/v1/runs/${runId}`, { token, tenant: tenant.code })).status).toBe(
      204,
    );
    expect((await call('POST', `/${id}/export`, {})).body.message).toMatch(/no stored model/);
    expect((await call('POST', `/${tenant.id}/export`, {})).status).toBe(404);
  });
});
