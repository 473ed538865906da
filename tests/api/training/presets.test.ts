import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

describe('presets', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let token: string;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    token = (await api.addUser({ [tenant.code]: 'ML_ENGINEER' })).token;
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/training/presets${path}`, {
      token,
      tenant: tenant.code,
      ...(json === undefined ? {} : { json }),
    });
  const config = { task: 'classification', framework: 'sklearn', model: 'knn' };

  it('are kept as they were given, listed after those of the installation, and deleted', async () => {
    const before = (await call('GET', '')).body;
    const given = { ...config, hyperparameters: 'neighbors: 5', split: { seed: 7, stratify: null } };
    const made = await call('POST', '', { name: 'Five neighbours', config: given });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'Five neighbours',
        description: '',
        built_in: false,
        config: { ...config, hyperparameters: 'neighbors: 5', split: { seed: 7 } },
        created_at: expect.any(String),
        created_by: expect.any(String),
      },
    ]);
    const after = (await call('GET', '')).body;
    expect([after.total, after.items.at(-1).id]).toEqual([before.total + 1, made.body.id]);
    expect((await call('POST', '', { name: 'Five neighbours', config })).status).toBe(409);
    const { id } = made.body;
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
    expect((await call('DELETE', `/${id}`)).status).toBe(404);
    expect((await call('GET', '')).body.total).toBe(before.total);
  });

  it('of the installation stay', async () => {
    expect(await call('DELETE', '/quick-look')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await call('DELETE', '/no-such-preset')).status).toBe(404);
    expect((await call('DELETE', '/a%20b')).status).toBe(422);
  });

  it('are refused with every wrong field named', async () => {
    const refused = async (over: Record<string, unknown>) => {
      const { status, body } = await call('POST', '', { name: 'x', config: { ...config, ...over } });
      return [status, body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))];
    };
    expect(await refused({ splt: {}, split: { vall: 1 } })).toEqual([
      422,
      ['body.config.splt', 'body.config.split.vall'],
    ]);
    expect(await refused({ model: 'kn' })).toEqual([422, ['body.config.model']]);
    expect(await refused({ hyperparameters: 'neighbours: 3' })).toEqual([
      422,
      ['body.config.hyperparameters.neighbours'],
    ]);
    expect(await refused({ hyperparameters: `${'['.repeat(30_000)}` })).toEqual([
      422,
      ['body.config.hyperparameters'],
    ]);
    expect(await refused({ split: { train: 0.5 } })).toEqual([422, ['body.config.split']]);
    expect((await call('POST', '', { name: ' ', config })).status).toBe(422);
  });
});
