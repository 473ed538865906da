import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { asTenantId } from '../../../core/security/ids.js';
import { SYSTEM_ACTOR } from '../../../models/audit/audit.types.js';
import { versionsOfDataset } from '../../../models/registry/lineage.queries.js';
import type { RegisteredRun } from '../../../models/registry/model.types.js';
import { registerModelVersion } from '../../../models/registry/register-version.commands.js';
import { EXPERIMENT_FACTORY } from '../training/support/training-factories.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { runWithModel } from './support/registry-builders.js';

jest.setTimeout(60_000);

const SIGNATURE = `signature:
  inputs: '[{"name": "image", "type": "string"}]'
  outputs: '[{"name": "label", "type": "string"}]'
`;

describe('versions side by side, and what people write about them', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let viewer: TestUser;

  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    viewer = await api.addUser({ [tenant.code]: 'VIEWER' });
  });
  afterAll(() => api.close());

  const call = (method: string, path: string, options: Parameters<TestApi['call']>[2] = {}) =>
    api.call(method, `/api/v1${path}`, { token: api.admin.token, tenant: tenant.code, ...options });

  /** Registers a version with these files. */
  async function register(
    modelName: string,
    files: Readonly<Record<string, string>>,
    over: Partial<RegisteredRun> = {},
  ): Promise<void> {
    const modelFiles = await Promise.all(
      Object.entries(files).map(async ([name, text]) => {
        const [bytes, objectKey] = [Buffer.from(text), `t/${tenant.id}/runs/${randomUUID()}`];
        await api.container.objects.put(objectKey, bytes, bytes.length);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        return { path: `model/${name}`, sizeBytes: bytes.length, sha256, objectKey };
      }),
    );
    await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      registerModelVersion(tx, SYSTEM_ACTOR, { modelName, run: runWithModel({ modelFiles, ...over }) }),
    );
  }

  const binRun = (runId: string) =>
    api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      tx.execute("update tracker_run set lifecycle = 'deleted' where run_id = $1", [runId]),
    );

  it('are compared by metrics, params, signature, classes and files', async () => {
    const made = await EXPERIMENT_FACTORY.create({
      ...{ api, tenant, user: api.admin, canary: `c${randomUUID().slice(0, 8)}` },
    });
    const files = { MLmodel: SIGNATURE, 'labels.json': '["cat", "dog"]', 'a.bin': 'a', 'same.bin': 's' };
    await register('sides', files, { metrics: { accuracy: 0.9, old: 1 } });
    await register(
      'sides',
      { ...files, MLmodel: '# none\n', 'labels.json': '["cat", "bird"]', 'a.bin': 'b', 'new.bin': 'n' },
      { metrics: { accuracy: 0.95, worst: Number.NaN }, runId: made.run_id as string },
    );
    const { status, body } = await call('GET', '/models/sides/compare?from=1&to=2');
    expect(status).toBe(200);
    expect([body.name, body.from.version, body.to.version]).toEqual(['sides', 1, 2]);
    expect(body.metrics).toEqual([
      { name: 'accuracy', from: 0.9, to: 0.95, change: expect.closeTo(0.05, 10) },
      { name: 'old', from: 1, to: null, change: null },
      { name: 'worst', from: null, to: null, change: null },
    ]);
    expect(body.params).toEqual([{ name: 'secret', from: null, to: expect.any(String) }]);
    expect(body.signature).toEqual({
      from: {
        inputs: [{ name: 'image', type: 'string' }],
        outputs: [{ name: 'label', type: 'string' }],
      },
      to: null,
      is_same: false,
    });
    expect(body.classes).toEqual({
      ...{ from: ['cat', 'dog'], to: ['cat', 'bird'], added: ['bird'], removed: ['dog'] },
    });
    expect(body.files.map((file: { path: string; change: string }) => `${file.path} ${file.change}`)).toEqual(
      ['MLmodel changed', 'a.bin changed', 'labels.json changed', 'new.bin added', 'same.bin same'],
    );
    // What it was trained with stays known while its run lies in the bin.
    await binRun(made.run_id as string);
    expect((await call('GET', '/models/sides/compare?from=1&to=2')).body.params).toEqual(body.params);
    const same = await call('GET', '/models/sides/compare?from=1&to=1', { token: viewer.token });
    expect([same.body.signature.is_same, same.body.classes.added]).toEqual([true, []]);
    for (const [query, wanted] of [
      ['from=1&to=9', 404],
      ['from=1', 422],
      ['to=1', 422],
      ['from=0&to=1', 422],
      ['from=a&to=1', 422],
    ] as const)
      expect([query, (await call('GET', `/models/sides/compare?${query}`)).status]).toEqual([query, wanted]);
  });

  it('read no bomb: a signature with aliases or deep nesting is not there', async () => {
    const bomb = `a: &a [1]\nb: &b [*a, *a]\nsignature: {inputs: *b}\n`;
    await register('bombs', { MLmodel: bomb });
    await register('bombs', { MLmodel: `signature: ${'['.repeat(5000)}` });
    const { status, body } = await call('GET', '/models/bombs/compare?from=1&to=2');
    expect([status, body.signature]).toEqual([200, { from: null, to: null, is_same: true }]);
  });

  it('carry comments, newest first, as plain text', async () => {
    await register('talked', { MLmodel: 'x' });
    const path = '/models/talked/1/comments';
    const first = await call('POST', path, { json: { body: 'Sevens are hard.' } });
    expect([first.status, first.body]).toEqual([
      201,
      expect.objectContaining({ body: 'Sevens are hard.', created_by: api.admin.id }),
    ]);
    const text = `<b>**two**</b>\n${'x'.repeat(9980)}`;
    expect((await call('POST', path, { json: { body: text } })).body.body).toBe(text);
    const { body } = await call('GET', path, { token: viewer.token });
    expect([body.total, body.items.map((item: { body: string }) => item.body)]).toEqual([
      2,
      [text, 'Sevens are hard.'],
    ]);
    for (const bad of ['', 'x'.repeat(10_001), 'nul \u0000', null, 7])
      expect((await call('POST', path, { json: { body: bad } })).status).toBe(422);
    expect((await call('POST', path, { json: { body: 'x' }, token: viewer.token })).status).toBe(403);
    expect((await call('POST', '/models/talked/9/comments', { json: { body: 'x' } })).status).toBe(404);
    expect((await call('GET', '/models/talked/9/comments')).status).toBe(404);
    expect((await call('DELETE', '/models/talked/1')).status).toBe(204);
  });

  it('tell where they come from, and the data tell what was made of them', async () => {
    const canary = `d${randomUUID().slice(0, 8)}`;
    const made = await EXPERIMENT_FACTORY.create({ api, tenant, user: api.admin, canary });
    const lineage = {
      ...{ runId: made.run_id as string, trainingExperimentId: made.experiment_id as string },
      ...{ datasetKey: made.dataset_id as string, datasetDigest: 'd'.repeat(64) },
    };
    await register('descended', { MLmodel: 'x' }, lineage);
    const { body } = await call('GET', '/models/descended/versions/1');
    expect(body.lineage).toEqual({
      ...{ dataset_id: made.dataset_id, dataset_digest: 'd'.repeat(64), image_ref: null, endpoints: [] },
      base: null,
      training: { id: made.experiment_id, name: canary, status: 'QUEUED' },
      run: { run_id: made.run_id, name: expect.any(String), status: 'RUNNING' },
      ...{ deployments: [], deployments_total: 0, devices: [], devices_total: 0 },
      ...{ derived: [], derived_total: 0 },
    });
    await binRun(made.run_id as string);
    const later = (await call('GET', '/models/descended/versions/1')).body.lineage;
    expect(later.run).toEqual(body.lineage.run);
    const usage = (await call('GET', `/datasets/${made.dataset_id}/usage`)).body;
    expect([usage.total, usage.model_versions_total, usage.model_versions]).toEqual([
      1,
      1,
      [
        {
          ...{ model_name: 'descended', version: 1, stage: 'None', endpoints: [] },
          ...{ dataset_digest: 'd'.repeat(64), run_id: made.run_id, devices: [], devices_total: 0 },
          training_experiment_id: made.experiment_id,
        },
      ],
    ]);
  });

  it('are not of the data of a former dataset of the same id', async () => {
    const old = (
      await api.container.db.inPlatform((tx) =>
        tx.query<{ key: string }>(
          `update dataset set created_at = now() + interval '1 second'
           where tenant_id = $1 and key = (select dataset_key from model_version v join model m
             on m.tenant_id = v.tenant_id and m.id = v.model_id where v.tenant_id = $1 and m.name = 'descended')
           returning key`,
          [tenant.id],
        ),
      )
    )[0];
    const usage = (await call('GET', `/datasets/${old?.key}/usage`)).body;
    expect([usage.total, usage.model_versions_total, usage.model_versions]).toEqual([1, 0, []]);
  });

  it('tell into which field they went, and the data tell it as well', async () => {
    const lineage = { datasetKey: 'scans-of-the-field', datasetDigest: 'e'.repeat(64) };
    await register('fielded', { MLmodel: 'x' }, lineage);
    await register('fielded', { MLmodel: 'y' }, lineage);
    const deployed = await api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      const [model] = await tx.query<{ id: string }>("select id from model where name = 'fielded'");
      await tx.execute(
        `with d as (insert into edge_device (tenant_id, key) select $1, 'cam-' || n from generate_series(10, 69) n
           returning id)
         insert into edge_installed_model (device_id, model_id, tenant_id, version) select id, $2, $1, 1 from d`,
        [tenant.id, model?.id],
      );
      const [deployment] = await tx.query<{ id: string }>(
        `insert into deployment (tenant_id, model_id, version, strategy, groups, status)
         values ($1, $2, 1, 'replace', '[]', 'SUCCEEDED') returning id`,
        [tenant.id, model?.id],
      );
      return deployment?.id;
    });
    const [first, second] = await Promise.all(
      [1, 2].map(async (version) => (await call('GET', `/models/fielded/versions/${version}`)).body.lineage),
    );
    expect(first).toMatchObject({
      ...{ devices_total: 60, deployments_total: 1 },
      deployments: [{ id: deployed, status: 'SUCCEEDED', created_at: expect.any(String) }],
    });
    expect(first.devices).toHaveLength(50);
    expect(first.devices[0]).toEqual({ device_id: 'cam-10', installed_at: expect.any(String) });
    const refused = await call('DELETE', '/models/fielded/1');
    const { users, users_total } = refused.body.detail;
    const named = users.filter(({ kind }: { kind: string }) => kind === 'device').length;
    expect([refused.status, named, users_total - users.length]).toEqual([409, 10, 50]);
    expect(second).toMatchObject({ devices: [], devices_total: 0, deployments: [], deployments_total: 0 });
    const made = await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      versionsOfDataset(tx, lineage.datasetKey, new Date(0)),
    );
    expect(made.items.map(({ version, devices }) => [version, devices.total, devices.keys.length])).toEqual([
      [2, 0, 0],
      [1, 60, 10],
    ]);
  });
});
