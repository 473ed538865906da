import { describe, expect, it } from '@jest/globals';
import {
  isFiltered,
  listPart,
  pageInstead,
  sortAfter,
  withoutFilters,
} from '../../../web/src/shared/list/column.js';
import { changeTo, isShown, withoutView, withView } from '../../../web/src/shared/list/saved-view.js';
import { asRead, isCurrent, renewed, without } from '../../../web/src/shared/list/steady-rows.js';
import { searchOf, withAddress } from '../../../web/src/shared/list/typed-search.js';

describe('a search box', () => {
  it('keeps what is typed when its own word comes back in the address', () => {
    const paused = { ...searchOf(''), typed: 'digits ', sent: 'digits' };
    const back = withAddress(paused, 'digits');
    expect(back.typed).toBe('digits ');
    expect(withAddress({ ...paused, typed: 'digits new' }, 'digits').typed).toBe('digits new');
    expect(back.address).toBe('digits');
  });

  it('shows a word that the address has got otherwise', () => {
    const sent = withAddress({ ...searchOf(''), typed: 'digits ', sent: 'digits' }, 'digits');
    expect(withAddress(sent, '')).toEqual(searchOf(''));
    expect(withAddress(sent, 'cats').typed).toBe('cats');
  });
});

describe('"clear search and filters"', () => {
  const address = { tab: 'files', q: 'rose', status: 'invalid', page: 3, sort: 'path' };

  it('leaves the tab and the order', () => {
    const search = listPart(address, 'status');
    expect(isFiltered(search)).toBe(true);
    const left = Object.entries({ ...address, ...withoutFilters(search) }).filter(([, value]) => value);
    expect(left).toEqual([
      ['tab', 'files'],
      ['sort', 'path'],
    ]);
  });

  it('is not offered where nothing is looked for', () => {
    expect(isFiltered({ page: 2, sort: 'path', order: 'desc' })).toBe(false);
  });
});

describe('the order of a list', () => {
  it.each([
    ['name', undefined, 'asc'],
    ['size_bytes', 'right', 'desc'],
    ['created_at', undefined, 'desc'],
    ['last_heartbeat', undefined, 'desc'],
  ] as const)('begins for %s where somebody looks first', (sort, align, order) => {
    expect(sortAfter({ sort, align }, { by: 'id', order: 'asc' })).toEqual({ by: sort, order });
    expect(sortAfter({ sort, align }, null)).toEqual({ by: sort, order });
  });

  it('turns with each further click, also from the order that nobody chose', () => {
    const column = { sort: 'updated_at' };
    const turned = sortAfter(column, { by: 'updated_at', order: 'desc' });
    expect(turned).toEqual({ by: 'updated_at', order: 'asc' });
    expect(sortAfter(column, turned).order).toBe('desc');
  });
});

describe('a page past the last one', () => {
  it('leads to the last one', () => {
    expect(pageInstead(9, { items: [], total: 51 })).toBe(2);
    expect(pageInstead(2, { items: [], total: 50 })).toBe(1);
    expect(pageInstead(3, { items: [], total: 0 })).toBe(1);
  });

  it('is none of those that there are', () => {
    expect(pageInstead(1, { items: [], total: 0 })).toBeNull();
    expect(pageInstead(2, { items: ['a'], total: 51 })).toBeNull();
  });
});

describe('a saved view', () => {
  const search = { q: 'rose', status: 'invalid', page: 3, sort: 'path' };
  const kept = {
    name: 'Broken roses',
    search: { q: 'rose', status: 'invalid', sort: 'path' },
    hidden: ['size'],
  };
  const views = withView([], { ...kept, search });

  it('keeps everything but the page', () => {
    expect(views).toEqual([kept]);
  });

  it('takes the place of one with its name, and the list of views is in order', () => {
    const more = withView(views, { name: 'All', search: {}, hidden: [] });
    const renewed = withView(more, { name: 'Broken roses', search: { q: 'tulip' }, hidden: [] });
    expect(renewed.map(({ name, search: { q } }) => [name, q])).toEqual([
      ['All', undefined],
      ['Broken roses', 'tulip'],
    ]);
    expect(withoutView(renewed, 'All').map(({ name }) => name)).toEqual(['Broken roses']);
  });

  it('removes what the list had besides, and leads to its first page', () => {
    expect(changeTo({ page: 9, kind: 'image' }, kept)).toEqual({
      page: undefined,
      kind: undefined,
      q: 'rose',
      status: 'invalid',
      sort: 'path',
    });
  });

  it('is shown on whichever page, and not once something is changed', () => {
    expect(isShown(kept, { ...search, page: 7 }, ['size'])).toBe(true);
    expect(isShown(kept, { ...search, q: 'tulip' }, ['size'])).toBe(false);
    expect(isShown(kept, search, [])).toBe(false);
  });
});

describe('rows that somebody looks at', () => {
  it('are those of a query once it has what is there now', () => {
    const read = { data: [], isPlaceholderData: false, isFetchedAfterMount: true, isFetching: true };
    expect(isCurrent(read)).toBe(true);
    expect(isCurrent({ ...read, isFetchedAfterMount: false })).toBe(false);
    expect(isCurrent({ ...read, isFetchedAfterMount: false, isFetching: false })).toBe(true);
    expect(isCurrent({ ...read, isPlaceholderData: true })).toBe(false);
    expect(isCurrent({ ...read, data: undefined })).toBe(false);
  });

  const row = (id: string, state = 'old') => ({ id, state });
  const keyOf = ({ id }: { id: string }) => id;
  const shown = asRead('first page', [row('a'), row('b'), row('c')]);

  it('stay in their places until the new ones are asked for', () => {
    const next = renewed(shown, [row('new'), row('c', 'moved'), row('a')], keyOf);
    expect(next.rows).toEqual([row('a'), row('b'), row('c', 'moved')]);
    expect([...next.gone]).toEqual(['b']);
    expect(next.waiting).toBe(1);
    expect(renewed(next, [row('b', 'back'), row('c')], keyOf)).toMatchObject({
      rows: [row('a'), row('b', 'back'), row('c')],
      gone: new Set(['a']),
      waiting: 0,
    });
  });

  it('come at once where there were none', () => {
    expect(renewed(asRead('empty', []), [row('a')], keyOf)).toMatchObject({ rows: [row('a')], waiting: 0 });
  });

  it('go where the reader took them away', () => {
    const next = renewed(shown, [row('a')], keyOf);
    expect(without(next, new Set(['a', 'b']), keyOf)).toMatchObject({
      rows: [row('a'), row('c')],
      gone: new Set(['c']),
    });
  });
});
