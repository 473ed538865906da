import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { beatHost } from '../../../models/workloads/host.platform.js';
import { ABLE, aHost } from '../../builders/a-host.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

/** A host that has trained with scikit-learn, and not with TorchVision yet. */
describe('the environment that a first training makes', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let token: string;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    token = (await api.addUser({ [tenant.code]: 'ML_ENGINEER' })).token;
    const { db, objects } = api.container;
    const files = ['0', '1'].map((label) => ({ path: `${label}/a.png`, bytes: Buffer.from(label) }));
    await freezeDataset(db, objects, tenant.id, 'grey', files);
    const torch = { runtime: 'torchvision', available: true, reason: null, isUnmade: true };
    const sklearn = { runtime: 'sklearn', available: true, reason: null };
    await beatHost(db, aHost(), { ...ABLE, runtimes: [torch, { ...sklearn, isUnmade: true }] });
    await beatHost(db, aHost({ name: 'other' }), { ...ABLE, runtimes: [torch, sklearn] });
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/training${path}`, {
      ...{ token, tenant: tenant.code },
      ...(json === undefined ? {} : { json }),
    });
  const inS = (at: string) => (Date.parse(at) - Date.now()) / 1000;
  const config = (framework: string, model: string) => ({
    ...{ task: 'classification', framework, model, dataset_id: 'grey', gpu: 0 },
    split: { train: 1, val: 0, test: 0 },
    evaluation: { enabled: false },
  });

  it('is named by the catalog', async () => {
    const { items } = (await call('GET', '/catalog/frameworks?task=classification')).body;
    const torch = items.find(({ name }: { name: string }) => name === 'torchvision');
    expect(torch).toMatchObject({ available: true, environment: { size_gb: 5.4, seconds: 95 } });
    expect(torch).not.toHaveProperty('isUnmade');
  });

  it('is named by check and estimate before it is made, and never once a host has it', async () => {
    const torch = config('torchvision', 'resnet18');
    expect((await call('POST', '/experiments:validate', torch)).body.warnings).toMatchObject([
      { loc: ['body', 'framework'], type: 'environment', msg: expect.stringContaining('5.4 GB and 95 s') },
    ]);
    const estimate = (await call('POST', '/experiments:estimate', torch)).body;
    expect(estimate.environment).toEqual({ size_gb: 5.4, seconds: 95 });
    expect(inS(estimate.queue.predicted_start_at)).toBeGreaterThan(90);
    const sklearn = config('sklearn', 'knn');
    expect((await call('POST', '/experiments:validate', sklearn)).body.warnings).toEqual([]);
    const quick = (await call('POST', '/experiments:estimate', sklearn)).body;
    expect(quick.environment).toBeNull();
    expect(inS(quick.queue.predicted_start_at)).toBeLessThan(20);
  });

  it('is waited for before the training begins', async () => {
    const { body } = await call('POST', '/experiments', config('torchvision', 'resnet18'));
    const begins = async () => {
      const { items } = (await call('GET', `/experiments/${body.id}/steps`)).body;
      return items.map(({ reason, predicted_start_at, eta }: Record<string, string>) => [
        ...[reason, inS(predicted_start_at ?? eta ?? '')],
      ])[0];
    };
    expect(await begins()).toEqual(['worker', expect.closeTo(100, -1)]);
    const { db } = api.container;
    const ask = `insert into workload (tenant_id, kind, name, owner_id, spec, status, host)
      select $1, 'training', 'tr-' || $2::text || '-1', $2::uuid, '{}', 'pending', id::text from host limit 1`;
    await db.inPlatform((tx) => tx.execute(ask, [tenant.id, body.id]));
    const asked = (ago: string) =>
      db.inPlatform((tx) =>
        tx.execute('update workload set created_at = now() - $2::interval where owner_id = $1', [
          body.id,
          ago,
        ]),
      );
    await asked('60 seconds');
    expect(await begins()).toEqual(['starting', expect.closeTo(40, -1)]);
    await asked('1 hour');
    expect(await begins()).toEqual(['starting', expect.closeTo(5, -1)]);
  });
});
