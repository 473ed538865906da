import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ImportJob } from '../../../../cli/import/import-job.js';
import { importMlflow } from '../../../../cli/import/import-mlflow.js';
import { TrackerServer } from '../../../../cli/import/tracker-server.js';
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
  beforeAll(async () => {
    api = await startTestApi();
    worker = await startTestWorker(api.container.settings);
    theirs = await MlflowClient.of(api, await api.addTenant(), 'ADMIN');
    ours = await MlflowClient.of(api, await api.addTenant(), 'ML_ENGINEER');
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
    await theirs.experiment('removed');
  }

  const copy = (): Promise<ImportJob> => {
    const server = ({ token }: MlflowClient) => {
      const address = { role: 'a server', url: `${api.base}/tracker`, hint: '' };
      return new TrackerServer(
        { ...address, authorization: `Bearer ${token}` },
        new AbortController().signal,
      );
    };
    const nowhere = new PassThrough().resume() as unknown as NodeJS.WriteStream;
    return importMlflow(server(theirs), server(ours), new Progress(nowhere));
  };
  const versions = async (name: string) =>
    (await ours.get('model-versions/search', { filter: `name = '${name}'` })).body.model_versions
      .map(({ version, current_stage, aliases }: Record<string, string>) => [version, current_stage, aliases])
      .sort();

  it('copies all that it may, and says what it may not', async () => {
    const gone = await ours.experiment('removed');
    await ours.post('experiments/delete', { experiment_id: gone });
    const { counts, problems } = await copy();
    expect(counts).toMatchObject({ runs: 1, loggedModels: 1, models: 2, versions: 4, files: 2 });
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
});
