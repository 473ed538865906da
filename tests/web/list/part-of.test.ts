import { describe, expect, it } from '@jest/globals';
import { partOf } from '../../../web/src/shared/list/part-of.js';

describe('a list that the platform sends as a whole', () => {
  const all = Array.from({ length: 120 }, (_, at) => ({ code: `t${at}`, created_at: String(1000 - at) }));
  const textOf = ({ code }: { code: string }) => code;

  it('sends one page, and how many there are', () => {
    const { items, total } = partOf(all, { page: 3 }, textOf);
    expect(items.map(({ code }) => code)).toEqual(all.slice(100).map(({ code }) => code));
    expect(total).toBe(120);
  });

  it('searches and sorts the whole list', () => {
    expect(partOf(all, { q: 'T11' }, textOf).total).toBe(11);
    expect(partOf(all, { sort: 'code', order: 'desc' }, textOf).items[0]?.code).toBe('t119');
  });

  it('is filtered by the field of the name, and sorts numbers as numbers', () => {
    const sized = [
      { name: 'b', state: 'on', size: 10 },
      { name: 'a', state: 'off', size: 9 },
      { name: 'c', state: 'on', size: 2 },
    ];
    const namesOf = (search: Parameters<typeof partOf>[1]) =>
      partOf(sized, search, ({ name }) => name).items.map(({ name }) => name);
    expect(namesOf({ state: 'on' })).toEqual(['b', 'c']);
    expect(namesOf({ sort: 'size', order: 'asc' })).toEqual(['c', 'a', 'b']);
    expect(namesOf({ state: undefined })).toEqual(['b', 'a', 'c']);
  });
});
