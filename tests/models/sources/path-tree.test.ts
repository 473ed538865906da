import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PathTree } from '../../../models/sources/sync/path-tree.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

const treeOf = (...paths: string[]) => {
  const tree = new PathTree();
  for (const path of paths) tree.add(path);
  return tree;
};

describe('the paths of a manifest', () => {
  it('are taken once', () => {
    const tree = treeOf('a/b');
    expect([tree.add('a/b'), tree.add('a/c')]).toEqual([null, []]);
    expect([tree.has('a/c'), tree.has('a'), tree.has('d')]).toEqual([true, false, false]);
  });

  it.each([[['a/b', 'a/b/c/d']], [['a/b/c/d', 'a/b']]])(
    'clash where one is the folder of another, in whatever order: %j',
    (paths) => {
      const tree = treeOf(...paths, 'a/bc', 'x');
      expect(tree.hasClash).toBe(true);
      expect(['a/b', 'a/b/c/d', 'a/bc', 'x'].map((path) => tree.isClash(path))).toEqual([
        true,
        true,
        false,
        false,
      ]);
    },
  );

  it('do not clash where names only begin alike', () => {
    expect(treeOf('a', 'ab/c', 'a.b', 'b/a', 'b/ab').hasClash).toBe(false);
  });

  it('name each folder once, with the first file in it', () => {
    const tree = new PathTree();
    expect(['a/b/1', 'a/b/2', 'a/c/3', 'x'].map((path) => tree.add(path))).toEqual([
      ['a/b', 'a'],
      [],
      ['a/c'],
      [],
    ]);
    expect(tree.folderCount).toBe(3);
  });

  it('clash as a comparison of each with each says', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'a!', 'a0', 'é'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 25 }), (paths) => {
        const tree = treeOf(...paths);
        const inTheWay = (one: string) =>
          paths.some((other) => one.startsWith(`${other}/`) || other.startsWith(`${one}/`));
        // Whatever lies below a clash is one as well.
        expect(paths.filter((one) => tree.isClash(one))).toEqual(paths.filter(inTheWay));
      }),
    );
  });

  it('are distinguished by the thousand, and look into 250 folders each in no time', () => {
    const tree = new PathTree();
    const deep = Array.from({ length: 20_000 }, (_, n) => `${'f/'.repeat(250)}${n}`);
    const took = cpuMs(() => {
      expect(deep.filter((path) => tree.add(path) === null)).toEqual([]);
      tree.add('f/f');
      expect(deep.every((path) => tree.isClash(path))).toBe(true);
    });
    expect(tree.folderCount).toBe(250);
    expect(took).toBeLessThan(NO_SQUARE_MS);
  });
});
