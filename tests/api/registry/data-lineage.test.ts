import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { BaseVersion } from '../../../models/registry/model.types.js';
import { EdgeKit, type PlayedDevice } from '../edge/support/edge-kit.js';
import { registerDigits } from '../serving/digit-model.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';
import { EXPERIMENT_FACTORY } from '../training/support/training-factories.js';

jest.setTimeout(60_000);

/** Data with a digest, a copy of them, two versions of a model made from them, an endpoint and a device. */
describe('what was made from data', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let other: TestTenant;
  let edge: EdgeKit;
  let device: PlayedDevice;
  let made: Readonly<Record<string, string>>;
  let digest: string;
  let copy: string;

  const call = (path: string, code = tenant.code) =>
    api.call('GET', `/api/v1${path}`, { token: api.admin.token, tenant: code });
  const rows = <T extends object>(text: string, params: readonly unknown[]) =>
    api.container.db.inPlatform((tx) => tx.query<T>(text, params));
  const names = async (path: string, key: string, code?: string) => {
    const { status, body } = await call(path, code);
    if (status !== 200) return status;
    return body.items.map((item: Record<string, unknown>) => item[key]);
  };
  const experiment = (canary: string, within = tenant) =>
    EXPERIMENT_FACTORY.create({ api, tenant: within, user: api.admin, canary });
  const digestOf = async (id = '') => (await call(`/datasets/${id}`)).body.digest as string;
  const register = (model: string, text: string, over: object = {}) => {
    const files = new Map([['MLmodel', Buffer.from(text)]]);
    return registerDigits(api.container.settings, api.container.db, tenant.id, model, files, over);
  };
  const versionId = async (model: string, version: number) => {
    const [found] = await rows<{ id: string }>(
      `select v.id from model_version v join model m on m.tenant_id = v.tenant_id and m.id = v.model_id
       where v.tenant_id = $1 and m.name = $2 and v.version = $3`,
      [tenant.id, model, version],
    );
    return found?.id ?? '';
  };
  const sameDigest = (key: string, within: TestTenant) =>
    rows('update dataset_version set digest = $3 where tenant_id = $1 and dataset_key = $2 returning id', [
      ...[within.id, key, digest],
    ]);

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    other = await api.addTenant();
    edge = new EdgeKit(api, tenant);
    made = await experiment('first');
    digest = await digestOf(made.dataset_id);
    copy = (await experiment('second')).dataset_id as string;
    await sameDigest(copy, tenant);
    await sameDigest((await experiment('foreign', other)).dataset_id as string, other);
    const origin = { datasetKey: made.dataset_id, datasetDigest: digest };
    await register('reader', 'one', {
      ...origin,
      ...{ runId: made.run_id, trainingExperimentId: made.experiment_id },
    });
    const base: BaseVersion = {
      ...{ versionId: await versionId('reader', 1), name: 'reader', version: 1, sha256: 'a'.repeat(64) },
    };
    const later = { datasetKey: made.dataset_id, datasetDigest: 'f'.repeat(64), base };
    await register('reader', 'two', later);
    await register('finer', 'three', later);
    await register('unrelated', 'four');
    for (const [name, model] of [
      ['reads', 'reader'],
      ['idles', 'unrelated'],
    ] as const)
      await rows(
        `with built as (insert into image (tenant_id, kind, model_version_id, repository)
           values ($1, 'model', $2, $3) returning id)
         insert into serving_endpoint (id, tenant_id, name, image_id, replicas, workload_id, sealed_credential)
         select $4::uuid, $1, $5, id, 1, $4::uuid::text, 'x' from built returning id`,
        [tenant.id, await versionId(model, 1), `${tenant.code}/${model}`, randomUUID(), name],
      );
    device = await edge.device();
    const models = [{ name: 'reader', version: 1 }];
    expect((await device.call('POST', '/register', { json: { os: 'linux', models } })).status).toBe(200);
    const idle = await edge.device();
    const others = [{ name: 'reader', version: 2 }];
    await idle.call('POST', '/register', { json: { os: 'linux', models: others } });
  });
  afterAll(() => api.close());

  it('is found from its digest: datasets, models, versions, endpoints and devices', async () => {
    expect(await names(`/datasets?digest=${digest}&sort=id`, 'id')).toEqual([made.dataset_id, copy].sort());
    expect(await names(`/models?dataset_digest=${digest}`, 'name')).toEqual(['reader']);
    expect(await names(`/models/reader/versions?dataset_digest=${digest}`, 'version')).toEqual([1]);
    expect(await names(`/serving/endpoints?dataset_digest=${digest}`, 'name')).toEqual(['reads']);
    expect(await names(`/edge/fleet?dataset_digest=${digest}`, 'id')).toEqual([device.id]);
    const { body } = await call(`/edge/fleet?dataset_digest=${digest}`);
    expect(Object.values(body.counts).reduce((sum: number, n) => sum + Number(n), 0)).toBe(1);
    expect((await call('/models/reader/versions')).body.total).toBe(2);
  });

  it('says nothing of unknown digests, and nothing to another tenant', async () => {
    const places = ['/datasets?digest=', '/models?dataset_digest=', '/serving/endpoints?dataset_digest='];
    for (const place of [...places, '/edge/fleet?dataset_digest=']) {
      expect(await names(`${place}${'0'.repeat(64)}`, 'id')).toEqual([]);
      expect((await call(`${place}${'a'.repeat(201)}`)).status).toBe(422);
      const foreign = await names(`${place}${digest}`, 'id', other.code);
      expect(foreign).toHaveLength(place.startsWith('/datasets') ? 1 : 0);
      expect(foreign).not.toContain(made.dataset_id);
    }
  });

  it('is shown at the dataset, as a whole or for one digest, with the datasets of the same data', async () => {
    const path = `/datasets/${made.dataset_id}/usage`;
    const all = (await call(path)).body;
    expect([all.total, all.model_versions_total]).toEqual([1, 3]);
    expect(all.same_data).toEqual([{ dataset_id: copy, name: expect.any(String), digest, is_current: true }]);
    const then = (await call(`${path}?digest=${digest}`)).body;
    expect([then.total, then.model_versions_total, then.same_data_total]).toEqual([1, 1, 1]);
    expect(then.model_versions[0]).toMatchObject({
      ...{ model_name: 'reader', version: 1, dataset_digest: digest },
      ...{ endpoints: ['reads'], devices: [device.id], devices_total: 1 },
    });
    const none = (await call(`${path}?digest=${'0'.repeat(64)}`)).body;
    expect([none.total, none.model_versions_total, none.same_data_total]).toEqual([0, 0, 0]);
    expect((await call(`/datasets/${copy}/usage`)).body.same_data).toMatchObject([
      { dataset_id: made.dataset_id, digest },
    ]);
  });

  it('leads back from a device and from an endpoint to the data', async () => {
    const [installed] = (await edge.read(device.id)).models;
    const endpoint = (await call('/serving/endpoints/reads')).body;
    for (const [name, version] of [
      [installed.name, installed.version],
      [endpoint.model_name, endpoint.model_version],
    ]) {
      const { lineage } = (await call(`/models/${name}/versions/${version}`)).body;
      expect(lineage).toMatchObject({
        ...{ dataset_id: made.dataset_id, dataset_digest: digest },
        training: { id: made.experiment_id },
        run: { run_id: made.run_id },
        endpoints: [{ name: 'reads' }],
        devices: [{ device_id: device.id }],
      });
      expect((await call(`/datasets/${lineage.dataset_id}`)).body.digest).toBe(lineage.dataset_digest);
    }
  });

  it('shows at a version those that were trained from it, and at these where they began', async () => {
    const first = (await call('/models/reader/versions/1')).body.lineage;
    expect([first.base, first.derived_total, first.derived]).toEqual([
      null,
      2,
      [
        { model_name: 'finer', version: 1, stage: 'None' },
        { model_name: 'reader', version: 2, stage: 'None' },
      ],
    ]);
    const second = (await call('/models/finer/versions/1')).body.lineage;
    expect(second).toMatchObject({
      ...{ base: { model_name: 'reader', version: 1 }, derived: [], derived_total: 0 },
    });
  });

  it('is found by the digest after the dataset is gone', async () => {
    const path = `/api/v1/datasets/${made.dataset_id}?force=true`;
    const gone = await api.call('DELETE', path, { token: api.admin.token, tenant: tenant.code });
    expect(gone.status).toBe(204);
    expect(await names(`/datasets?digest=${digest}`, 'id')).toEqual([copy]);
    expect(await names(`/models?dataset_digest=${digest}`, 'name')).toEqual(['reader']);
    expect(await names(`/edge/fleet?dataset_digest=${digest}`, 'id')).toEqual([device.id]);
    expect((await call(`/datasets/${copy}/usage`)).body.same_data).toEqual([]);
  });
});
