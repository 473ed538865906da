import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../../support/test-api.js';
import { MlflowClient, refusal } from './mlflow-client.js';

describe('searching runs in the grammar of MLflow', () => {
  let api: TestApi;
  let client: MlflowClient;
  let experiment: string;
  let other: string;
  const nameOf = new Map<string, string>();

  beforeAll(async () => {
    api = await startTestApi();
    client = await MlflowClient.of(api, await api.addTenant());
    [experiment, other] = [await client.experiment('vision/search'), await client.experiment('other')];
    const make = async (
      name: string,
      loss: number | string | null,
      params: Record<string, string>,
      at = 1,
    ) => {
      const place = name === 'elsewhere' ? other : experiment;
      const run_id = await client.run(place, {
        run_name: name,
        start_time: at,
        tags: [{ key: 'set', value: name }],
      });
      nameOf.set(run_id, name);
      const { status } = await client.post('runs/log-batch', {
        run_id,
        metrics: loss === null ? [] : [{ key: 'val loss', value: loss, timestamp: 1, step: 0 }],
        params: Object.entries(params).map(([key, value]) => ({ key, value })),
      });
      expect(status).toBe(200);
    };
    await make('a', 0.1, { net: 'yolo', 'learning rate': '0.1' }, 1000);
    await make('b', 0.2, { net: 'Yolo' }, 2000);
    await make('c', 0.3, { net: "it's" }, 3000);
    await make('nan', 'NaN', {}, 4000);
    await make('none', null, {}, 5000);
    await make('elsewhere', 0.1, { net: 'yolo' });
  });
  afterAll(() => api.close());

  const search = async (filter: string, over: Record<string, unknown> = {}): Promise<string[]> => {
    const { status, body } = await client.post('runs/search', {
      ...{ experiment_ids: [experiment], filter, order_by: ['start_time ASC'] },
      ...over,
    });
    expect({ status, filter, message: body.message }).toEqual({ status: 200, filter, message: undefined });
    return (body.runs ?? []).map((run: { info: { run_id: string } }) => nameOf.get(run.info.run_id));
  };

  it.each([
    ['', ['a', 'b', 'c', 'nan', 'none']],
    ['metrics."val loss" < 0.25', ['a', 'b']],
    ['metric.`val loss` >= 2e-1', ['b', 'c']],
    ['metrics.`val loss` != 0.1', ['b', 'c', 'nan']],
    ['metrics.`val loss` != 0.1 AND metrics.`val loss` > 0.1', ['b', 'c']],
    ["params.net = 'yolo'", ['a']],
    ["parameters.net LIKE 'yo%'", ['a']],
    ["params.net ILIKE 'yo%'", ['a', 'b']],
    ['params.net = "it\'s"', ['c']],
    ["param.`learning rate` = '0.1' AND metrics.`val loss` < 1", ['a']],
    ["params.net != 'yolo'", ['b', 'c']],
    ['params.net IS NULL', ['nan', 'none']],
    ["tags.set IS NOT NULL and tag.set != 'a'", ['b', 'c', 'nan', 'none']],
    ["attributes.run_name = 'c'", ['c']],
    ["run_name LIKE 'n%'", ['nan', 'none']],
    ["status = 'RUNNING' AND start_time > 3000", ['nan', 'none']],
    ["attr.status = 'FAILED'", []],
    ['attributes.start_time <= 1000', ['a']],
    ['end_time > 0', []],
    ['metrics.unknown > 0', []],
    ["params.net LIKE '100\\%'", []],
  ])('%s', async (filter, names) => {
    expect(await search(filter)).toEqual(names);
  });

  it('takes lists of run ids, and looks into several experiments', async () => {
    const ids = [...nameOf].filter(([, name]) => name === 'a' || name === 'c').map(([id]) => `'${id}'`);
    expect(await search(`run_id IN (${ids.join(', ')})`)).toEqual(['a', 'c']);
    expect(await search(`attributes.run_id NOT IN (${ids.join(',')})`)).toEqual(['b', 'nan', 'none']);
    expect(await search("params.net = 'yolo'", { experiment_ids: [experiment, other] })).toEqual(
      expect.arrayContaining(['a', 'elsewhere']),
    );
    expect(await search('', { experiment_ids: [] })).toEqual([]);
  });

  it.each([
    ['metrics.`val loss` ASC', ['a', 'b', 'c', 'nan', 'none']],
    ['metrics.`val loss` DESC', ['c', 'b', 'a', 'nan', 'none']],
    ['params.net DESC', ['a', 'b', 'c', 'none', 'nan']],
    ['attributes.start_time DESC', ['none', 'nan', 'c', 'b', 'a']],
    ['tags.set', ['a', 'b', 'c', 'nan', 'none']],
    // None has it: the latest start comes first.
    ['metrics.start_time', ['none', 'nan', 'c', 'b', 'a']],
  ])('orders by %s, runs without a value last', async (order, names) => {
    const found = await search('', { order_by: [order] });
    // Letters of two cases are ordered as the database does it.
    if (order.startsWith('params')) expect(new Set(found.slice(0, 3))).toEqual(new Set(names.slice(0, 3)));
    else expect(found).toEqual(names);
    expect(found.slice(3)).toEqual(names.slice(3));
  });

  it('orders by a metric that the filter compares', async () => {
    const over = { order_by: ['metrics.`val loss` DESC'], max_results: 2 };
    expect(await search('metrics.`val loss` > 0.1', over)).toEqual(['c', 'b']);
    expect(await search("metrics.`val loss` > 0.1 AND params.net = 'Yolo'", over)).toEqual(['b']);
    expect(await search('metrics.`val loss` != 0.1', over)).toEqual(['c', 'b']);
    const all = { order_by: over.order_by };
    expect(await search('metrics.`val loss` != 0.1', all)).toEqual(['c', 'b', 'nan']);
  });

  it('orders by something else than the metric that the filter compares', async () => {
    const compared = 'metrics.`val loss` > 0.1';
    expect(await search(compared, { order_by: ['tags.set DESC'] })).toEqual(['c', 'b']);
    const several = ['metrics.`val loss` ASC', 'tags.set'];
    expect(await search(compared, { order_by: several })).toEqual(['b', 'c']);
    expect(await search(`${compared} AND tags.set = 'b'`, { order_by: ['metrics.unknown'] })).toEqual(['b']);
    expect(await search(`${compared} AND metrics.unknown > 0`, { order_by: several })).toEqual([]);
    const both = { experiment_ids: [experiment, other], order_by: ['run_name'] };
    expect(await search("metrics.`val loss` < 0.15 AND params.net = 'yolo'", both)).toEqual([
      'a',
      'elsewhere',
    ]);
  });

  it('finds runs by the user that is answered, named or not', async () => {
    const place = { experiment_ids: [other] };
    const { body } = await client.post('runs/search', place);
    const { user_id } = body.runs[0].info;
    expect(await search(`attributes.user_id = '${user_id}'`, place)).toEqual(['elsewhere']);
    expect(await search(`user_id = ''`, place)).toEqual([]);
  });

  it('gives every run once over the pages', async () => {
    const seen: string[] = [];
    let page_token = '';
    do {
      const { body } = await client.post('runs/search', {
        ...{ experiment_ids: [experiment], max_results: 2, page_token },
      });
      seen.push(...body.runs.map((run: { info: { run_id: string } }) => nameOf.get(run.info.run_id)));
      page_token = body.next_page_token ?? '';
    } while (page_token !== '');
    expect(seen).toEqual(['none', 'nan', 'c', 'b', 'a']);
  });

  it.each([
    ['an OR', { filter: 'metrics.a > 1 OR metrics.b > 1' }],
    ['a comparison without a value', { filter: 'metrics.a >' }],
    ['a metric and a text', { filter: "metrics.a > 'x'" }],
    ['a param and a number', { filter: 'params.a = 1' }],
    ['a comparator that texts do not have', { filter: "params.a > 'x'" }],
    ['an unknown part', { filter: "colour.a = 'x'" }],
    ['an unknown attribute', { filter: "attributes.__proto__ = 'x'" }],
    ['a list of params', { filter: "params.a IN ('x')" }],
    ['a statement behind', { filter: "params.a = 'x'; drop table tag" }],
    ['an open quote', { filter: "params.a = 'x" }],
    ['an order by nothing', { order_by: ['colour.a'] }],
    ['an order by what every object has', { order_by: ['attributes.__proto__'] }],
    ['an order by a function of every object', { order_by: ['attributes.toString DESC'] }],
    ['too many results', { max_results: 50_001 }],
    ['a token of somebody else', { page_token: 'abc' }],
    ['an experiment that is no number', { experiment_ids: ['x'] }],
    ['a filter of 100 KB that is none', { filter: 'a'.repeat(100_000) }],
    ['a filter of 100 KB of comparisons', { filter: Array(5000).fill('metrics.a > 1').join(' and ') }],
    ['a filter of 100 KB of brackets', { filter: `run_id IN ${'('.repeat(100_000)}` }],
    ['a filter of 100 KB of quotes', { filter: `params.${'"'.repeat(100_001)}` }],
  ])('refuses %s as a bad parameter', async (_what, over) => {
    const answer = await client.post('runs/search', { experiment_ids: [experiment], ...over });
    expect(answer).toMatchObject(refusal(400, 'INVALID_PARAMETER_VALUE'));
    expect(answer.text.length).toBeLessThan(1000);
  });

  it('takes a list of 2,500 run ids, which clients send', async () => {
    const ids = Array.from({ length: 2500 }, (_each, n) => `'${n.toString(16).padStart(32, '0')}'`);
    expect(await search(`run_id IN (${ids.join(',')})`)).toEqual([]);
  });

  it('finds logged models that were measured on a dataset, by whatever metric', async () => {
    const run_id = await client.run(other);
    const made: string[] = [];
    for (const dataset_name of ['train', 'field', null]) {
      const { body } = await client.post('logged-models', { experiment_id: other, name: 'm' });
      const { model_id } = body.model.info;
      made.push(model_id);
      const metric = { key: 'map', value: 0.5, timestamp: 1, step: 0, model_id, dataset_digest: 'd1' };
      if (dataset_name !== null)
        await client.post('runs/log-batch', { run_id, metrics: [{ ...metric, dataset_name }] });
    }
    const found = async (datasets: object[], filter = '') => {
      const { body } = await client.post('logged-models/search', {
        ...{ experiment_ids: [other], datasets, filter },
      });
      return (body.models ?? []).map(({ info }: { info: { model_id: string } }) =>
        made.indexOf(info.model_id),
      );
    };
    expect(await found([])).toEqual([2, 1, 0]);
    expect(await found([{ dataset_name: 'field' }])).toEqual([1]);
    expect(await found([{ dataset_name: 'field', dataset_digest: 'd1' }, { dataset_name: 'train' }])).toEqual(
      [...[1, 0]],
    );
    expect(await found([{ dataset_name: 'field', dataset_digest: 'other' }])).toEqual([]);
    expect(await found([{ dataset_name: 'field' }], "name = 'm'")).toEqual([1]);
    expect(await found([{ dataset_name: 'field' }], 'metrics.map > 0.6')).toEqual([]);
  });

  it('orders logged models by what was measured last, and answers all that was measured', async () => {
    const mine = await MlflowClient.of(api, await api.addTenant());
    const experiment_id = await mine.experiment('measured');
    const run_id = await mine.run(experiment_id);
    const made: string[] = [];
    // Value, time and step.
    for (const points of [
      [
        [0.9, 1, 5],
        [0.1, 2, 0],
      ],
      [[0.5, 1, 0]],
    ]) {
      const { model_id } = (await mine.post('logged-models', { experiment_id, name: 'm' })).body.model.info;
      made.push(model_id);
      const metrics = points.map(([value, timestamp, step]) => ({
        key: 'map',
        value,
        timestamp,
        step,
        model_id,
      }));
      await mine.post('runs/log-batch', { run_id, metrics });
    }
    const { body } = await mine.post('logged-models/search', {
      ...{ experiment_ids: [experiment_id], order_by: [{ field_name: 'metrics.map', ascending: false }] },
    });
    expect(
      body.models.map(({ info }: { info: { model_id: string } }) => made.indexOf(info.model_id)),
    ).toEqual([1, 0]);
    const first = await mine.get(`logged-models/${made[0]}`);
    const values = first.body.model.data.metrics.map(({ value }: { value: number }) => value);
    expect(values).toEqual([0.1, 0.9]);
  });

  it('finds experiments by the time and the name that it answered', async () => {
    const mine = await MlflowClient.of(api, await api.addTenant());
    const ids = [await mine.experiment('a/'), await mine.experiment('b')];
    const found = async (filter: string) =>
      (await mine.post('experiments/search', { filter })).body.experiments.map(
        ({ experiment_id }: { experiment_id: string }) => experiment_id,
      );
    const { experiment: one } = (await mine.get('experiments/get', { experiment_id: ids[0] ?? '' })).body;
    expect(one.name).toBe('a/');
    expect(await found("name = 'a/'")).toEqual([ids[0]]);
    // `default` is the project of names without one.
    expect(await found("name = 'default/b'")).toEqual([ids[1]]);
    expect(await found("name != 'default/b'")).not.toContain(ids[1]);
    const at = one.creation_time;
    for (const filter of [`creation_time = ${at}`, `creation_time <= ${at}`, `creation_time >= ${at}`])
      expect(await found(filter)).toContain(ids[0]);
    for (const filter of [`creation_time != ${at}`, `creation_time > ${at}`, `creation_time < ${at}`])
      expect(await found(filter)).not.toContain(ids[0]);
  });

  it('searches experiments by name, tag and time', async () => {
    await client.post('experiments/set-experiment-tag', { experiment_id: other, key: 'team', value: 'x' });
    const names = async (filter: string, over = {}) => {
      const { body } = await client.post('experiments/search', { filter, ...over });
      return (body.experiments as Array<{ name: string }>).map(({ name }) => name);
    };
    expect(await names("name LIKE 'vision/%'")).toEqual(['vision/search']);
    expect(await names("tags.team = 'x'")).toEqual(['other']);
    expect(await names('tags.team IS NOT NULL')).toEqual(['other']);
    expect(await names("tags.team IS NULL AND name LIKE 'vision/%'")).toEqual(['vision/search']);
    expect(await names(`experiment_id = '${other}'`)).toEqual(['other']);
    expect(await names(`attribute.experiment_id IN ('${other}', '${experiment}')`)).toEqual([
      'other',
      'vision/search',
    ]);
    expect(await names('creation_time > 0', { order_by: ['name DESC'] })).toEqual(['vision/search', 'other']);
    for (const filter of [
      "colour = 'x'",
      "experiment_id LIKE '1%'",
      'experiment_id IS NULL',
      "tags.a IN ('b')",
    ])
      expect(await client.post('experiments/search', { filter })).toMatchObject(
        refusal(400, 'INVALID_PARAMETER_VALUE'),
      );
  });
});
