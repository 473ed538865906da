import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createRemoteSource } from '../../../adapters/http/http-remote-source.js';
import { openObjectStore } from '../../../adapters/minio/open-object-store.js';
import { openWeightsFolder } from '../../../adapters/weights/weights-folder.js';
import { createAttemptActivities } from '../../../activities/training/attempt.activities.js';
import { asTenantId } from '../../../core/security/ids.js';
import type { RegisteredRun } from '../../../models/registry/model.types.js';
import { describeRun } from '../../../models/tracker/register-run.commands.js';
import { holdBaseVersion } from '../../../models/training/base-version.commands.js';
import { findAttempt } from '../../../models/training/experiment.queries.js';
import { jobSettings, jobSpec } from '../../../models/training/jobs/job-spec.js';
import { freezeDataset } from '../../builders/frozen-dataset.js';
import { registerDigits } from '../serving/digit-model.js';
import { startTestApi, type TestApi, type TestTenant } from '../support/test-api.js';

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const PLACED = Buffer.from('weights of the operator');
/** More than one part of an upload. */
const SERVED = Buffer.alloc(17 * 2 ** 20, 'weights of an address');

/** The activities as the worker has them, called one by one. */
describe('weights that a training begins with', () => {
  const folder = mkdtempSync(join(tmpdir(), 'visionops-weights-'));
  let api: TestApi;
  let store: ReturnType<typeof openObjectStore>;
  let remote: ReturnType<typeof createRemoteSource>;
  let server: Server;
  let address: string;
  let tenant: TestTenant;
  let token: string;

  beforeAll(async () => {
    mkdirSync(join(folder, 'torchvision'));
    const place = (name: string, bytes: Buffer, sha256: string) => {
      writeFileSync(join(folder, 'torchvision', name), bytes);
      writeFileSync(join(folder, 'torchvision', `${name}.sha256`), `${sha256}  ${name}\n`);
    };
    place('resnet18.pth', PLACED, digest(PLACED));
    place('resnet50.safetensors', PLACED, digest(SERVED));
    writeFileSync(join(folder, 'torchvision/efficientnet_b0.pth'), PLACED);
    server = createServer(({ url }, response) =>
      url?.includes('gone') ? response.writeHead(404).end() : response.end(SERVED),
    );
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/files/net.pth?v=1`;
    api = await startTestApi({ SERVICE_WEIGHTS_DIR: folder });
    store = openObjectStore(api.container.settings);
    remote = createRemoteSource({ allow: '127.0.0.1' });
    tenant = await api.addTenant();
    token = (await api.addUser({ [tenant.code]: 'ML_ENGINEER' })).token;
    const files = ['0', '1'].flatMap((label) =>
      Array.from({ length: 5 }, (_, at) => ({ path: `${label}/${at}.png`, bytes: Buffer.from(label + at) })),
    );
    await freezeDataset(api.container.db, store, tenant.id, 'grey', files);
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await remote.close();
    await store.close();
    await api.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/training${path}`, {
      token,
      tenant: tenant.code,
      ...(json === undefined ? {} : { json }),
    });
  const config = (model: string, pretrained?: unknown) => ({
    task: 'classification',
    framework: 'torchvision',
    evaluation: { enabled: false },
    ...{ model, dataset_id: 'grey', gpu: 0, pretrained },
  });
  const inTenant = <T>(work: Parameters<TestApi['container']['db']['inTenant']>[1]) =>
    api.container.db.inTenant(asTenantId(tenant.id), work) as Promise<T>;

  /** An attempt of a config, prepared as the worker does it. */
  async function prepared(model: string, pretrained?: unknown, using = remote) {
    const { body } = await call('POST', '/experiments', config(model, pretrained));
    const ref = { tenantId: tenant.id, experimentId: body.id as string, attempt: 1 };
    const work = createAttemptActivities({
      ...{ database: api.container.db, objects: store, remote: using },
      ...{ events: api.container.events, weights: openWeightsFolder(folder) },
    });
    await work.beginAttempt(ref);
    const error = await new MockActivityEnvironment().run(work.prepareAttempt, ref).then(
      () => null,
      (thrown: Error) => thrown,
    );
    const row = await inTenant<NonNullable<Awaited<ReturnType<typeof findAttempt>>>>((tx) =>
      findAttempt(tx, ref),
    );
    const { spec } = jobSpec(row, null, jobSettings(api.container.settings));
    const reported = JSON.parse(spec.files.find(({ path }) => path === 'config.json')?.content ?? '');
    return {
      ref,
      work,
      error,
      downloads: spec.downloads,
      reported: reported.pretrained,
      config: body.config,
    };
  }
  const due = (key: string) =>
    inTenant<Array<{ s: number }>>((tx) =>
      tx.query(
        'select extract(epoch from due_at - now())::float8 as s from orphaned_object where object_key = $1',
        [key],
      ),
    );

  it('are offered where they are: those of the operator by model, those of an address where programs take them', async () => {
    const { items } = (await call('GET', '/catalog/models?task=classification&page_size=200')).body;
    const offered = (name: string) =>
      items.find((item: { name: string }) => item.name === name)?.pretrained_sources;
    expect(offered('resnet18')).toEqual(['catalog', 'model', 'url']);
    // Without its sha256 beside it a file is nothing.
    expect(offered('efficientnet_b0')).toEqual(['model', 'url']);
    expect(offered('mlp')).toEqual([]);
  });

  it('are refused by the check where there are none', async () => {
    const checked = await call('POST', '/experiments:validate', config('efficientnet_b0', { enabled: true }));
    expect(checked.body).toMatchObject({
      ...{ valid: false, errors: [{ loc: ['body', 'pretrained', 'source'], type: 'not_available' }] },
    });
    const started = await call('POST', '/experiments', config('efficientnet_b0', { enabled: true }));
    expect(started.status).toBe(422);
  });

  it('come out of the folder to the job, and go when the attempt ends', async () => {
    const { ref, work, error, downloads, reported, config: kept } = await prepared('resnet18');
    const sha256 = digest(PLACED);
    expect([error, kept.pretrained]).toMatchObject([null, { enabled: true, source: 'catalog', sha256 }]);
    expect(reported).toEqual({ file: 'resnet18', sha256 });
    expect(downloads).toMatchObject([{ path: 'weights/resnet18', sha256 }]);
    const key = downloads[0]?.key ?? '';
    expect(await buffer(await store.get(key))).toEqual(PLACED);
    expect(await due(key)).toEqual([]);
    await work.endAttempt(ref, { status: 'CANCELED', message: '' });
    expect((await due(key))[0]?.s).toBeLessThan(3600);
  });

  it('end with an attempt that nothing works on: it has failed, or is canceled where somebody asked for that', async () => {
    const lose = async ({ ref, work }: Awaited<ReturnType<typeof prepared>>) => {
      await work.endAttempt(ref, { status: 'LOST', message: 'Its workflow is gone.' });
      return (await call('GET', `/experiments/${ref.experimentId}`)).body.status as string;
    };
    expect(await lose(await prepared('resnet18'))).toBe('FAILED');
    const unwanted = await prepared('resnet18');
    expect((await call('POST', `/experiments/${unwanted.ref.experimentId}/cancel`)).status).toBe(202);
    expect(await lose(unwanted)).toBe('CANCELED');
  });

  it('come from an address, and only with the sha256 that was agreed', async () => {
    const sha256 = digest(SERVED);
    const { error, downloads, reported } = await prepared('resnet18', {
      source: 'url',
      url: address,
      sha256,
    });
    expect([error, reported]).toEqual([null, { file: 'net.pth', sha256 }]);
    expect(digest(await buffer(await store.get(downloads[0]?.key ?? '')))).toBe(sha256);
    const other = { source: 'url', url: address, sha256: digest(PLACED) };
    for (const refused of [await prepared('resnet18', other), await prepared('resnet50')]) {
      expect(refused.error?.message).toMatch(/have the sha256 [0-9a-f]{64}, and not/);
      expect(await store.head(refused.downloads[0]?.key ?? '')).toBeNull();
    }
  });

  it('come from no address of the inner network that the operator has not opened', async () => {
    const closed = createRemoteSource({ allow: '' });
    const wanted = { source: 'url', url: address, sha256: digest(SERVED) };
    const { error } = await prepared('resnet18', wanted, closed);
    expect(error).toMatchObject({
      ...{
        code: 'unprocessable_entity',
        message: expect.stringContaining('is not an address the platform may call'),
      },
    });
    await closed.close();
  });

  it('end the attempt at once where their address has nothing', async () => {
    const gone = { source: 'url', url: `${address}&gone`, sha256: digest(SERVED) };
    const { error } = await prepared('resnet18', gone);
    expect(error).toMatchObject({
      code: 'unprocessable_entity',
      message: expect.stringMatching(/^The weights cannot/),
    });
  });

  describe('of a registered version', () => {
    const kind = { framework: 'torchvision', task: 'classification' };
    const mlmodel = (network: string, data = 'model.safetensors') =>
      Buffer.from(`flavors: {visionops_torchvision: {model: ${network}, data: ${data}}}`);
    const register = (name: string, files: Record<string, Buffer>, over: object = kind, of = tenant) => {
      const { settings, db } = api.container;
      return registerDigits(settings, db, of.id, name, new Map(Object.entries(files)), over);
    };
    const ofModel = (model_name: string, version?: number) => ({ source: 'model', model_name, version });
    const found = async (pretrained: object) => {
      const { body } = await call('POST', '/experiments:validate', config('resnet18', pretrained));
      return body.errors.map((error: { loc: string[]; msg: string }) => [error.loc.at(-1), error.msg]);
    };
    const models = (method: string, path: string) =>
      api.call(method, `/api/v1/models/${path}`, { token: api.admin.token, tenant: tenant.code });

    it('go to the job with the version and its digest, which is kept as long as the training needs it', async () => {
      for (const bytes of [PLACED, SERVED])
        await register('nets', { MLmodel: mlmodel('resnet18'), 'model.safetensors': bytes });
      const sha256 = digest(SERVED);
      const {
        ref,
        work,
        error,
        downloads,
        reported,
        config: kept,
      } = await prepared('resnet18', ofModel('nets'));
      expect([error, kept.pretrained]).toMatchObject([null, { enabled: true, version: 2, sha256 }]);
      expect(reported).toEqual({ file: 'nets-2', sha256 });
      expect(digest(await buffer(await store.get(downloads[0]?.key ?? '')))).toBe(sha256);

      const refused = await models('DELETE', 'nets/2');
      const users = [{ version: 2, kind: 'training', name: kept.experiment_name }];
      expect([refused.status, refused.body.detail]).toEqual([409, { users, users_total: 1 }]);
      expect(refused.body.message).toContain(`is what training ${kept.experiment_name} begins with`);

      const row = await inTenant<{ trackerRunId: string }>((tx) => findAttempt(tx, ref));
      const made = await inTenant<RegisteredRun>((tx) => describeRun(tx, row.trackerRunId));
      expect(made.base).toMatchObject({ name: 'nets', version: 2, sha256 });
      const run = await api.call('GET', `/api/v1/runs/${row.trackerRunId}`, { token, tenant: tenant.code });
      const tags = { 'base.model': 'nets', 'base.version': '2', 'base.sha256': sha256 };
      expect(run.body.tags).toMatchObject(tags);
      await register('tuned', { MLmodel: mlmodel('resnet18') }, { ...kind, base: made.base });
      const base = async () => (await models('GET', 'tuned/versions/1')).body.lineage.base;
      expect(await base()).toEqual({ model_name: 'nets', version: 2, sha256, stage: 'None' });

      await work.endAttempt(ref, { status: 'CANCELED', message: '' });
      expect((await models('DELETE', 'nets/2')).status).toBe(204);
      expect(await base()).toEqual({ model_name: 'nets', version: 2, sha256, stage: null });
      const again = await call('POST', `/experiments/${ref.experimentId}/retry`);
      expect([again.status, again.body.message]).toEqual([
        ...[409, expect.stringMatching(/^Version 2 of nets, .* is not there any more/)],
      ]);
      await expect(inTenant((tx) => holdBaseVersion(tx, kept))).rejects.toMatchObject({ code: 'conflict' });
    });

    it('are refused where they are not there, not of this network, or nobody’s', async () => {
      const files = { MLmodel: mlmodel('resnet50'), 'model.safetensors': PLACED };
      await register('wide', files);
      await register('boxes', files, { ...kind, task: 'detection' });
      await register('digits', files, { framework: 'sklearn' });
      await register('bare', { MLmodel: mlmodel('resnet18') });
      await register('logged', { MLmodel: Buffer.from('flavors: {onnx: {data: model.onnx}}') });
      await register('theirs', files, kind, await api.addTenant());
      expect(await found(ofModel('nobody'))).toEqual([['model_name', 'there is no model "nobody"']]);
      expect(await found(ofModel('theirs'))).toEqual([['model_name', 'there is no model "theirs"']]);
      expect(await found(ofModel('wide', 7))).toEqual([
        ['version', 'the model wide has no version 7; its newest is 1'],
      ]);
      for (const [name, text] of [
        ['wide', 'is resnet50 of torchvision for classification'],
        ['boxes', 'is resnet50 of torchvision for detection'],
        ['digits', 'is resnet50 of sklearn for classification'],
        ['bare', 'has no file of trained weights'],
        ['logged', 'has no file of trained weights'],
      ] as const)
        expect(await found(ofModel(name))).toEqual([
          ['version', expect.stringContaining(`version 1 of ${name} ${text}`)],
        ]);
    });
  });

  it('are none where it trains from scratch', async () => {
    const { error, downloads, reported } = await prepared('mobilenet_v3_small');
    expect([error, downloads, reported]).toEqual([null, [], {}]);
  });
});
