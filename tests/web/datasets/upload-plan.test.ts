import { describe, expect, it } from '@jest/globals';
import {
  CHUNK_BYTES,
  chunkRange,
  commonRoot,
  fitsBatch,
  idFromName,
  isPath,
  isRootKept,
  joined,
  missingChunks,
  selectionOf,
  startsAsZip,
  wayOf,
  withoutRoot,
} from '../../../web/src/datasets/upload/upload-plan';

const dropped = (...paths: string[]) => paths.map((path) => ({ path, file: null, size: 1 }));

describe('the plan of an upload', () => {
  it('leaves out what desktop systems leave behind', () => {
    const selection = selectionOf(
      dropped('a/1.png', 'a/.DS_Store', 'a/Thumbs.db', '__MACOSX/a/1.png', '.hidden'),
    );
    expect(selection.entries.map(({ path }) => path)).toEqual(['a/1.png', '.hidden']);
    expect(selection.leftOut).toBe(3);
  });

  it('takes the later of two files of one path', () => {
    const all = joined(
      [{ path: 'a', file: 1, size: 1 }],
      [
        { path: 'a', file: 2, size: 1 },
        { path: 'b', file: 3, size: 1 },
      ],
    );
    expect(all).toEqual([
      { path: 'a', file: 2, size: 1 },
      { path: 'b', file: 3, size: 1 },
    ]);
  });

  it('finds the folder that all paths share, and drops it only where it holds folders alone', () => {
    expect(commonRoot(['set/a/1.png', 'set/b/2.png'])).toBe('set');
    expect(commonRoot(['set/a/1.png', 'sets/b/2.png'])).toBeNull();
    expect(commonRoot(['1.png'])).toBeNull();
    expect(commonRoot([])).toBeNull();
    expect(isRootKept(['set/a/1.png', 'set/b/2.png'])).toBe(false);
    // `rose/1.png` dropped alone is the class rose.
    expect(isRootKept(['rose/1.png'])).toBe(true);
    expect(withoutRoot('set/a/1.png', 'set')).toBe('a/1.png');
    expect(withoutRoot('settings/1.png', 'set')).toBe('settings/1.png');
  });

  it('sends small files in a form, large ones in chunks, and unpacks only ZIPs that were dropped themselves', () => {
    expect(wayOf('a/1.png', CHUNK_BYTES - 1, false)).toBe('form');
    expect(wayOf('a/1.tif', CHUNK_BYTES, false)).toBe('session');
    expect(wayOf('all.ZIP', 10, true)).toBe('archive');
    expect(wayOf('a/inner.zip', CHUNK_BYTES * 2, true)).toBe('form');
    expect(wayOf('weights.npz', CHUNK_BYTES * 2, true)).toBe('form');
    expect(startsAsZip(Uint8Array.of(0x50, 0x4b, 3, 4))).toBe(true);
    expect(startsAsZip(Uint8Array.of())).toBe(false);
  });

  it('packs small files that fit one request', () => {
    const file = (size: number) => ({ path: 'a', file: null, size });
    expect(
      fitsBatch(
        Array.from({ length: 249 }, () => file(1)),
        file(1),
      ),
    ).toBe(true);
    expect(
      fitsBatch(
        Array.from({ length: 250 }, () => file(1)),
        file(1),
      ),
    ).toBe(false);
    expect(fitsBatch([file(CHUNK_BYTES - 1)], file(2))).toBe(false);
    // Large ones only pass through.
    expect(fitsBatch([file(CHUNK_BYTES * 9)], file(2))).toBe(true);
  });

  it('knows which paths the platform takes', () => {
    for (const path of ['a/b.png', 'ü ö/ß.jpg', '..a', 'x'.repeat(255)])
      expect([path, isPath(path)]).toEqual([path, true]);
    for (const path of [
      '',
      'a//b',
      'a/../b',
      '.',
      'a\u0007',
      'a\\b',
      'C:/x',
      'ü'.repeat(128),
      ' /a',
      'a\u202e.png',
      'a/'.repeat(256) + 'b',
    ])
      expect([path, isPath(path)]).toEqual([path, false]);
  });

  it('sends the chunks that are missing, the last one shorter', () => {
    expect(missingChunks(5, [0, 3])).toEqual([1, 2, 4]);
    expect(missingChunks(0, [])).toEqual([]);
    expect(chunkRange(0, 10, 25)).toEqual([0, 10]);
    expect(chunkRange(2, 10, 25)).toEqual([20, 25]);
  });

  it('makes an id of a name', () => {
    expect(idFromName('Scratches on line 3')).toBe('scratches-on-line-3');
    expect(idFromName('  Ärger & Co. ')).toBe('arger-co');
    expect(idFromName('日本')).toBe('');
  });
});
