import { describe, expect, it } from '@jest/globals';
import { experimentName, experimentPlace } from '../../../formats/mlflow/experiment-name.js';
import { parseFilter, parseOrder } from '../../../formats/mlflow/filter.js';
import { cutPage, pageOffset, pageToken } from '../../../formats/mlflow/page-token.js';

describe('filters in the grammar of MLflow', () => {
  it.each([
    ['metrics.loss < 1', { entity: 'metrics', key: 'loss', operator: '<', value: 1 }],
    ['metrics."val loss">=-2.5e-1', { entity: 'metrics', key: 'val loss', operator: '>=', value: -0.25 }],
    ['"metrics.a.b" != .5', { entity: 'metrics', key: 'a.b', operator: '!=', value: 0.5 }],
    ["params.`a-b` = 'x and y'", { entity: 'params', key: 'a-b', operator: '=', value: 'x and y' }],
    ["name ilike '%x'", { entity: 'attribute', key: 'name', operator: 'ILIKE', value: '%x' }],
    [
      'run_id not in (\'a\', "b")',
      { entity: 'attribute', key: 'run_id', operator: 'NOT IN', value: ['a', 'b'] },
    ],
    ["run_id IN ('a',)", { entity: 'attribute', key: 'run_id', operator: 'IN', value: ['a'] }],
    [
      'tags.mlflow.user IS NOT NULL',
      { entity: 'tags', key: 'mlflow.user', operator: 'IS NOT NULL', value: null },
    ],
  ])('%s', (text, condition) => {
    expect(parseFilter(text)).toEqual([condition]);
    expect(parseFilter(`${text} AND ${text}`)).toEqual([condition, condition]);
  });

  it.each([
    'a',
    'a =',
    'a = b',
    'a = 1 b = 2',
    'a = 1 or b = 2',
    'a in 1',
    'a in (1)',
    "a in ('b'",
    "a in ('b',",
    "a in ('b',,)",
    'a in (,)',
    '= 1',
    'a is 1',
  ])('refuse %s', (text) => {
    expect(() => parseFilter(text)).toThrow(/^Invalid filter/);
  });

  it('take 100 comparisons and no more', () => {
    const of = (count: number) => Array(count).fill('metrics.a > 1').join(' and ');
    expect(parseFilter(of(100))).toHaveLength(100);
    expect(() => parseFilter(of(101))).toThrow('at most 100');
  });

  it('are read once from left to right, however long they are', () => {
    const pieces = ['"', '`', "'", '(', 'a', ' ', 'a.', "a = '"];
    // A reader that goes back would not come to an end here.
    for (const piece of pieces) expect(() => parseFilter(`x ${piece.repeat(200_000)}`)).toThrow();
  });

  it('have orders with a direction', () => {
    expect(parseOrder('metrics.`val loss` DESC')).toEqual({
      entity: 'metrics',
      key: 'val loss',
      isDescending: true,
    });
    expect(parseOrder('start_time')).toEqual({ entity: 'attribute', key: 'start_time', isDescending: false });
    expect(() => parseOrder('start_time sideways')).toThrow('Invalid order_by');
  });
});

describe('names of experiments', () => {
  it.each([
    ['plain', 'default', 'plain'],
    ['p/e', 'p', 'e'],
    ['p/e/f', 'p', 'e/f'],
    ['/Users/me/e', 'default', '/Users/me/e'],
    ['p/', 'default', 'p/'],
  ])('%s lies in the project %s as %s', (written, project, name) => {
    expect(experimentPlace(written)).toEqual({ project, name });
    expect(experimentName({ project, name })).toBe(written);
  });
});

describe('page tokens', () => {
  it('lead to the row behind the page', () => {
    const page = cutPage([1, 2, 3], 10, 2);
    expect(page.items).toEqual([1, 2]);
    expect(pageOffset(page.nextPageToken as string)).toBe(12);
    expect(cutPage([1, 2], 0, 2).nextPageToken).toBeNull();
  });

  it.each(['x', pageToken(-1), pageToken(0.5), Buffer.from('null').toString('base64url')])(
    'refuse %s',
    (token) => {
      expect(() => pageOffset(token)).toThrow('Invalid page token');
    },
  );
});
