import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { measureVersion } from '../../../models/monitoring/model-metrics.queries.js';
import type { ModelVersionRow } from '../../../models/registry/model.types.js';
import { findVersion } from '../../../models/registry/version.queries.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { EXPERIMENT_FACTORY } from '../training/support/training-factories.js';
import { PromotionKit } from '../registry/support/promotion-kit.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

jest.setTimeout(60_000);

describe('what models show in the field', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let kit: PromotionKit;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    kit = new PromotionKit(api, tenant);
    for (const model of ['digits', 'digits', 'quiet']) await kit.version(model);
  });
  afterAll(() => api.close());

  const performance = async (model: string, query = '') =>
    (await kit.call('GET', `/models/${model}/performance${query}`)).body;
  const distribution = async (model: string, query = '') =>
    (await kit.call('GET', `/models/${model}/distribution${query}`)).body;
  const many = (count: number, of: (index: number) => object) =>
    Array.from({ length: count }, (_, at) => of(at));

  it('is nothing without records, and says so', async () => {
    expect(await performance('quiet')).toEqual({
      ...{ name: 'quiet', range: '24h', step_s: 720, sample_size: 0, unmatched: 0 },
      ...{ test: 'wilson_interval', threshold: null, versions: [], points: [] },
      message: expect.stringContaining('no feedback'),
    });
    expect(await distribution('quiet')).toMatchObject({
      ...{ version: 1, feature: 'label', baseline: 'training', sample_size: 0, baseline_sample_size: 0 },
      ...{ bins: [], psi: { value: null, threshold: 0.2 }, drifted: null },
      test: { test: 'chi_square', statistic: null, p_value: null, threshold: 0.05 },
      message: expect.stringContaining('no inference records'),
    });
    expect(await distribution('quiet', '?feature=latency_ms')).toMatchObject({
      test: { test: 'kolmogorov_smirnov' },
    });
  });

  it('is the share of right predictions by feedback, with its interval and threshold', async () => {
    await kit.sql(`update tenant set kpi_targets = '{"accuracy": 0.9}' where id = $1`, [tenant.id]);
    const ids = many(100, () => ({ prediction: randomUUID() })) as Array<{ prediction: string }>;
    await kit.records(
      'digits',
      1,
      ids.map((each) => ({ ...each, label: '7' })),
    );
    const truths = ids.map(({ prediction }, at) => [prediction, at < 60 ? { label: 7 } : { label: '1' }]);
    await kit.feedback('digits', Object.fromEntries(truths));
    // Said outright, about nothing that is known, and about nothing that can be compared.
    const box = randomUUID();
    await kit.records('digits', 2, [{ prediction: box }]);
    await kit.feedback('digits', { [box]: { correct: true }, [randomUUID()]: { label: '7' } });
    const found = await performance('digits', '?range=1h');
    expect(found).toMatchObject({ step_s: 60, sample_size: 101, unmatched: 1, threshold: 0.9 });
    expect(found.versions).toEqual([
      {
        ...{ version: 1, sample_size: 100, accuracy: 0.6, below_threshold: true },
        ...{ low: expect.closeTo(0.502, 3), high: expect.closeTo(0.6906, 3) },
      },
      expect.objectContaining({ version: 2, sample_size: 1, accuracy: 1, below_threshold: false }),
    ]);
    const points = found.points.filter(({ version }: { version: number }) => version === 1);
    const samples = points.reduce(
      (sum: number, point: { sample_size: number }) => sum + point.sample_size,
      0,
    );
    expect([samples, Date.parse(points[0].at) % 60_000]).toEqual([100, 0]);
    expect((await performance('digits', '?range=7d')).step_s).toBe(5040);
  });

  it('counts a prediction once, as feedback on it was given last', async () => {
    const [right, wrong] = [randomUUID(), randomUUID()];
    await kit.version('corrected');
    await kit.records('corrected', 1, [
      { prediction: right, label: '7' },
      { prediction: wrong, label: '7' },
    ]);
    await kit.feedback('corrected', { [right]: { label: '1' }, [wrong]: { label: '1' } });
    await kit.feedback('corrected', { [right]: { label: '7' }, [wrong]: { label: '1' } });
    expect(await performance('corrected', '?range=1h')).toMatchObject({
      ...{ sample_size: 2, unmatched: 0 },
      versions: [expect.objectContaining({ version: 1, sample_size: 2, accuracy: 0.5 })],
    });
  });

  it('is compared with the classes of the training data', async () => {
    const files = many(80, (at) => ({
      path: `${at < 40 ? 'a' : 'b'}/${at}.png`,
      bytes: Buffer.from(`image ${at}`),
    })) as Array<{ path: string; bytes: Buffer }>;
    const dataset = await freezeDataset(api.container.db, api.container.objects, tenant.id, 'classes', files);
    await kit.version('classes');
    await kit.sql(
      `update model_version set dataset_digest = $2 where model_id = (select id from model where tenant_id = $1 and name = 'classes')`,
      [tenant.id, dataset.digest],
    );
    await kit.records('classes', 1, [
      ...many(90, () => ({ label: 'a' })),
      ...many(10, () => ({ label: 'b' })),
    ]);
    const found = await distribution('classes');
    expect(found).toMatchObject({
      ...{ sample_size: 100, baseline_sample_size: 80, drifted: true, message: null },
      bins: [
        { label: 'a', from: null, to: null, reference: 40, current: 90 },
        { label: 'b', from: null, to: null, reference: 40, current: 10 },
      ],
      psi: { value: expect.closeTo(0.4 * Math.log(1.8) - 0.4 * Math.log(0.2), 10) },
    });
    expect(found.test.p_value).toBeLessThan(0.001);
  });

  it('is compared with the classes alone that the training chose', async () => {
    const dataset = await freezeDataset(api.container.db, api.container.objects, tenant.id, 'three', []);
    const classes = ['car', 'person', 'bike'].map((name) => ({ name, count: 50 }));
    await kit.sql('update dataset_version set tasks = $2 where id = $1', [
      ...[dataset.versionId, JSON.stringify({ detection: classes })],
    ]);
    const training = await EXPERIMENT_FACTORY.create({ api, tenant, user: api.admin, canary: 'cars' });
    await kit.sql(
      `update training_experiment set config = jsonb_set(config, '{classes}', '["car"]') where id = $1`,
      [training.experiment_id],
    );
    await kit.version('cars');
    await kit.sql(
      `update model_version set dataset_digest = $2, task = 'detection', run_id = $3
       where model_id = (select id from model where tenant_id = $1 and name = 'cars')`,
      [tenant.id, dataset.digest, training.run_id],
    );
    await kit.records(
      'cars',
      1,
      many(60, () => ({ result: { detections: [{ label: 'car' }] } })),
    );
    expect(await distribution('cars')).toMatchObject({
      ...{ sample_size: 60, baseline_sample_size: 50, drifted: false },
      bins: [{ label: 'car', reference: 50, current: 60 }],
    });
  });

  it('counts the objects that a detector finds against those of its training data', async () => {
    const dataset = await freezeDataset(api.container.db, api.container.objects, tenant.id, 'boxes', []);
    const classes = [
      { name: 'cat', count: 60 },
      { name: 'dog', count: 40 },
    ];
    await kit.sql('update dataset_version set tasks = $2 where id = $1', [
      ...[dataset.versionId, JSON.stringify({ detection: classes })],
    ]);
    await kit.version('finder');
    await kit.sql(
      `update model_version set dataset_digest = $2, task = 'detection'
       where model_id = (select id from model where tenant_id = $1 and name = 'finder')`,
      [tenant.id, dataset.digest],
    );
    const found = {
      detections: [{ label: 'dog', score: 0.9 }, { label: 'dog' }, { label: 'cat' }, { score: 1 }, 7],
    };
    await kit.records(
      'finder',
      1,
      many(20, () => ({ result: found })),
    );
    // Neither found anything that has a class.
    await kit.records('finder', 1, [{ result: { detections: [] } }, { result: { detections: 'none' } }]);
    expect(await distribution('finder')).toMatchObject({
      ...{ sample_size: 60, baseline_sample_size: 100, drifted: true, message: null },
      bins: [
        { label: 'cat', reference: 60, current: 20 },
        { label: 'dog', reference: 40, current: 40 },
      ],
      psi: {
        value: expect.closeTo((1 / 3 - 0.6) * Math.log(1 / 1.8) + (2 / 3 - 0.4) * Math.log(1 / 0.6), 10),
      },
    });
  });

  it('is compared with another version, for numbers by their distribution', async () => {
    await kit.version('timed');
    await kit.version('timed');
    await kit.records(
      'timed',
      1,
      many(200, (at) => ({ latency: at, confidence: 0.9 })),
    );
    await kit.records(
      'timed',
      2,
      many(200, (at) => ({ latency: at + 100, confidence: 0.9 })),
    );
    const found = await distribution('timed', '?feature=latency_ms&baseline=1&range=1h');
    expect(found).toMatchObject({
      ...{ version: 2, baseline: '1', sample_size: 200, baseline_sample_size: 200, drifted: true },
      test: { test: 'kolmogorov_smirnov', statistic: 0.5 },
    });
    const current = found.bins.reduce((sum: number, bin: { current: number }) => sum + bin.current, 0);
    expect(current).toBe(200);
    expect(await distribution('timed', '?feature=confidence&baseline=1')).toMatchObject({
      ...{ drifted: false, test: { statistic: 0 } },
    });
    expect(await distribution('timed', '?version=1&feature=confidence')).toMatchObject({
      ...{ version: 1, baseline_sample_size: 0, message: expect.stringContaining('training data') },
    });
  });

  it('is not what a former model of the name showed', async () => {
    const send = async () => {
      const [mine, known] = [randomUUID(), randomUUID()];
      await kit.records('again', 1, [
        { prediction: mine, label: 'a', latency: 5 },
        { prediction: known, label: 'b' },
      ]);
      await kit.feedback('again', { [mine]: { label: 'a' } });
      return known;
    };
    const before = await send();
    await kit.version('again');
    // Feedback that comes late.
    await kit.feedback('again', { [before]: { label: 'b' } });
    const shown = async () => [
      (await performance('again')).sample_size,
      (await performance('again')).unmatched,
      (await distribution('again')).sample_size,
      (await distribution('again', '?feature=latency_ms')).sample_size,
    ];
    expect(await shown()).toEqual([0, 1, 0, 0]);
    await send();
    expect(await shown()).toEqual([1, 1, 2, 1]);
    const version = await api.container.db.inTenant(asTenantId(tenant.id), async (tx) =>
      measureVersion(tx, (await findVersion(tx, 'again', 1)) as ModelVersionRow, new Date(0), new Date(0)),
    );
    expect(version).toMatchObject({ requests: 2, judged: 1, accuracy: 1 });
  });

  it('hides what the tenant keeps no longer', async () => {
    await kit.version('kept');
    await kit.sql(
      `update model_version set created_at = created_at - interval '9 days'
       where model_id = (select id from model where tenant_id = $1 and name = 'kept')`,
      [tenant.id],
    );
    await kit.records(
      'kept',
      1,
      many(40, () => ({ label: 'a' })),
    );
    await kit.sql(
      "update inference set received_at = received_at - interval '20 hours' where model_name = 'kept'",
    );
    expect((await distribution('kept')).sample_size).toBe(40);
    await kit.sql(`update tenant set retention = '{"inference": 1}' where id = $1`, [tenant.id]);
    await kit.sql(
      "update inference set received_at = received_at - interval '1 days' where model_name = 'kept'",
    );
    expect((await distribution('kept', '?range=7d')).sample_size).toBe(0);
  });

  it('goes by the days of the device before those of the tenant, and not by devices that are gone', async () => {
    const own = new PromotionKit(api, await api.addTenant());
    const byPolicy = async (tenantDays: number | null, deviceDays: number | null) => {
      await own.sql('update tenant set retention = $2 where id = $1', [
        ...[own.tenant.id, JSON.stringify({ inference: tenantDays })],
      ]);
      await own.sql('update edge_device set retention = $2 where tenant_id = $1', [
        ...[own.tenant.id, JSON.stringify({ inference_days: deviceDays })],
      ]);
      const shown = async (what: string) =>
        (await own.call('GET', `/models/kept/${what}`)).body.sample_size as number;
      return [await shown('distribution?range=7d'), await shown('performance?range=7d')];
    };
    await own.version('kept');
    await own.sql(
      "update model_version set created_at = created_at - interval '9 days' where tenant_id = $1",
      [own.tenant.id],
    );
    const prediction = randomUUID();
    await own.records('kept', 1, [{ label: 'a', prediction }]);
    await own.feedback('kept', { [prediction]: { label: 'a' } });
    await own.sql("update inference set received_at = received_at - interval '3 days' where tenant_id = $1", [
      own.tenant.id,
    ]);
    expect([await byPolicy(null, 2), await byPolicy(2, null), await byPolicy(2, 1)]).toEqual([
      ...[
        [0, 0],
        [0, 0],
        [0, 0],
      ],
    ]);
    expect([await byPolicy(null, null), await byPolicy(2, 7), await byPolicy(null, 7)]).toEqual([
      ...[
        [1, 1],
        [1, 1],
        [1, 1],
      ],
    ]);
    const version = () =>
      api.container.db.inTenant(asTenantId(own.tenant.id), async (tx) =>
        measureVersion(tx, (await findVersion(tx, 'kept', 1)) as ModelVersionRow, new Date(0), new Date(0)),
      );
    expect(await version()).toMatchObject({ requests: 1, judged: 1 });
    await own.sql('delete from edge_device where tenant_id = $1', [own.tenant.id]);
    expect(await byPolicy(null, null)).toEqual([0, 0]);
    expect(await version()).toMatchObject({ requests: 0, judged: 0 });
  });

  it('refuses what it does not know', async () => {
    for (const [path, wanted] of [
      ['digits/performance?range=1s', 422],
      ['digits/performance?range=0h', 422],
      ['digits/distribution?feature=weight', 422],
      ['digits/distribution?baseline=latest', 422],
      ['digits/distribution?baseline=99', 422],
      ['digits/distribution?baseline=9999999999', 422],
      ['digits/distribution?version=99', 404],
      ['nobody/distribution', 404],
      ['nobody/performance', 404],
    ] as const)
      expect([path, (await kit.call('GET', `/models/${path}`)).status]).toEqual([path, wanted]);
    const other = await api.addTenant();
    expect((await kit.call('GET', '/models/digits/performance', { tenant: other.code })).status).toBe(404);
  });
});
