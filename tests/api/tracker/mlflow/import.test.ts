import { PassThrough, type Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ImportJob } from '../../../../cli/import/import-job.js';
import { importMlflow } from '../../../../cli/import/import-mlflow.js';
import { TrackerFailure, TrackerRefusal, TrackerServer } from '../../../../cli/import/tracker-server.js';
import { Progress } from '../../../../cli/terminal/progress.js';
import { startTestApi, type TestApi } from '../../support/test-api.js';
import { startTestWorker, type TestWorker } from '../../support/test-worker.js';
import { MlflowClient } from './mlflow-client.js';

jest.setTimeout(120_000);

describe('an import from another VisionOps', () => {
  let api: TestApi;
  let worker: TestWorker;
  let theirs: MlflowClient;
  let ours: MlflowClient;
  let others: MlflowClient;
  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    theirs = await MlflowClient.of(api, await api.addTenant(), 'ADMIN');
    ours = await MlflowClient.of(api, await api.addTenant(), 'ML_ENGINEER');
    others = await MlflowClient.of(api, await api.addTenant(), 'ADMIN');
    await fill();
  }, 120_000);
  afterAll(async () => {
    await worker?.close();
    await api?.close();
  });

  async function fill(): Promise<void> {
    const experiment_id = await theirs.experiment('team/models');
    const run_id = await theirs.run(experiment_id, { run_name: 'r' });
    await theirs.put(run_id, 'notes/a.txt', 'a note');
    await theirs.post('runs/log-batch', {
      run_id,
      params: [{ key: 'net', value: 'yolo' }],
      metrics: [{ key: 'loss', value: 0.5, timestamp: 1, step: 0 }],
      // Left by an earlier import into that server.
      tags: [{ key: 'mlflow.import.state', value: 'complete' }],
    });
    await theirs.post('runs/update', { run_id, status: 'FINISHED', end_time: 9 });
    const { body } = await theirs.post('logged-models', { experiment_id, name: 'm', source_run_id: run_id });
    const { model_id } = body.model.info;
    await theirs.artifact('PUT', `artifacts/models/${model_id}/artifacts/MLmodel`, 'flavors: {}');
    await theirs.send('PATCH', `logged-models/${model_id}`, { model_id, status: 'LOGGED_MODEL_READY' });
    for (const name of ['classifier', 'detector']) {
      await theirs.post('registered-models/create', { name });
      for (const source of [`models:/${model_id}`, `models:/${model_id}`])
        await theirs.post('model-versions/create', { name, source });
      const move = { name, archive_existing_versions: false };
      await theirs.post('model-versions/transition-stage', { ...move, version: '1', stage: 'Production' });
      await theirs.post('model-versions/transition-stage', { ...move, version: '2', stage: 'Staging' });
      await theirs.post('registered-models/alias', { name, alias: 'best', version: '2' });
    }
    const team = { name: 'detector', version: '1', key: 'team', value: 'vision' };
    await theirs.post('model-versions/set-tag', team);
    await theirs.post('registered-models/create', { name: 'copies' });
    await theirs.post('model-versions/create', { name: 'copies', source: 'models:/detector/1' });
    await theirs.post('model-versions/create', { name: 'copies', source: 'models:/copies/1' });
    await theirs.experiment('removed');
  }

  type Kind = typeof TrackerServer;
  const copy = (into = ours, kind: Kind = TrackerServer): Promise<ImportJob> => {
    const server = ({ token }: MlflowClient, Server: Kind = TrackerServer) => {
      const address = { role: 'a server', url: `${api.base}/tracker`, hint: '' };
      return new Server({ ...address, authorization: `Bearer ${token}` }, new AbortController().signal);
    };
    const nowhere = new PassThrough().resume() as unknown as NodeJS.WriteStream;
    return importMlflow(server(theirs), server(into, kind), new Progress(nowhere));
  };
  /** Refuses what is named below, and takes the rest. */
  class Particular extends TrackerServer {
    override send<T>(method: string, path: string, body: unknown, isRepeatable?: boolean): Promise<T> {
      const isRefused =
        path.endsWith('set-experiment-tag') ||
        (path.endsWith('log-batch') && JSON.stringify(body).includes('"params"')) ||
        (path.endsWith('registered-models/create') && JSON.stringify(body).includes('detector'));
      if (isRefused) return Promise.reject(new TrackerRefusal(400, 'INVALID_PARAMETER_VALUE', 'not taken'));
      return super.send(method, path, body, isRepeatable);
    }
    override put(path: string, body: Readable, sizeBytes: number): Promise<void> {
      if (path.endsWith('a.txt')) return Promise.reject(new TrackerFailure('it is full'));
      return super.put(path, body, sizeBytes);
    }
  }
  /** Refuses one tag of a version. */
  class Teamless extends TrackerServer {
    override send<T>(method: string, path: string, body: unknown, isRepeatable?: boolean): Promise<T> {
      if ((body as { key?: string }).key === 'team')
        return Promise.reject(new TrackerRefusal(400, 'INVALID_PARAMETER_VALUE', 'not taken'));
      return super.send(method, path, body, isRepeatable);
    }
  }
  const versions = async (name: string) =>
    (await ours.get('model-versions/search', { filter: `name = '${name}'` })).body.model_versions
      .map(({ version, current_stage, aliases }: Record<string, string>) => [version, current_stage, aliases])
      .sort();

  it('copies all that it may, and says what it may not', async () => {
    const gone = await ours.experiment('removed');
    await ours.post('experiments/delete', { experiment_id: gone });
    const { counts, problems } = await copy();
    expect(counts).toMatchObject({ runs: 1, loggedModels: 1, models: 3, versions: 6, files: 2 });
    expect(problems.sort()).toEqual([
      expect.stringMatching(/^experiment removed: .*deleted/),
      expect.stringMatching(/^version 1 of the model classifier: .*PRODUCTION_PROMOTE/),
      expect.stringMatching(/^version 1 of the model detector: .*PRODUCTION_PROMOTE/),
    ]);
    for (const name of ['classifier', 'detector'])
      expect(await versions(name)).toEqual([
        ['1', 'None', []],
        ['2', 'Staging', ['best']],
      ]);
    const { experiment } = (await ours.get('experiments/get-by-name', { experiment_name: 'team/models' }))
      .body;
    const { runs } = (await ours.post('runs/search', { experiment_ids: [experiment.experiment_id] })).body;
    const [{ info, data }] = runs;
    expect(data.metrics).toEqual([expect.objectContaining({ key: 'loss', value: 0.5 })]);
    const file = await ours.page(`get-artifact?run_id=${info.run_id}&path=notes/a.txt`);
    expect(file.text).toBe('a note');
    const model = await ours.page('model-versions/get-artifact?name=classifier&version=2&path=MLmodel');
    expect(model.text).toBe('flavors: {}');
    const copied = await ours.page('model-versions/get-artifact?name=copies&version=2&path=MLmodel');
    expect(copied.text).toBe('flavors: {}');
  });

  it('goes on after what is refused, lists it, and copies that the next time', async () => {
    const first = await copy(others, Particular);
    expect(first.problems.sort()).toEqual([
      'experiment removed: not taken',
      'experiment team/models: not taken',
      'model detector: not taken',
      expect.stringMatching(/^run [0-9a-f]{32}, its file notes\/a\.txt: it is full$/),
      expect.stringMatching(/^run [0-9a-f]{32}: not taken$/),
    ]);
    expect(first.counts).toMatchObject({ runs: 1, metrics: 1, models: 2, versions: 4, files: 1 });
    const second = await copy(others);
    expect(second.problems).toEqual([]);
    expect(second.counts).toMatchObject({ runs: 1, models: 3, versions: 6, files: 1 });
    const { body } = await others.get('experiments/get-by-name', { experiment_name: 'team/models' });
    const { runs } = (await others.post('runs/search', { experiment_ids: [body.experiment.experiment_id] }))
      .body;
    expect(runs).toMatchObject([{ data: { params: [{ key: 'net', value: 'yolo' }] } }]);
  });

  it('asks once for what a second person decides, and not again for what was rejected', async () => {
    const tenant = await api.addTenant();
    const strict = await MlflowClient.of(api, tenant, 'ADMIN');
    await api.call('PATCH', `/api/v1/settings/tenants/${tenant.id}`, {
      ...{ token: api.admin.token, json: { features: { promotion_approval: true } } },
    });
    const approver = await api.addUser({ [tenant.code]: 'APPROVER' });
    const call = (method: string, path: string, json?: unknown) =>
      api.call(method, `/api/v1/promotions${path}`, {
        ...{ token: approver.token, tenant: tenant.code },
        ...(json === undefined ? {} : { json }),
      });
    const asked = async (): Promise<Array<{ id: string; model_name: string; status: string }>> =>
      (await call('GET', '')).body.items;
    const states = async () =>
      (await asked()).map(({ model_name, status }) => `${model_name} ${status}`).sort();
    expect((await copy(strict, Teamless)).problems.sort()).toEqual([
      expect.stringMatching(/^version 1 of the model classifier: .*second person/),
      expect.stringMatching(/^version 1 of the model detector: .*second person/),
      'version 1 of the model detector: not taken',
    ]);
    const rejected = (await asked()).find(({ model_name }) => model_name === 'detector')?.id;
    expect((await call('POST', `/${rejected}/reject`, { comment: 'Not this one.' })).status).toBe(200);
    for (const until = Date.now() + 30_000; Date.now() < until; ) {
      if ((await asked()).some(({ status }) => status === 'REJECTED')) break;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    // One tag of the version is refused again, so that it is not whole.
    const decided = ['classifier WAITING_APPROVAL', 'detector REJECTED'];
    expect((await copy(strict, Teamless)).problems).toEqual(['version 1 of the model detector: not taken']);
    expect(await states()).toEqual(decided);
    expect((await copy(strict)).problems).toEqual([]);
    expect(await states()).toEqual(decided);
  });

  it('leaves stages and aliases as people have set them since', async () => {
    const name = 'classifier';
    await ours.post('model-versions/transition-stage', { name, version: '2', stage: 'Archived' });
    await ours.post('registered-models/alias', { name, alias: 'best', version: '1' });
    const { counts } = await copy();
    expect(counts.files).toBe(0);
    expect(await versions(name)).toEqual([
      ['1', 'None', ['best']],
      ['2', 'Archived', []],
    ]);
    expect(await versions('detector')).toEqual([
      ['1', 'None', []],
      ['2', 'Staging', ['best']],
    ]);
  });

  it('copies files again until their run or model has ended: they may have been written anew in the same size', async () => {
    const experiment_id = await theirs.experiment('under way');
    const run_id = await theirs.run(experiment_id);
    const { model_id } = (await theirs.post('logged-models', { experiment_id, name: 'm' })).body.model.info;
    const write = async (text: string) => {
      await theirs.put(run_id, 'latest.pth', text);
      await theirs.artifact('PUT', `artifacts/models/${model_id}/artifacts/latest.pth`, text);
    };
    await write('first');
    expect((await copy()).counts.files).toBe(2);
    await write('after');
    await theirs.post('runs/update', { run_id, status: 'FINISHED', end_time: 9 });
    await theirs.send('PATCH', `logged-models/${model_id}`, { model_id, status: 'LOGGED_MODEL_READY' });
    expect((await copy()).counts.files).toBe(2);
    const { experiment } = (await ours.get('experiments/get-by-name', { experiment_name: 'under way' })).body;
    const asked = { experiment_ids: [experiment.experiment_id] };
    const { info } = (await ours.post('runs/search', asked)).body.runs[0];
    const { info: model } = (await ours.post('logged-models/search', asked)).body.models[0];
    const ofModel = `ajax-api/2.0/mlflow/logged-models/${model.model_id}/artifacts/files`;
    for (const page of [
      `get-artifact?run_id=${info.run_id}&path=latest.pth`,
      `${ofModel}?artifact_file_path=latest.pth`,
    ])
      expect((await ours.page(page)).text).toBe('after');
    expect((await copy()).counts.files).toBe(0);
  });

  it('copies the versions of a model that was made anew there, beside those of the one before', async () => {
    const name = 'remade';
    const experiment_id = await theirs.experiment('remade');
    const make = async (run_id: string) => {
      await theirs.post('registered-models/create', { name });
      const source = `runs:/${run_id}/nets`;
      expect((await theirs.post('model-versions/create', { name, source, run_id })).status).toBe(200);
    };
    const runs: string[] = [];
    for (const text of ['one', 'two']) {
      const run_id = await theirs.run(experiment_id);
      runs.push(run_id);
      await theirs.put(run_id, 'nets/MLmodel', text);
      await theirs.post('runs/update', { run_id, status: 'FINISHED', end_time: 9 });
    }
    const [first = '', second = ''] = runs;
    const copied = async () => {
      await copy();
      return (await versions(name)).map(([version]: readonly string[]) => version);
    };
    await make(first);
    expect(await copied()).toEqual(['1']);
    // As imports before 0.2 marked it.
    const tag = { key: 'mlflow.import.source', value: 'remade/1' };
    await ours.post('model-versions/set-tag', { name, version: '1', ...tag });
    expect(await copied()).toEqual(['1']);
    for (const found of [
      ['1', '2'],
      ['1', '2', '3'],
    ]) {
      expect((await theirs.send('DELETE', 'registered-models/delete', { name })).status).toBe(200);
      await make(second);
      expect(await copied()).toEqual(found);
    }
  });

  it('leaves runs out that people have deleted here', async () => {
    const run_id = await theirs.run(await theirs.experiment('deleted here'));
    await theirs.post('runs/update', { run_id, status: 'FINISHED', end_time: 9 });
    const runs = async () => {
      const { problems } = await copy();
      expect(problems.filter((problem) => problem.includes(run_id))).toEqual([]);
      const found = await ours.get('experiments/get-by-name', { experiment_name: 'deleted here' });
      const search = { experiment_ids: [found.body.experiment.experiment_id], run_view_type: 'ALL' };
      return (await ours.post('runs/search', search)).body.runs.map(
        ({ info }: { info: { run_id: string; lifecycle_stage: string } }) => info,
      );
    };
    const [copied] = await runs();
    await ours.post('runs/delete', { run_id: copied.run_id });
    expect(await runs()).toEqual([expect.objectContaining({ lifecycle_stage: 'deleted' })]);
  });

  it('leaves what people have written here since, and adds what is new there', async () => {
    const name = 'copies';
    const described = { name, description: 'of theirs' };
    const set = async (by: MlflowClient, value: string, key = 'team') => {
      await by.post('registered-models/set-tag', { name, key, value });
      const { experiment } = (await by.get('experiments/get-by-name', { experiment_name: 'team/models' }))
        .body;
      const { experiment_id } = experiment;
      await by.post('experiments/set-experiment-tag', { experiment_id, key, value });
    };
    await set(theirs, 'theirs');
    await theirs.send('PATCH', 'registered-models/update', described);
    await copy();
    await set(ours, 'ours');
    await ours.send('PATCH', 'registered-models/update', { name, description: 'of ours' });
    await set(theirs, 'new', 'more');
    await copy();
    const { registered_model } = (await ours.get('registered-models/get', { name })).body;
    const { experiment } = (await ours.get('experiments/get-by-name', { experiment_name: 'team/models' }))
      .body;
    expect(registered_model.description).toBe('of ours');
    for (const { tags } of [registered_model, experiment])
      expect(tags).toEqual(
        expect.arrayContaining([
          { key: 'team', value: 'ours' },
          { key: 'more', value: 'new' },
        ]),
      );
  });
});
