import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buffer } from 'node:stream/consumers';
import { fromBuffer } from 'yauzl';
import { registerDigits } from '../serving/digit-model.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';

const MODELS = '/api/v1/models';

describe('models over the API', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let viewer: TestUser;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    viewer = await api.addUser({ [tenant.code]: 'VIEWER' });
    for (const [name, count] of [
      ['alpha', 3],
      ['beta model (v2)', 1],
      ['gamma', 1],
    ] as const)
      for (let n = 0; n < count; n += 1)
        await registerDigits(
          api.container.settings,
          api.container.db,
          tenant.id,
          name,
          new Map([
            ['MLmodel', Buffer.from('flavors: {}')],
            ['data/weights.bin', Buffer.alloc(100_000, n + 1)],
          ]),
        );
    await registerDigits(
      api.container.settings,
      api.container.db,
      tenant.id,
      'one-file',
      new Map([['model.onnx', Buffer.from('onnx')]]),
    );
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        "update model_version set stage = 'Production' where tenant_id = $1 and version = 1 and model_id in (select id from model where name = 'gamma')",
        [tenant.id],
      ),
    );
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, options: Parameters<TestApi['call']>[2] = {}) =>
    api.call(method, path, { token: api.admin.token, tenant: tenant.code, ...options });
  const names = async (query: string) =>
    (await call('GET', `${MODELS}${query}`)).body.items.map((model: { name: string }) => model.name);

  it('lists the stage matrix with all standard parameters', async () => {
    const page = await call('GET', MODELS);
    expect(page.body).toMatchObject({ total: 4, page: 1, page_size: 50 });
    expect(page.body.items[0]).toMatchObject({
      name: 'alpha',
      version_count: 3,
      latest_version: 3,
      stages: { production: [], staging: [], archived: [], none: [3, 2, 1] },
    });
    expect(await names('?q=MODEL')).toEqual(['beta model (v2)']);
    expect(await names('?q=%25')).toEqual([]);
    expect(await names('?production=true')).toEqual(['gamma']);
    expect(await names('?production=false&sort=version_count&order=desc&page_size=1')).toEqual(['alpha']);
    expect(await names('?sort=name&order=desc&page_size=2&page=2')).toEqual(['beta model (v2)', 'alpha']);
    expect(await names('?page=99')).toEqual([]);
    const unknown = await call('GET', `${MODELS}?sort=size`);
    expect([unknown.status, unknown.body.detail.allowed]).toEqual([
      400,
      ['name', 'created_at', 'updated_at', 'latest_version', 'version_count'],
    ]);
    for (const bad of ['?page=0', '?page_size=201', '?production=maybe', '?order=up'])
      expect((await call('GET', `${MODELS}${bad}`)).status).toBe(422);
  });

  it('counts versions by stage', async () => {
    expect((await call('GET', `${MODELS}/summary`)).body).toEqual({
      models: 4,
      versions: 6,
      production: 1,
      staging: 0,
      archived: 0,
      none: 5,
    });
  });

  it('pages the versions newest first and reads one with its lineage', async () => {
    const page = await call('GET', `${MODELS}/alpha/versions?page_size=2`);
    expect([page.body.total, page.body.items.map((version: { version: number }) => version.version)]).toEqual(
      [3, [3, 2]],
    );
    const one = await call('GET', `${MODELS}/${encodeURIComponent('beta model (v2)')}/versions/1`);
    expect(one.body).toMatchObject({
      name: 'beta model (v2)',
      version: 1,
      stage: 'None',
      framework: 'sklearn',
      task: 'classification',
      metrics: { accuracy: 0.97 },
      image_ref: null,
      run_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    for (const path of ['alpha/versions/99', 'nobody/versions/1', 'nobody/versions'])
      expect((await call('GET', `${MODELS}/${path}`)).status).toBe(404);
    for (const path of [
      'alpha/versions/0',
      'alpha/versions/x',
      'alpha/versions/1.5',
      'alpha/versions/99999999999',
    ])
      expect((await call('GET', `${MODELS}/${path}`)).status).toBe(422);
  });

  it('downloads one file as it is and several as a ZIP', async () => {
    const single = await call('GET', `${MODELS}/one-file/1/download`);
    expect([
      single.text,
      single.headers.get('content-disposition'),
      single.headers.get('content-length'),
    ]).toEqual(['onnx', `attachment; filename="model.onnx"; filename*=UTF-8''model.onnx`, '4']);
    const response = await fetch(`${api.base}${MODELS}/alpha/2/download`, {
      headers: { authorization: `Bearer ${api.admin.token}`, 'x-tenant': tenant.code },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const files = await unzip(Buffer.from(await response.arrayBuffer()));
    expect([...files.keys()]).toEqual(['MLmodel', 'data/weights.bin']);
    expect(files.get('data/weights.bin')?.equals(Buffer.alloc(100_000, 2))).toBe(true);
    expect((await call('GET', `${MODELS}/alpha/99/download`)).status).toBe(404);
  });

  it('changes stages, but to Production only by promotion', async () => {
    const moved = await call('POST', `${MODELS}/alpha/1/stage`, { json: { stage: 'Staging' } });
    expect([moved.status, moved.body.stage]).toEqual([200, 'Staging']);
    expect((await call('POST', `${MODELS}/alpha/1/stage`, { json: { stage: 'Staging' } })).status).toBe(200);
    for (const stage of ['Production', 'staging', '', null])
      expect((await call('POST', `${MODELS}/alpha/1/stage`, { json: { stage } })).status).toBe(422);
    expect((await call('POST', `${MODELS}/alpha/9/stage`, { json: { stage: 'None' } })).status).toBe(404);
    const history = await api.container.db.inPlatform((tx) =>
      tx.query('select from_stage, to_stage, version from model_stage_change where tenant_id = $1', [
        tenant.id,
      ]),
    );
    expect(history).toEqual([{ from_stage: 'None', to_stage: 'Staging', version: 1 }]);
  });

  it('deletes versions and models, but not what is in Production', async () => {
    const refused = await call('DELETE', `${MODELS}/gamma/1`);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      { users: [{ version: 1, kind: 'stage', name: 'Production' }], users_total: 1 },
    ]);
    expect((await call('DELETE', `${MODELS}/gamma`)).status).toBe(409);
    expect((await call('DELETE', `${MODELS}/alpha/3`)).status).toBe(204);
    expect((await call('DELETE', `${MODELS}/alpha/3`)).status).toBe(404);
    expect(
      await registerDigits(
        api.container.settings,
        api.container.db,
        tenant.id,
        'alpha',
        new Map([['MLmodel', Buffer.from('x')]]),
      ),
    ).toBe(4);
    expect((await call('DELETE', `${MODELS}/alpha`)).status).toBe(204);
    expect((await call('GET', `${MODELS}/alpha/versions`)).status).toBe(404);
    const [loose] = await api.container.db.inPlatform((tx) =>
      tx.query<{ count: number }>('select count(*) as count from orphaned_object where tenant_id = $1', [
        tenant.id,
      ]),
    );
    expect(loose?.count).toBe(7);
  });

  it('lets a viewer read and nothing else, and shows another tenant nothing', async () => {
    const asViewer = (method: string, path: string, json?: unknown) =>
      call(method, path, { token: viewer.token, ...(json === undefined ? {} : { json }) });
    expect((await asViewer('GET', MODELS)).status).toBe(200);
    expect((await asViewer('POST', `${MODELS}/gamma/1/stage`, { stage: 'None' })).status).toBe(403);
    expect((await asViewer('DELETE', `${MODELS}/gamma`)).status).toBe(403);
    expect((await asViewer('POST', `${MODELS}/gamma/1/image`)).status).toBe(403);
    const other = await api.addTenant();
    const there = (method: string, path: string) => call(method, path, { tenant: other.code });
    expect((await there('GET', MODELS)).body.total).toBe(0);
    for (const [method, path] of [
      ['GET', `${MODELS}/gamma/versions/1`],
      ['GET', `${MODELS}/gamma/1/download`],
      ['DELETE', `${MODELS}/gamma`],
      ['POST', `${MODELS}/gamma/1/image`],
    ] as const)
      expect((await there(method, path)).status).toBe(404);
  });
});

async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  await new Promise<void>((done, fail) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return fail(error);
      zip.on('entry', (entry) =>
        zip.openReadStream(entry, (problem, stream) =>
          problem
            ? fail(problem)
            : void buffer(stream).then((content) => {
                files.set(entry.fileName, content);
                zip.readEntry();
              }, fail),
        ),
      );
      zip.on('end', done).on('error', fail);
      zip.readEntry();
    }),
  );
  return files;
}
