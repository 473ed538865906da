import { describe, expect, it } from '@jest/globals';
import { refsOfLabel, splitOf, splitOfFile } from '../../../formats/annotations/image-reference.js';

describe('parts of a dataset', () => {
  it('are named by folders, and for files by their names too', () => {
    expect(
      ['train/a.png', 'x/VAL2017/a.png', 'valid/a', 'images/testing/a', 'training.png', 'trainer/a.png'].map(
        splitOf,
      ),
    ).toEqual(['train', 'val', 'val', 'test', null, null]);
    expect(['constructor/a.png', '__proto__/toString/a.png', 'valueOf'].map(splitOf)).toEqual([
      null,
      null,
      null,
    ]);
    expect(
      ['annotations/instances_val2017.json', 'train/_annotations.coco.json', 'all.json'].map(splitOfFile),
    ).toEqual(['val', 'train', null]);
  });

  it('keep their folders between labels and images', () => {
    expect(refsOfLabel('a/labels/b/c.txt')).toEqual(['a/images/b/c', 'a/b/c', 'a/labels/b/c']);
    expect(refsOfLabel('c.txt')).toEqual(['c']);
  });
});
