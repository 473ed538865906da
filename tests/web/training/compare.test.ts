import { describe, expect, it } from '@jest/globals';
import {
  axisOf,
  compareRows,
  firstAxes,
  placesOfAxes,
} from '../../../web/src/training/compare/compare-rows.js';
import { compareSearch, labelsOf, runsOf } from '../../../web/src/training/compare/run-list.js';
import { runOptions } from '../../../web/src/training/compare/run-options.js';
import { groupMetrics } from '../../../web/src/training/one/metric-groups.js';
import { previewKind } from '../../../web/src/training/artifacts/preview-kind.js';

const COMPARED = {
  params: [
    { name: 'seed', values: ['1', '1'], differs: false },
    { name: 'hidden', values: ['64', '128'], differs: true },
    { name: 'norm', values: ['group', 'batch'], differs: true },
  ],
  metrics: [
    { name: 'system/progress', values: [1, 0.5], differs: true },
    { name: 'train/loss', values: [0.1, 0.2], differs: true },
    { name: 'test/accuracy', values: [0.9, null], differs: true },
  ],
  tags: [],
};
const asText = (value: number) => String(value);

it('shows what differs first, or alone', () => {
  expect(compareRows(COMPARED, false).map(({ name }) => name)).toEqual([
    'hidden',
    'norm',
    'seed',
    'system/progress',
    'test/accuracy',
    'train/loss',
  ]);
  expect(compareRows(COMPARED, true).map(({ name }) => name)).not.toContain('seed');
});

it('begins with params that differ and ends with the figure that matters', () => {
  expect(firstAxes(compareRows(COMPARED, true))).toEqual([
    'params:hidden',
    'params:norm',
    'metrics:train/loss',
    'metrics:test/accuracy',
  ]);
});

describe('placesOfAxes', () => {
  it('fills the box', () => {
    const { width, xOf } = placesOfAxes(3, 940);
    expect([width, xOf(0), xOf(1), xOf(2)]).toEqual([940, 70, 470, 870]);
  });

  it('keeps axes apart in a small box', () => {
    const { width, xOf } = placesOfAxes(9, 320);
    expect([width, xOf(0), xOf(1), xOf(8)]).toEqual([1180, 70, 200, 1110]);
  });
});

describe('axisOf', () => {
  const row = (values: Array<string | number | null>) => ({
    kind: 'params' as const,
    name: 'p',
    values,
    differs: true,
  });

  it('makes a scale of numbers', () => {
    const axis = axisOf(row(['10', '30', null, '20']), asText);
    expect(axis.places).toEqual([0, 1, null, 0.5]);
    expect(axis.ticks.map(({ label }) => label)).toEqual(['10', '15', '20', '25', '30']);
  });

  it('puts other values at equal distances', () => {
    const axis = axisOf(row(['group', 'batch', null, 'layer']), asText);
    expect(axis.places).toEqual([0.5, 0, null, 1]);
  });

  it('puts one value in the middle', () => {
    expect(axisOf(row(['5', '5']), asText).places).toEqual([0.5, 0.5]);
    expect(axisOf(row(['a', 'a']), asText).places).toEqual([0.5, 0.5]);
    expect(axisOf(row([null, null]), asText)).toMatchObject({ places: [null, null], ticks: [] });
  });
});

it('reads runs out of the address, each once and at most twenty', () => {
  expect(runsOf('a, b,,a')).toEqual(['a', 'b']);
  expect(runsOf(undefined)).toEqual([]);
  expect(runsOf(Array.from({ length: 30 }, (_, at) => `r${at}`).join())).toHaveLength(20);
});

it('reads the axes out of the address, whatever characters their names have', () => {
  const axes = ['params:lr', 'metrics:top-1, val', 'params:"a"'];
  expect(compareSearch({ runs: 12, view: 'parallel', axes, more: 'x' })).toEqual({
    runs: '12',
    view: 'parallel',
    axes,
  });
  expect(compareSearch({ axes: 'params:lr' })).toEqual({});
});

it('reads names, equal lines and the layout of the table out of the address', () => {
  expect(compareSearch({ q: 5, same: 'shown', rows: 'runs' })).toEqual({
    q: '5',
    same: 'shown',
    rows: 'runs',
  });
  expect(compareSearch({ same: 'hidden', rows: 1 })).toEqual({});
});

it('puts the parts of one figure into one chart, losses first', () => {
  const groups = groupMetrics([
    'val/accuracy',
    'test/loss',
    'train/loss',
    'val_loss',
    'lr',
    'train/accuracy',
  ]);
  expect(groups.map(({ title, members }) => [title, members.map(({ label }) => label)])).toEqual([
    ['loss', ['train', 'val', 'test']],
    ['accuracy', ['train', 'val']],
    ['lr', ['lr']],
  ]);
});

it('shows HTML and SVG as what cannot run', () => {
  expect(previewKind('plots/roc.svg')).toBe('svg');
  expect(previewKind('plots/roc.PNG')).toBe('picture');
  expect(previewKind('report.html')).toBe('text');
  expect(previewKind('model/MLmodel')).toBe('text');
  expect(previewKind('metrics.json')).toBe('json');
  expect(previewKind('model/model.skops')).toBeNull();
});

it('calls runs by what distinguishes them', () => {
  const run = (run_id: string, name: string, experiment_name: string) => ({ run_id, name, experiment_name });
  expect([...labelsOf([run('1', 'a', 'x'), run('2', 'b', 'x')]).values()]).toEqual(['a', 'b']);
  expect([...labelsOf([run('1', 'a', 'x'), run('2', 'a', 'y')]).values()]).toEqual(['x · a', 'y · a']);
  expect([...labelsOf([run('1', 'a', 'x'), run('2', 'a', 'x')]).values()]).toEqual(['a · 1', 'a · 2']);
});

it('offers the runs that were found, without those that are compared already', () => {
  const run = (name: string) => ({
    ...{ run_id: `id-of-${name}`, name, status: 'FINISHED' },
    ...{ started_at: null, finished_at: null, main_metric: null },
  });
  const experiments = [
    { id: '1', name: 'digits', run_count: 5000, runs: [run('first'), run('second')] },
    { id: '2', name: 'letters', run_count: 5000, runs: [] },
    { id: '3', name: 'signs', run_count: 1, runs: [run('third')] },
  ];
  const items = [{ name: 'reading', experiments }];
  expect(runOptions({ items }, ['id-of-first', 'id-of-third'])).toEqual([
    { group: 'reading/digits', items: [{ value: 'id-of-second', label: 'digits · second' }] },
  ]);
});
