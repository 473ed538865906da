import { describe, expect, it } from '@jest/globals';
import { PathTree } from '../../../models/sources/path-tree.js';

const treeOf = (...paths: string[]) => {
  const tree = new PathTree();
  for (const path of paths) tree.add(path);
  return tree;
};

describe('the paths of a manifest', () => {
  it('are taken once', () => {
    const tree = treeOf('a/b');
    expect([tree.add('a/b'), tree.add('a/c')]).toEqual([false, true]);
    expect([tree.has('a/c'), tree.has('a'), tree.has('d')]).toEqual([true, false, false]);
  });

  it.each([[['a/b', 'a/b/c/d']], [['a/b/c/d', 'a/b']]])('clash where one is the folder of another, in whatever order: %j', (paths) => {
    const tree = treeOf(...paths, 'a/bc', 'x');
    expect(tree.hasClash).toBe(true);
    expect(['a/b', 'a/b/c/d', 'a/bc', 'x'].map((path) => tree.isClash(path))).toEqual([true, true, false, false]);
  });

  it('do not clash where names only begin alike', () => {
    expect(treeOf('a', 'ab/c', 'a.b', 'b/a', 'b/ab').hasClash).toBe(false);
  });
});
