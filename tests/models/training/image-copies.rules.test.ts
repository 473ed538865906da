import { describe, expect, it } from '@jest/globals';
import type { ManifestFile } from '../../../models/datasets/validation/manifest.types.js';
import { copiesWarning, imageCopies } from '../../../models/training/image-copies.rules.js';

const image = (path: string, sha256: string, split?: 'train' | 'val' | 'test'): ManifestFile => ({
  ...{ path, sha256, size: 1, key: path, kind: 'image' },
  ...(split && { split }),
});

describe('equal images of a training', () => {
  const files = [
    image('train/a.png', 'a', 'train'),
    image('train/b.png', 'b', 'train'),
    image('train/b2.png', 'b', 'train'),
    image('val/a.png', 'a', 'val'),
    image('test/a.png', 'a', 'test'),
    image('val/c.png', 'c', 'val'),
    { ...image('labels.json', 'a', 'train'), kind: 'annotation' as const },
  ];

  it('are counted once for each copy, and apart where they are in train too', () =>
    expect(imageCopies(files)).toEqual({ images: 3, leaked: 2 }));

  it('are warned of as the split uses them', () => {
    expect(copiesWarning('existing', { images: 3, leaked: 2 })).toMatch(/^2 images of val and test have/);
    expect(copiesWarning('ratio', { images: 3, leaked: 2 })).toMatch(/^3 images have the same bytes/);
    expect(copiesWarning('existing', { images: 3, leaked: 0 })).toBeNull();
    expect(copiesWarning('ratio', { images: 0, leaked: 0 })).toBeNull();
  });
});
