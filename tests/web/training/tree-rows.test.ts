import { describe, expect, it } from '@jest/globals';
import { foundTree, shownRuns, treeRows } from '../../../web/src/training/tracker/tree-rows';

const run = (name: string) => ({
  run_id: `id-of-${name}`,
  name,
  status: 'FINISHED',
  started_at: null,
  finished_at: null,
  main_metric: null,
});
const TREE = {
  items: [
    {
      name: 'reading',
      experiments: [
        { id: '1', name: 'digits', run_count: 2, runs: [run('first'), run('second')] },
        { id: '2', name: 'letters', run_count: 5000, runs: [] },
      ],
    },
    { name: 'driving', experiments: [{ id: '3', name: 'signs', run_count: 1, runs: [run('first')] }] },
  ],
  total: 3,
  max_runs: 200,
};

describe('the rows of the tracked experiments', () => {
  const rows = treeRows(TREE);

  it('are a tree again, in their order and with experiments that have no run', () => {
    expect(foundTree(rows, '')).toEqual(TREE.items);
  });

  it('are found by the name of the experiment, with all of its runs, and by name and id of a run', () => {
    const named = (words: string) =>
      foundTree(rows, words).flatMap(({ experiments }) =>
        experiments.map(({ name, runs }) => [name, ...runs.map((each) => each.name)]),
      );
    expect(named(' Reading/dig ')).toEqual([['digits', 'first', 'second']]);
    expect(named('first')).toEqual([
      ['digits', 'first'],
      ['signs', 'first'],
    ]);
    expect(named('of-second')).toEqual([['digits', 'second']]);
    expect(named('nothing')).toEqual([]);
  });

  it('are those of runs in a state, without experiments that have none', () => {
    const [first, ...others] = rows.filter((row) => row.run?.name === 'second');
    expect(others).toEqual([]);
    const some = rows.map((row) =>
      row === first && row.run !== null ? { ...row, run: { ...row.run, status: 'RUNNING' } } : row,
    );
    const runs = (words: string, status: string) =>
      foundTree(some, words, status).flatMap(({ experiments }) =>
        experiments.map((part) => [part.name, ...part.runs.map(({ name }) => name)]),
      );
    expect(runs('', 'RUNNING')).toEqual([['digits', 'second']]);
    expect(runs('signs', 'RUNNING')).toEqual([]);
    expect(shownRuns(some, '', 'RUNNING').map(({ name }) => name)).toEqual(['second']);
    expect(runs('signs', 'FINISHED')).toEqual([['signs', 'first']]);
  });
});
