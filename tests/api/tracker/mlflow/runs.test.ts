import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../../../core/security/ids.js';
import { closeRun, insertRun, openRunForJob } from '../../../../models/tracker/run.commands.js';
import { startTestApi, type TestApi, type TestTenant } from '../../support/test-api.js';
import { MlflowClient, refusal } from './mlflow-client.js';

const metric = (over: Record<string, unknown> = {}) => ({
  key: 'loss',
  value: 0.5,
  timestamp: 1,
  step: 0,
  ...over,
});

describe('runs over the protocol of MLflow', () => {
  let api: TestApi;
  let tenant: TestTenant;
  let client: MlflowClient;
  let experiment: string;
  beforeAll(async () => {
    api = await startTestApi();
    tenant = await api.addTenant();
    client = await MlflowClient.of(api, tenant);
    experiment = await client.experiment('runs');
  });
  afterAll(() => api.close());

  const read = async (run_id: string) => (await client.get('runs/get', { run_id })).body.run;
  const invalid = refusal(400, 'INVALID_PARAMETER_VALUE');

  it('begin, are named, end and come back as MLflow writes them', async () => {
    const tags = [{ key: 'mlflow.user', value: 'ada' }];
    const { body } = await client.post('runs/create', {
      experiment_id: experiment,
      run_name: 'r',
      start_time: '5',
      tags,
    });
    const run_id = body.run.info.run_id as string;
    expect(body.run.info).toMatchObject({
      ...{ run_uuid: run_id, run_name: 'r', user_id: 'ada', status: 'RUNNING', start_time: 5 },
      ...{ artifact_uri: `mlflow-artifacts:/${run_id}/artifacts`, lifecycle_stage: 'active' },
    });
    const ended = await client.post('runs/update', {
      run_id,
      status: 'FINISHED',
      end_time: 9,
      run_name: 's',
    });
    expect(ended.body.run_info).toMatchObject({ status: 'FINISHED', end_time: 9, run_name: 's' });
    const { data } = await read(run_id);
    expect(data.tags).toContainEqual({ key: 'mlflow.runName', value: 's' });
  });

  it('are not named by nothing, nor in two ways', async () => {
    const name = (value: string) => ({ key: 'mlflow.runName', value });
    const two = { experiment_id: experiment, run_name: 'a', tags: [name('b')] };
    expect(await client.post('runs/create', two)).toMatchObject(invalid);
    const run_id = await client.run(experiment, { run_name: 'a', tags: [name('a')] });
    expect((await client.post('runs/set-tag', { run_id, ...name('') })).status).toBe(200);
    const { info, data } = await read(run_id);
    expect([info.run_name, data.tags]).toEqual(['a', [name('a')]]);
  });

  it('go to the default experiment of the tenant when they name none, or 0', async () => {
    const first = await client.post('runs/create', {});
    const second = await client.post('runs/create', { experiment_id: '0' });
    expect(first.body.run.info.experiment_id).toBe(second.body.run.info.experiment_id);
    const { body } = await client.get('experiments/get', { experiment_id: '0' });
    expect(body.experiment).toMatchObject({ name: 'Default', lifecycle_stage: 'active' });
  });

  it('keep NaN and infinity, and the latest value of each metric', async () => {
    const run_id = await client.run(experiment);
    for (const [step, value] of ['NaN', 'Infinity', '-Infinity', 2].entries())
      expect(
        (await client.post('runs/log-metric', { run_id, ...metric({ value, step, timestamp: '7' }) })).status,
      ).toBe(200);
    expect((await read(run_id)).data.metrics).toEqual([metric({ value: 2, step: 3, timestamp: 7 })]);
    const { body } = await client.get('metrics/get-history', { run_id, metric_key: 'loss' });
    expect(body.metrics.map((point: { value: unknown }) => point.value)).toEqual([
      'NaN',
      'Infinity',
      '-Infinity',
      2,
    ]);
  });

  it('give the history of a metric in pages, and sampled', async () => {
    const run_id = await client.run(experiment);
    const metrics = Array.from({ length: 1000 }, (_each, step) =>
      metric({ step, timestamp: step, value: step % 7 }),
    );
    await client.post('runs/log-batch', { run_id, metrics });
    const seen: number[] = [];
    let page_token = '';
    do {
      const query = { run_id, metric_key: 'loss', max_results: '300', page_token };
      const { body } = await client.get('metrics/get-history', query);
      seen.push(...body.metrics.map((point: { step: number }) => point.step));
      page_token = body.next_page_token ?? '';
    } while (page_token !== '');
    expect(seen).toEqual(metrics.map(({ step }) => step));
    const query = { run_ids: run_id, metric_key: 'loss', max_results: '100' };
    const { body } = await client.get('metrics/get-history-bulk-interval', query);
    expect(body.metrics.length).toBeLessThanOrEqual(100);
    expect(body.metrics[0].step).toBe(0);
    expect(body.metrics[0].run_id).toBe(run_id);
    const zoomed = await client.get('metrics/get-history-bulk-interval', {
      ...{ ...query, start_step: '500', end_step: '579' },
    });
    expect(zoomed.body.metrics.map((point: { step: number }) => point.step)).toEqual(
      metrics.slice(500, 580).map(({ step }) => step),
    );
  });

  it('cut params of 25,000 characters as MLflow does, and write them once', async () => {
    const run_id = await client.run(experiment);
    const text = 'x'.repeat(25_000);
    expect((await client.post('runs/log-parameter', { run_id, key: 'p', value: text })).status).toBe(200);
    expect((await client.post('runs/log-parameter', { run_id, key: 'p', value: text })).status).toBe(200);
    expect(await client.post('runs/log-parameter', { run_id, key: 'p', value: 'y' })).toMatchObject(invalid);
    expect((await read(run_id)).data.params).toEqual([{ key: 'p', value: 'x'.repeat(6000) }]);
  });

  it('keep all models that a client before 3.0 logs, and refuse one that they have no room for', async () => {
    const run_id = await client.run(experiment);
    const log = (artifact_path: string, flavor = {}) => {
      const model_json = JSON.stringify({ artifact_path, flavors: { flavor } });
      return client.post('runs/log-model', { run_id, model_json });
    };
    const kept = async () => {
      const tags: Array<{ key: string; value: string }> = (await read(run_id)).data.tags;
      const history = tags.find(({ key }) => key === 'mlflow.log-model.history')?.value ?? '[]';
      return JSON.parse(history).map((model: { artifact_path: string }) => model.artifact_path);
    };
    const answers = await Promise.all(['a', 'b', 'c'].map((path) => log(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await log('d', { text: 'x'.repeat(8000) })).toMatchObject(invalid);
    expect((await kept()).sort()).toEqual(['a', 'b', 'c']);
    await client.post('runs/set-tag', { run_id, key: 'mlflow.log-model.history', value: 'none' });
    await log('e');
    expect(await kept()).toEqual(['e']);
  });

  it('store nothing of a batch that is refused in one place', async () => {
    const run_id = await client.run(experiment);
    await client.post('runs/log-parameter', { run_id, key: 'p', value: '1' });
    const params = [
      { key: 'new', value: '1' },
      { key: 'p', value: '2' },
    ];
    const batch = { run_id, metrics: [metric()], tags: [{ key: 't', value: '1' }], params };
    expect(await client.post('runs/log-batch', batch)).toMatchObject(invalid);
    const { data } = await read(run_id);
    expect([data.metrics, data.params]).toEqual([[], [{ key: 'p', value: '1' }]]);
    expect(data.tags.map((tag: { key: string }) => tag.key)).not.toContain('t');
  });

  it.each([
    ['NaN outside of quotes', '{"run_id": "ID", "key": "a", "value": NaN, "timestamp": 1}'],
    ['half a body', '{"run_id": "ID", "key'],
    ['a list', '[]'],
    ['a value that is no number', '{"run_id": "ID", "key": "a", "value": "high", "timestamp": 1}'],
    ['no value', '{"run_id": "ID", "key": "a", "timestamp": 1}'],
    ['a time that is no number', '{"run_id": "ID", "key": "a", "value": 1, "timestamp": "now"}'],
    ['a key that is a path', '{"run_id": "ID", "key": "../a", "value": 1, "timestamp": 1}'],
    ['a key of 251 characters', `{"run_id": "ID", "key": "${'a'.repeat(251)}", "value": 1, "timestamp": 1}`],
    ['nesting of 200 levels', `{"run_id": "ID", "x": ${'['.repeat(200)}${']'.repeat(200)}}`],
    ['no run', '{"key": "a", "value": 1, "timestamp": 1}'],
  ])('refuse a metric with %s', async (_what, body) => {
    const run_id = await client.run(experiment);
    expect(await client.raw('runs/log-metric', body.replace('ID', run_id))).toMatchObject(invalid);
    expect((await read(run_id)).data.metrics).toEqual([]);
  });

  it('refuse bodies above 1 MB, and batches above the limits', async () => {
    const run_id = await client.run(experiment);
    expect((await client.raw('runs/log-batch', `{"x": "${'x'.repeat(1_100_000)}"}`)).status).toBe(413);
    const many = Array.from({ length: 1001 }, (_each, step) => metric({ step }));
    expect(await client.post('runs/log-batch', { run_id, metrics: many })).toMatchObject(invalid);
  });

  it('are deleted and restored, alone and with their experiment; what is deleted takes nothing', async () => {
    const id = await client.experiment('passing');
    const run_id = await client.run(id);
    expect((await client.post('runs/delete', { run_id })).status).toBe(200);
    expect((await read(run_id)).info.lifecycle_stage).toBe('deleted');
    const logs: Array<[string, object]> = [
      ['log-metric', metric()],
      ['log-parameter', { key: 'p', value: '1' }],
      ['set-tag', { key: 't', value: '1' }],
      ['log-batch', { metrics: [metric()] }],
    ];
    for (const [call, body] of logs) {
      const refused = await client.post(`runs/${call}`, { run_id, ...body });
      expect(refused).toMatchObject(invalid);
      expect(refused.body.message).toContain("must be in the 'active' lifecycle_stage");
      const unknown = await client.post(`runs/${call}`, { run_id: 'f'.repeat(32), ...body });
      expect(unknown).toMatchObject(refusal(404, 'RESOURCE_DOES_NOT_EXIST'));
    }
    expect(await client.post('runs/update', { run_id, status: 'FAILED' })).toMatchObject(invalid);
    await client.post('runs/restore', { run_id });
    await client.post('experiments/delete', { experiment_id: id });
    const search = { experiment_ids: [id], run_view_type: 'DELETED_ONLY' };
    expect((await client.post('runs/search', search)).body.runs).toHaveLength(1);
    expect(await client.post('runs/create', { experiment_id: id })).toMatchObject(invalid);
    expect(await client.post('experiments/create', { name: 'passing' })).toMatchObject(
      refusal(400, 'RESOURCE_ALREADY_EXISTS'),
    );
    await client.post('experiments/restore', { experiment_id: id });
    expect((await read(run_id)).info.lifecycle_stage).toBe('active');
  });

  it('of a training that is still queued are not ended or deleted by a client', async () => {
    const experiment_id = await client.experiment('queued');
    const tenantId = asTenantId(tenant.id);
    const runId = randomBytes(16).toString('hex');
    await api.container.db.inTenant(tenantId, (tx) =>
      insertRun(tx, {
        ...{ runId, experiment: Number(experiment_id), name: 'queued', status: 'SCHEDULED' },
        ...{ training: { id: randomUUID(), attempt: 1 }, createdBy: null },
      }),
    );
    const status = async () => (await read(runId)).info.status;
    for (const ended of ['FINISHED', 'KILLED', 'RUNNING'])
      expect(await client.post('runs/update', { run_id: runId, status: ended })).toMatchObject(invalid);
    expect((await client.post('runs/update', { run_id: runId, end_time: 5 })).status).toBe(200);
    expect(await client.post('runs/delete', { run_id: runId })).toMatchObject(invalid);
    expect(await client.post('experiments/delete', { experiment_id })).toMatchObject(
      refusal(409, 'RESOURCE_CONFLICT'),
    );
    const { info, data } = await read(runId);
    expect(info).toMatchObject({ status: 'SCHEDULED', lifecycle_stage: 'active' });
    expect(data.tags).toEqual([{ key: 'mlflow.runName', value: 'queued' }]);
    await api.container.db.inTenant(tenantId, (tx) => openRunForJob(tx, runId));
    expect(await status()).toBe('RUNNING');
    await api.container.db.inTenant(tenantId, (tx) => closeRun(tx, runId, 'FINISHED'));
    expect(await status()).toBe('FINISHED');
    expect((await client.post('runs/update', { run_id: runId, status: 'FAILED' })).status).toBe(200);
    expect((await client.post('experiments/delete', { experiment_id })).status).toBe(200);
  });

  it('keep which data they used, and find it again', async () => {
    const run_id = await client.run(experiment);
    const dataset = { name: 'grey', digest: 'd1', source_type: 'local', source: '{}', schema: '{}' };
    const datasets = [{ tags: [{ key: 'mlflow.data.context', value: 'training' }], dataset }];
    for (const _again of [1, 2])
      expect((await client.post('runs/log-inputs', { run_id, datasets })).status).toBe(200);
    expect((await read(run_id)).inputs.dataset_inputs).toEqual(datasets);
    const filter = "datasets.name = 'grey' AND dataset.context = 'training'";
    const { body } = await client.post('runs/search', { experiment_ids: [experiment], filter });
    expect(body.runs.map((run: { info: { run_id: string } }) => run.info.run_id)).toEqual([run_id]);
    const summaries = await client.post('experiments/search-datasets', { experiment_ids: [experiment] });
    expect(summaries.body.dataset_summaries).toEqual([
      { experiment_id: experiment, name: 'grey', digest: 'd1', context: 'training' },
    ]);
  });

  it("find runs and models of the tenant's default experiment by the id 0", async () => {
    const run_id = await client.run('0');
    const { body: logged } = await client.post('logged-models', { experiment_id: '0', name: 'plain' });
    const { body: runs } = await client.post('runs/search', { experiment_ids: ['0'] });
    expect(runs.runs.map((run: { info: { run_id: string } }) => run.info.run_id)).toContain(run_id);
    const { body: models } = await client.post('logged-models/search', { experiment_ids: ['0'] });
    expect(models.models).toEqual([logged.model]);
  });

  it('keep half a letter out of what is stored as JSON', async () => {
    const run_id = await client.run(experiment);
    const dataset = { name: 'cut', digest: 'd2', source_type: 'local', source: '{}' };
    const tags = [{ key: 'mlflow.data.context', value: `${'x'.repeat(499)}😀` }];
    const answer = await client.post('runs/log-inputs', { run_id, datasets: [{ tags, dataset }] });
    expect(answer.status).toBe(200);
    const lone =
      '{"run_id": "ID", "datasets": [{"tags": [{"key": "k", "value": "\\ud83d"}], "dataset": {}}]}';
    expect(await client.raw('runs/log-inputs', lone.replace('ID', run_id))).toMatchObject(invalid);
  });

  it('answer unknown paths and calls as MLflow does', async () => {
    expect(await client.get('traces/search')).toMatchObject(refusal(404, 'ENDPOINT_NOT_FOUND'));
    expect(await client.get('runs/create')).toMatchObject(refusal(405, 'BAD_REQUEST'));
    expect(await client.get('runs/get', { run_id: 'f'.repeat(32) })).toMatchObject(
      refusal(404, 'RESOURCE_DOES_NOT_EXIST'),
    );
  });
});
