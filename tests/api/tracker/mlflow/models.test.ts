import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { asTenantId } from '../../../../core/security/ids.js';
import { startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { startTestWorker, type TestWorker } from '../../support/test-worker.js';
import { MlflowClient, refusal } from './mlflow-client.js';

jest.setTimeout(120_000);

describe('registered models over the protocol of MLflow', () => {
  let api: TestApi;
  let worker: TestWorker;
  let tenant: TestTenant;
  let client: MlflowClient;
  let engineer: MlflowClient;
  let experiment: string;
  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant, 'ADMIN');
    engineer = await MlflowClient.of(api, tenant, 'ML_ENGINEER');
    experiment = await client.experiment('models');
  }, 120_000);
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });

  const rest = (method: string, path: string, json?: unknown) =>
    api.call(method, `/api/v1/models/${path}`, {
      ...{ token: api.admin.token, tenant: tenant.code },
      ...(json === undefined ? {} : { json }),
    });
  const loggedModel = async (): Promise<string> => {
    const { body } = await client.post('logged-models', { experiment_id: experiment, name: 'm' });
    const id = body.model.info.model_id as string;
    await client.artifact('PUT', `artifacts/models/${id}/artifacts/MLmodel`, 'flavors: {}');
    await client.artifact('PUT', `artifacts/models/${id}/artifacts/data/w.bin`, 'weights');
    await client.send('PATCH', `logged-models/${id}`, { model_id: id, status: 'LOGGED_MODEL_READY' });
    return id;
  };
  const register = async (name: string, count = 1): Promise<void> => {
    await client.post('registered-models/create', { name });
    for (let n = 0; n < count; n += 1) {
      const { status } = await client.post('model-versions/create', {
        name,
        source: `models:/${await loggedModel()}`,
      });
      expect(status).toBe(200);
    }
  };
  /** Every move of a version, the newest first: version, from, to. */
  const movesOf = async (name: string): Promise<Array<[number, string, string]>> =>
    (await rest('GET', `${name}/stage-history`)).body.items.map(
      (move: { version: number; from_stage: string; to_stage: string }) => [
        move.version,
        move.from_stage,
        move.to_stage,
      ],
    );
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
  const promotionsOf = async (name: string): Promise<any[]> => {
    const { body } = await api.call('GET', '/api/v1/promotions?page_size=100', {
      ...{ token: api.admin.token, tenant: tenant.code },
    });
    return body.items.filter((each: { model_name: string }) => each.model_name === name);
  };
  const stage = (by: MlflowClient, name: string, version: string, to: string, archive = false) =>
    by.post('model-versions/transition-stage', {
      ...{ name, version, stage: to, archive_existing_versions: archive },
    });

  it('are made once when two clients ask at the same time', async () => {
    const make = () => engineer.post('registered-models/create', { name: 'twice' });
    const answers = await Promise.all([make(), make(), make(), make()]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(answer).toMatchObject(refusal(400, 'RESOURCE_ALREADY_EXISTS'));
  });

  it("are the registry's own, with their files, in both directions", async () => {
    await register('both', 2);
    const { body } = await rest('GET', 'both/versions');
    expect(body.items.map((item: { version: number }) => item.version)).toEqual([2, 1]);
    await rest('POST', 'both/1/stage', { stage: 'Staging' });
    const version = await client.get('model-versions/get', { name: 'both', version: '1' });
    expect(version.body.model_version).toMatchObject({
      current_stage: 'Staging',
      status: 'READY',
      version: '1',
    });
    const uri = await client.get('model-versions/get-download-uri', { name: 'both', version: '1' });
    const root = (uri.body.artifact_uri as string).replace('mlflow-artifacts:/', '');
    expect((await client.artifact('GET', `artifacts/${root}/data/w.bin`)).text).toBe('weights');
    const listed = await client.artifact('GET', `artifacts?path=${root}`);
    expect(listed.body.files).toContainEqual({ path: 'data', is_dir: true });
    expect((await client.artifact('PUT', `artifacts/${root}/MLmodel`, 'x')).status).toBe(400);
  });

  it('keep the files of a version when its logged model and its run lose theirs', async () => {
    await client.post('registered-models/create', { name: 'kept' });
    const runId = await client.run(experiment);
    await client.put(runId, 'nets/MLmodel', 'flavors: {}');
    const source = `mlflow-artifacts:/${runId}/artifacts/nets`;
    const made = await client.post('model-versions/create', { name: 'kept', source, run_id: runId });
    expect(made.body.model_version).toMatchObject({ run_id: runId, source, version: '1' });
    await client.artifact('DELETE', `artifacts/${runId}/artifacts/nets`);
    await client.put(runId, 'nets/MLmodel', 'other');
    const uri = await client.get('model-versions/get-download-uri', { name: 'kept', version: '1' });
    const path = (uri.body.artifact_uri as string).replace('mlflow-artifacts:/', '');
    expect((await client.artifact('GET', `artifacts/${path}/MLmodel`)).text).toBe('flavors: {}');
  });

  it('reach Production by the right to promote alone, one version at a time', async () => {
    await register('stages', 3);
    expect((await stage(engineer, 'stages', '1', 'staging')).body.model_version.current_stage).toBe(
      'Staging',
    );
    expect(await stage(engineer, 'stages', '1', 'Production')).toMatchObject(
      refusal(403, 'PERMISSION_DENIED'),
    );
    expect((await stage(client, 'stages', '1', 'Production')).body.model_version.current_stage).toBe(
      'Production',
    );
    await stage(client, 'stages', '2', 'Production');
    const latest = await client.post('registered-models/get-latest-versions', { name: 'stages' });
    const stages = latest.body.model_versions.map(({ version, current_stage }: Record<string, string>) => [
      version,
      current_stage,
    ]);
    expect(stages).toEqual([
      ['1', 'Archived'],
      ['2', 'Production'],
      ['3', 'None'],
    ]);
    expect(await stage(client, 'stages', '1', 'Production')).toMatchObject(
      refusal(400, 'INVALID_PARAMETER_VALUE'),
    );
    expect(await stage(client, 'stages', '1', 'Shipped')).toMatchObject(
      refusal(400, 'INVALID_PARAMETER_VALUE'),
    );
    const used = await client.send('DELETE', 'model-versions/delete', { name: 'stages', version: '2' });
    expect(used).toMatchObject(refusal(409, 'RESOURCE_CONFLICT'));
    expect(await movesOf('stages')).toEqual([
      [2, 'None', 'Production'],
      [1, 'Production', 'Archived'],
      [1, 'Staging', 'Production'],
      [1, 'None', 'Staging'],
    ]);
    const { body: now } = await rest('GET', `stages/stage-history?at=${new Date().toISOString()}`);
    expect(now.production).toMatchObject({ version: 2 });
    expect((await promotionsOf('stages')).map((each) => [each.to_version, each.status])).toEqual([
      [1, 'FAILED'],
      [2, 'APPLIED'],
      [1, 'APPLIED'],
    ]);
  });

  it('pass the machine checks before they come into Production', async () => {
    await register('damaged');
    await api.container.db.inPlatform((tx) =>
      tx.execute(
        `update model_version_file set sha256 = repeat('0', 64) where version_id =
           (select v.id from model_version v join model m on m.id = v.model_id where m.name = 'damaged')`,
      ),
    );
    const refused = await stage(client, 'damaged', '1', 'Production');
    expect(refused).toMatchObject(refusal(400, 'INVALID_PARAMETER_VALUE'));
    const [promotion] = await promotionsOf('damaged');
    expect(promotion).toMatchObject({ status: 'FAILED' });
    expect(refused.body.message).toContain(promotion.id);
    expect(refused.body.message).toContain('is not as registered');
    expect(await movesOf('damaged')).toEqual([]);
  });

  it('have one version in Production when several are promoted at the same time', async () => {
    await register('race', 4);
    const answers = await Promise.all(
      ['1', '2', '3', '4'].map((version) => stage(client, 'race', version, 'Production')),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { body } = await rest('GET', 'race/versions');
    const stages = body.items.map((item: { stage: string }) => item.stage);
    expect(stages.filter((one: string) => one === 'Production')).toHaveLength(1);
    const moves = (await movesOf('race')).reverse();
    let inProduction = 0;
    for (const [, from, to] of moves) {
      inProduction += Number(to === 'Production') - Number(from === 'Production');
      expect([0, 1]).toContain(inProduction);
    }
    expect(inProduction).toBe(1);
  });

  it('end the watch of a promotion when another version is promoted by a client', async () => {
    await register('watched', 2);
    const modelId = await api.container.db.inTenant(asTenantId(tenant.id), async (tx) => {
      const [model] = await tx.query<{ id: string }>("select id from model where name = 'watched'");
      await tx.execute(
        `insert into promotion (tenant_id, model_id, version, reason, status, from_stage, is_watched, applied_at)
         values ($1, $2, 1, 'test', 'APPLIED', 'None', true, now())`,
        [tenant.id, model?.id],
      );
      return model?.id;
    });
    expect((await stage(client, 'watched', '2', 'Production')).status).toBe(200);
    const watched = await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
      tx.query('select 1 from promotion where model_id = $1 and is_watched', [modelId]),
    );
    expect(watched).toEqual([]);
  });

  it('wait for a second person where the tenant asks for one', async () => {
    await register('approved');
    await api.call('PATCH', `/api/v1/settings/tenants/${tenant.id}`, {
      token: api.admin.token,
      json: { features: { promotion_approval: true } },
    });
    const answer = await stage(client, 'approved', '1', 'Production');
    const again = await stage(client, 'approved', '1', 'Production');
    await api.call('PATCH', `/api/v1/settings/tenants/${tenant.id}`, {
      token: api.admin.token,
      json: { features: { promotion_approval: false } },
    });
    expect(answer).toMatchObject(refusal(400, 'INVALID_PARAMETER_VALUE'));
    expect(answer.body.message).toContain('second person');
    const [promotion, ...others] = await promotionsOf('approved');
    expect([promotion.status, others]).toEqual(['WAITING_APPROVAL', []]);
    expect(answer.body.message).toContain(promotion.id);
    expect(again.body.message).toBe(answer.body.message);
    const approver = await api.addUser({ [tenant.code]: 'APPROVER' });
    await api.call('POST', `/api/v1/promotions/${promotion.id}/approve`, {
      ...{ token: approver.token, tenant: tenant.code, json: {} },
    });
    const moved = await stage(client, 'approved', '1', 'Production');
    expect(moved.body.model_version.current_stage).toBe('Production');
  });

  it('archive the other versions of Staging when asked', async () => {
    await register('archive', 2);
    await stage(engineer, 'archive', '1', 'Staging');
    await stage(engineer, 'archive', '2', 'Staging', true);
    const first = await client.get('model-versions/get', { name: 'archive', version: '1' });
    expect(first.body.model_version.current_stage).toBe('Archived');
    // As MLflow: in these stages versions may stay.
    for (const to of ['None', 'Archived'])
      expect(await stage(engineer, 'archive', '2', to, true)).toMatchObject(
        refusal(400, 'INVALID_PARAMETER_VALUE'),
      );
    const second = await client.get('model-versions/get', { name: 'archive', version: '2' });
    expect(second.body.model_version.current_stage).toBe('Staging');
  });

  it('have aliases, tags and descriptions', async () => {
    await register('labels', 2);
    const put = (path: string, json: Record<string, string>, method = 'POST') =>
      client.send(method, path, { name: 'labels', ...json });
    await put('registered-models/alias', { alias: 'best', version: '1' });
    await put('registered-models/alias', { alias: 'best', version: '2' });
    const best = await client.get('registered-models/alias', { name: 'labels', alias: 'best' });
    expect(best.body.model_version).toMatchObject({ version: '2', aliases: ['best'] });
    await put('registered-models/set-tag', { key: 'k', value: 'v' });
    await put('model-versions/set-tag', { version: '1', key: 'k', value: 'w' });
    await put('registered-models/update', { description: 'd' }, 'PATCH');
    const { body } = await client.get('registered-models/get', { name: 'labels' });
    expect(body.registered_model).toMatchObject({
      ...{ description: 'd', tags: [{ key: 'k', value: 'v' }], aliases: [{ alias: 'best', version: '2' }] },
    });
    const found = await client.get('model-versions/search', { filter: "tags.k = 'w' and name = 'labels'" });
    expect(found.body.model_versions.map(({ version }: { version: string }) => version)).toEqual(['1']);
    for (const alias of ['latest', 'v1', 'a b', ''])
      expect((await put('registered-models/alias', { alias, version: '1' })).status).toBe(400);
    expect((await put('registered-models/alias', { alias: 'x', version: '9' })).status).toBe(404);
    await put('registered-models/alias', { alias: 'best' }, 'DELETE');
    expect((await client.get('registered-models/alias', { name: 'labels', alias: 'best' })).status).toBe(400);
    expect(
      (await client.post('registered-models/rename', { name: 'labels', new_name: 'renamed' })).status,
    ).toBe(200);
    expect((await client.get('registered-models/get', { name: 'renamed' })).status).toBe(200);
    expect((await client.send('DELETE', 'registered-models/delete', { name: 'renamed' })).status).toBe(200);
  });

  it.each([
    ['a file elsewhere', 's3://bucket/model'],
    ['a path of the server', '/etc/passwd'],
    ['a file URL', 'file:///etc/passwd'],
    ['a path upwards', 'mlflow-artifacts:/../../x'],
    ['a folder without files', 'RUN'],
  ])('are not made of %s', async (_what, given) => {
    await client.post('registered-models/create', { name: 'sources' });
    const source = given === 'RUN' ? `runs:/${await client.run(experiment)}/model` : given;
    expect(await client.post('model-versions/create', { name: 'sources', source })).toMatchObject(
      refusal(400, 'INVALID_PARAMETER_VALUE'),
    );
    const { body } = await client.get('model-versions/search', { filter: "name = 'sources'" });
    expect(body.model_versions).toEqual([]);
  });
});
