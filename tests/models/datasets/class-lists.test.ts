import { describe, expect, it } from '@jest/globals';
import { type ClassList, ClassLists } from '../../../models/datasets/annotations/matching/class-lists.js';

const listOf = (count: number): ClassList =>
  new Map(Array.from({ length: count }, (_, id) => [id, `class ${id}`]));

describe('lists of classes', () => {
  /** What was read, file by file, of files with ten classes each. */
  function reader() {
    const asked: string[] = [];
    const read = async (fileIds: readonly string[]) => {
      asked.push(...fileIds);
      return new Map(fileIds.map((id) => [id, listOf(10)]));
    };
    return { asked, read };
  }

  it('are read once for all pages that touch the same files', async () => {
    const { asked, read } = reader();
    const lists = new ClassLists();
    for (let page = 0; page < 20; page += 1) {
      const found = await lists.of(new Set(['a', 'b', `only ${page % 2}`]), read);
      expect([...found.values()].map(({ size }) => size)).toEqual([10, 10, 10]);
    }
    expect(asked).toEqual(['a', 'b', 'only 0', 'only 1']);
  });

  it('are kept up to a number of classes: those not needed for longest make place', async () => {
    const { asked, read } = reader();
    const lists = new ClassLists(60);
    for (const page of [['a'], ['b'], ['c'], ['a'], ['d'], ['a', 'c']]) await lists.of(new Set(page), read);
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    await lists.of(new Set(['b']), read);
    expect(asked.at(-1)).toBe('b');
  });

  it('are all there for one page, however many classes its files have', async () => {
    const { asked, read } = reader();
    const lists = new ClassLists(30);
    const page = new Set(['a', 'b', 'c', 'd', 'e']);
    expect([...(await lists.of(page, read))].map(([id, { size }]) => [id, size])).toEqual(
      [...page].map((id) => [id, 10]),
    );
    expect(asked).toHaveLength(5);
  });

  it('are empty for files that have none, and these are not asked for again', async () => {
    const lists = new ClassLists();
    let asked = 0;
    const none = async () => {
      asked += 1;
      return new Map<string, ClassList>();
    };
    for (let page = 0; page < 2; page += 1)
      expect((await lists.of(new Set(['a']), none)).get('a')?.size).toBe(0);
    await lists.of(new Set(), none);
    expect(asked).toBe(1);
  });

  it('of which each takes its place, with classes or without', async () => {
    const asked: string[] = [];
    const lists = new ClassLists(1000);
    const none = async (fileIds: readonly string[]) => {
      asked.push(...fileIds);
      return new Map<string, ClassList>();
    };
    for (let file = 0; file < 500; file += 1) await lists.of(new Set([`${file}`]), none);
    for (const file of ['499', '400', '0']) await lists.of(new Set([file]), none);
    expect(asked.slice(500)).toEqual(['0']);
  });
});
