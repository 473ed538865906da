import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { unavailable } from '../../../core/errors/app-error.js';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import { asTenantId } from '../../../core/security/ids.js';
import { issueJobToken } from '../../../core/security/job-token.js';
import { LAST_WRITES_S } from '../../../models/objects/orphaned-object.commands.js';
import { closeRun, openRunForJob } from '../../../models/tracker/run.commands.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import {
  type Answer,
  type CallOptions,
  startTestApi,
  type TestApi,
  type TestTenant,
  type TestUser,
} from '../support/test-api.js';

const BATCH = '/tracker/api/2.0/mlflow/runs/log-batch';
const metric = (over: Record<string, unknown> = {}) => ({
  key: 'train/loss',
  value: 0.5,
  timestamp: 1_700_000_000_000,
  step: 1,
  ...over,
});

describe('what a job sends with its token', () => {
  let api: TestApi;
  let store: ManagedObjectStore;
  let tenant: TestTenant;
  let user: TestUser;
  let runId: string;
  let experimentId: string;

  beforeAll(async () => {
    api = await startTestApi();
    store = openObjectStore(api.container.settings);
    tenant = await api.addTenant();
    user = await api.addUser({ [tenant.code]: 'ML_ENGINEER' });
    await freezeDataset(
      api.container.db,
      store,
      tenant.id,
      'grey',
      ['0', '1'].map((label) => ({ path: `${label}/a.png`, bytes: Buffer.from(label) })),
    );
  });
  afterAll(async () => {
    await store.close();
    await api.close();
  });
  beforeEach(async () => {
    const { body } = await api.call('POST', '/api/v1/training/experiments', {
      token: user.token,
      tenant: tenant.code,
      json: {
        ...{ task: 'classification', framework: 'sklearn', model: 'knn', dataset_id: 'grey' },
        evaluation: { enabled: false },
      },
    });
    runId = body.tracker_run_id as string;
    experimentId = body.id as string;
    await inTenant((tx) => openRunForJob(tx, runId));
  });

  const inTenant = <T>(work: Parameters<typeof api.container.db.inTenant<T>>[1]) =>
    api.container.db.inTenant(asTenantId(tenant.id), work);
  const tokenOf = (over: Partial<{ tenantId: string; runId: string; attempt: number }> = {}) =>
    issueJobToken(api.container.settings.SERVICE_SECRET_KEYS, {
      tenantId: tenant.id,
      runId,
      attempt: 1,
      ...over,
    });
  const log = (json: unknown, token: string | null = tokenOf()): Promise<Answer> =>
    api.call('POST', BATCH, { token, json });
  const put = (path: string, body: Buffer | string, token = tokenOf()) =>
    api.call('PUT', `/tracker/api/2.0/mlflow-artifacts/artifacts/${runId}/artifacts/${path}`, {
      token,
      body,
    });
  const read = (path: string, options: CallOptions = {}) =>
    api.call('GET', path, { token: user.token, tenant: tenant.code, ...options });

  it('becomes metrics, params and tags of its run; a repeat changes nothing', async () => {
    const body = {
      run_id: runId,
      metrics: [metric(), metric({ key: 'bad', value: 'NaN' })],
      params: [{ key: 'lr', value: '0.1' }],
      tags: [{ key: 'note', value: 'x' }],
    };
    expect(await log(body)).toMatchObject({ status: 200, body: {} });
    expect((await log(body)).status).toBe(200);
    const run = (await read(`/api/v1/runs/${runId}`)).body;
    expect(run).toMatchObject({
      params: { lr: '0.1' },
      tags: { note: 'x' },
      metrics: { 'train/loss': 0.5, bad: null },
      training_experiment_id: experimentId,
    });
    const series = await read(`/api/v1/runs/${runId}/metrics/train%2Floss`);
    expect(series.body).toMatchObject({
      name: 'train/loss',
      points: [{ step: 1, value: 0.5, at: '2023-11-14T22:13:20.000Z' }],
    });
    expect((await read(`/api/v1/runs/${runId}/metrics/unknown`)).status).toBe(404);
  });

  it.each([
    ['no token', () => null, 401],
    ['a token that is none', () => 'x'.repeat(40), 401],
    ['a token of another attempt', () => tokenOf({ attempt: 2 }), 401],
    ['a token of another run', () => tokenOf({ runId: randomBytes(16).toString('hex') }), 403],
    ['a session instead of a job token', () => user.token, 401],
  ])('is refused with %s, in the shape that MLflow has', async (_what, token, status) => {
    const answer = await log({ run_id: runId, metrics: [metric()] }, token());
    expect(answer).toMatchObject({
      status,
      body: {
        error_code: status === 401 ? 'UNAUTHENTICATED' : 'PERMISSION_DENIED',
        message: expect.any(String),
      },
    });
  });

  it('is refused once the attempt has ended', async () => {
    await inTenant((tx) => closeRun(tx, runId, 'KILLED'));
    expect(await log({ run_id: runId, metrics: [metric()] })).toMatchObject({
      status: 401,
      body: { error_code: 'UNAUTHENTICATED' },
    });
    expect((await put('late.txt', 'x')).status).toBe(401);
    expect((await read(`/api/v1/runs/${runId}/artifacts`)).body.total).toBe(0);
  });

  it.each([
    ['1,001 metrics', { metrics: Array.from({ length: 1001 }, () => metric()) }, 400],
    ['a metric that is no number', { metrics: [metric({ value: 'high' })] }, 400],
    ['more than a megabyte', { tags: [{ key: 'k', value: 'x'.repeat(1_100_000) }] }, 413],
  ])('is refused with %s', async (_what, over, status) => {
    expect(await log({ run_id: runId, ...over })).toMatchObject({
      status,
      body: { error_code: 'INVALID_PARAMETER_VALUE' },
    });
  });

  it('is refused when it is no JSON', async () => {
    expect(
      await api.call('POST', BATCH, {
        token: tokenOf(),
        body: '{"run_id":',
        headers: { 'content-type': 'application/json' },
      }),
    ).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE' },
    });
  });

  it('writes params once', async () => {
    await log({ run_id: runId, params: [{ key: 'lr', value: '0.1' }] });
    expect(await log({ run_id: runId, params: [{ key: 'lr', value: '0.2' }] })).toMatchObject({
      status: 400,
      body: { error_code: 'INVALID_PARAMETER_VALUE', message: expect.stringContaining('"lr"') },
    });
  });

  it('becomes artifacts, which are listed one level at a time, read in ranges and zipped', async () => {
    const bytes = randomBytes(300_000);
    expect((await put('model/weights.bin', bytes)).status).toBe(200);
    expect((await put('report.html', '<script>alert(1)</script>')).status).toBe(200);
    expect((await put('report.html', '<b>2</b>')).status).toBe(200);
    expect((await read(`/api/v1/runs/${runId}/artifacts`)).body.items).toEqual([
      { path: 'model', name: 'model', is_dir: true, size_bytes: 300_000 },
      { path: 'report.html', name: 'report.html', is_dir: false, size_bytes: 8 },
    ]);
    const part = await fetch(`${api.base}/api/v1/runs/${runId}/artifact?path=model/weights.bin`, {
      headers: { authorization: `Bearer ${user.token}`, 'x-tenant': tenant.code, range: 'bytes=1000-1999' },
    });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1000-1999/300000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true);
    const page = await read(`/api/v1/runs/${runId}/artifact?path=report.html`);
    expect([page.headers.get('content-type'), page.headers.get('content-disposition')]).toEqual([
      'application/octet-stream',
      expect.stringMatching(/^attachment/),
    ]);
    expect(
      (
        await read(`/api/v1/runs/${runId}/artifact?path=model/weights.bin`, {
          headers: { range: 'bytes=300000-' },
        })
      ).status,
    ).toBe(416);
    expect((await read(`/api/v1/runs/${runId}/artifacts?path=report.html`)).body).toMatchObject({
      path: 'report.html',
      items: [],
      total: 0,
    });
    for (const route of ['artifact', 'artifacts', 'artifacts/download']) {
      for (const path of ['../x', 'model//weights.bin', '%FF'])
        expect([route, path, (await read(`/api/v1/runs/${runId}/${route}?path=${path}`)).status]).toEqual([
          route,
          path,
          422,
        ]);
      for (const path of ['missing', 'missing/', '/missing', 'model/missing', 'mode', 'model/weights.bin/x'])
        expect([route, path, (await read(`/api/v1/runs/${runId}/${route}?path=${path}`)).status]).toEqual([
          route,
          path,
          404,
        ]);
    }
    expect((await put('%FF.txt', 'x')).body.error_code).toBe('INVALID_PARAMETER_VALUE');
    const zip = await fetch(`${api.base}/api/v1/runs/${runId}/artifacts/download`, {
      headers: { authorization: `Bearer ${user.token}`, 'x-tenant': tenant.code },
    });
    expect([zip.status, zip.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(
      Buffer.from(await zip.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
  });

  it.each(['../up', 'a/../../b', 'a//b', '.', `${'x'.repeat(513)}`])(
    'is refused below the path %s',
    async (path) => {
      expect((await put(encodeURIComponent(path), 'x')).status).toBe(400);
    },
  );

  it('leaves an artifact that the store gave no answer for until it can no longer come', async () => {
    const objects = api.container.objects as ObjectStore;
    Object.defineProperty(objects, 'put', {
      configurable: true,
      value: () =>
        Promise.reject(unavailable('The object store cannot be reached right now; try again shortly.')),
    });
    try {
      expect((await put('model/lost.bin', 'bytes')).status).toBe(503);
    } finally {
      Reflect.deleteProperty(objects, 'put');
    }
    const [due] = await inTenant((tx) =>
      tx.query<{ s: number }>(
        'select max(extract(epoch from due_at - now()))::float8 as s from orphaned_object where tenant_id = $1',
        [tx.tenantId],
      ),
    );
    expect(due?.s).toBeGreaterThan(LAST_WRITES_S - 20);
    expect(due?.s).toBeLessThanOrEqual(LAST_WRITES_S);
  });

  it('keeps what a model version was made of when the job writes the path again', async () => {
    await put('model/MLmodel', 'first');
    // As a program does whose runtime has a licence that binds its models.
    await log({ run_id: runId, tags: [{ key: 'licence', value: 'AGPL-3.0' }] });
    expect(
      (
        await api.call('POST', `/api/v1/runs/${runId}/register`, {
          token: user.token,
          tenant: tenant.code,
          json: { model_name: 'kept' },
        })
      ).status,
    ).toBe(201);
    const version = await api.call('GET', '/api/v1/models/kept/versions/1', {
      token: user.token,
      tenant: tenant.code,
    });
    expect(version.body.licence).toBe('AGPL-3.0');
    await put('model/MLmodel', 'second');
    const held = await inTenant((tx) =>
      tx.query<{ object_key: string; sha256: string }>('select object_key, sha256 from model_version_file'),
    );
    const stored = held.find((file) => file.sha256 === createHash('sha256').update('first').digest('hex'));
    expect(await store.head(stored?.object_key ?? 'none')).toMatchObject({ sizeBytes: 5 });
  });

  it('cannot be registered as a model without files below model/', async () => {
    expect(
      await api.call('POST', `/api/v1/runs/${runId}/register`, {
        token: user.token,
        tenant: tenant.code,
        json: { model_name: 'none' },
      }),
    ).toMatchObject({ status: 422 });
    const viewer = await api.addUser({ [tenant.code]: 'VIEWER' });
    expect(
      (
        await api.call('POST', `/api/v1/runs/${runId}/register`, {
          token: viewer.token,
          tenant: tenant.code,
          json: { model_name: 'none' },
        })
      ).status,
    ).toBe(403);
  });
});
