import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { createEndpoint } from '../../../models/serving/endpoint.commands.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { startTestWorker, type TestWorker } from '../support/test-worker.js';
import { registerDigits, until } from './digit-model.js';

jest.setTimeout(120_000);

const ENDPOINTS = '/api/v1/serving/endpoints';

describe('endpoints and images that do not come up', () => {
  let api: TestApi;
  let worker: TestWorker;
  let tenant: TestTenant;
  let imageId: string;

  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    tenant = await api.addTenant();
    // A model that no runtime can load.
    await registerDigits(
      api.container.settings,
      api.container.db,
      tenant.id,
      'broken',
      new Map([['MLmodel', Buffer.from('flavors: {}')]]),
    );
    await api.container.db.inPlatform((tx) => tx.execute("update model_version set licence = 'AGPL-3.0'"));
    imageId = (await call('POST', '/api/v1/models/broken/1/image')).body.id;
    await until(
      'the image',
      async () => (await call('GET', '/api/v1/registry/images')).body.items[0]?.status === 'READY',
    );
  }, 120_000);
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });

  const call = (method: string, path: string, options: Parameters<TestApi['call']>[2] = {}) =>
    api.call(method, path, { token: api.admin.token, tenant: tenant.code, ...options });
  const create = (json: Record<string, unknown>) =>
    call('POST', ENDPOINTS, { json: { name: 'e', image_id: imageId, ...json } });
  const reach = (name: string, wanted: string) =>
    until(
      `${name} ${wanted}`,
      async () => {
        const { body } = await call('GET', `${ENDPOINTS}/${name}`);
        return body.status === wanted && body;
      },
      90_000,
      () => worker.failures.join('\n'),
    );

  it('refuses what cannot be an endpoint, before anything starts', async () => {
    for (const name of ['', 'A', '-a', 'a-', 'a.b', 'x'.repeat(51), null])
      expect([name, (await create({ name })).status]).toEqual([name, 422]);
    for (const change of [
      { replicas: 0 },
      { replicas: 33 },
      { replicas: 1.5 },
      { gpu: -1 },
      { image_id: 'x' },
      { image_id: randomUUID() },
      { image_id: undefined },
      { validation_dataset_id: 'none' },
    ])
      expect([change, (await create(change)).status]).toEqual([change, 422]);
    const unwired = await create({ gpu: 1 });
    expect([unwired.status, unwired.body.message]).toEqual([409, expect.stringContaining('no GPU wiring')]);
    expect((await call('GET', ENDPOINTS)).body).toEqual({ items: [], total: 0 });
  });

  it('makes an image FAILED with the reason when no runtime serves its framework, and tries again when asked', async () => {
    await registerDigits(
      api.container.settings,
      api.container.db,
      tenant.id,
      'exotic',
      new Map([['x', Buffer.from('x')]]),
    );
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        "update model_version set framework = 'exotic' where model_id in (select id from model where name = 'exotic')",
      ),
    );
    const failed = async () =>
      (await call('GET', '/api/v1/registry/images?model=exotic&status=FAILED')).body.items[0];
    const asked = await call('POST', '/api/v1/models/exotic/1/image');
    expect((await until('the failure', failed)).status_message).toContain(
      'No runtime of this installation serves the framework "exotic"',
    );
    expect((await create({ image_id: asked.body.id })).status).toBe(409);
    await api.container.db.inPlatform((tx) =>
      tx.execute("update model_version set framework = 'sklearn' where framework = 'exotic'"),
    );
    expect((await call('POST', '/api/v1/models/exotic/1/image')).body).toMatchObject({
      id: asked.body.id,
      status: 'BUILDING',
      status_message: null,
    });
    await until(
      'the image',
      async () => (await call('GET', '/api/v1/registry/images?model=exotic&status=READY')).body.items[0],
    );
  });

  it('becomes FAILED with the reason, can be started again, stopped, and deleted from there', async () => {
    // Over the API it would have ten minutes.
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      createEndpoint(
        tx,
        SYSTEM_ACTOR,
        api.container.settings.SERVICE_SECRET_KEYS,
        { name: 'broken', imageId, replicas: 1, gpu: 0, validationDatasetId: null },
        5,
      ),
    );
    expect((await create({ name: 'broken' })).status).toBe(409);
    const failed = await reach('broken', 'FAILED');
    expect([failed.model_name, failed.model_version]).toEqual(['broken', 1]);
    expect([failed.ready_replicas, failed.licence, failed.status_message]).toEqual([
      0,
      'AGPL-3.0',
      expect.stringMatching(/did not answer in time/),
    ]);
    expect((await call('POST', `${ENDPOINTS}/broken/heartbeat`)).body.status).toBe('FAILED');
    expect((await call('GET', `${ENDPOINTS}/broken/proxy/ping`)).body.detail).toEqual({ status: 'FAILED' });
    expect((await call('POST', `${ENDPOINTS}/broken/start`)).body.status).toBe('CONNECTING');
    expect((await call('POST', `${ENDPOINTS}/broken/stop`)).body.status).toBe('STOPPED');
    expect((await call('PATCH', `${ENDPOINTS}/broken`, { json: { replicas: 3 } })).body).toMatchObject({
      status: 'STOPPED',
      replicas: 3,
    });
    for (const replicas of [0, -1, 33, 'x'])
      expect((await call('PATCH', `${ENDPOINTS}/broken`, { json: { replicas } })).status).toBe(422);
    expect((await call('DELETE', `${ENDPOINTS}/broken`)).body.status).toBe('deleted');
    expect((await call('GET', ENDPOINTS)).body.total).toBe(0);
    const actions = await api.container.db.inPlatform((tx) =>
      tx.query<{ action: string }>(
        "select action from audit_entry where target_kind = 'serving_endpoint' and target_label = 'broken' order by id",
      ),
    );
    expect(actions.map((row) => row.action)).toEqual([
      'serving.create',
      'serving.run',
      'serving.start',
      'serving.stop',
      'serving.scale',
      'serving.delete',
      'serving.removed',
    ]);
  });

  it('takes ten contrary orders at once and ends as the last one said', async () => {
    await create({ name: 'busy' });
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        call('POST', `${ENDPOINTS}/busy/${n % 2 === 0 ? 'stop' : 'start'}`),
      ),
    );
    await call('POST', `${ENDPOINTS}/busy/stop`);
    await reach('busy', 'STOPPED');
    const gone = await Promise.all([1, 2, 3].map(() => call('DELETE', `${ENDPOINTS}/busy`)));
    expect(gone.every((answer) => answer.status === 200 || answer.status === 404)).toBe(true);
    expect((await call('GET', `${ENDPOINTS}/busy`)).status).toBe(404);
  });
});
