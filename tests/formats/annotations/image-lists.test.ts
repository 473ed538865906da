import { describe, expect, it } from '@jest/globals';
import { readAnnotation } from '../../../activities/datasets/annotation-reader.js';
import { MAX_LIST_BYTES } from '../../../formats/annotations/yolo/yolo-list.js';
import { listOfConfiguration } from '../../../formats/annotations/yolo/yolo-parts.js';
import { recognizeFile } from '../../../formats/files/file-type.js';

function read(path: string, bytes: Buffer) {
  const type = recognizeFile(bytes.subarray(0, 65_536), path);
  const reading = type.kind === 'annotation' ? readAnnotation(type, path, bytes) : null;
  return {
    kind: reading?.facts?.kind ?? null,
    images: reading?.facts?.imageCount,
    entries: [...(reading?.facts?.entries ?? [])],
    note: reading?.problem === null ? reading.note : reading?.problem,
  };
}
const names = (path: string, bytes: Buffer) =>
  read(path, bytes).entries.map(({ name, extension }) => `${name}.${extension}`);

describe('lists of images', () => {
  it('are known by their lines, and no label file or list of names is one', () => {
    expect(read('train.txt', Buffer.from('images/1.jpg\n./images/2.PNG\nnotes\n'))).toMatchObject({
      kind: 'yolo_list',
      images: 2,
    });
    expect(read('labels/a.txt', Buffer.from('images/1.jpg\n')).kind).toBeNull();
    expect(read('classes.txt', Buffer.from('a.jpg\nb.jpg\n')).kind).toBe('yolo_names');
    expect(read('a.txt', Buffer.from('0 0.5 0.5 0.1 0.1\n')).kind).toBe('yolo');
    expect(read('readme.txt', Buffer.from('See a.jpg\nfor what\nis meant\n')).kind).toBeNull();
  });

  it('may be in another encoding, end their lines in both ways, and hold junk', () => {
    const text = 'größe/1.jpg\r\n\r\n2.jpg';
    expect(names('a.txt', Buffer.from(text))).toEqual(['größe/1.jpg', '2.jpg']);
    expect(names('a.txt', Buffer.from(text, 'latin1'))).toEqual(['größe/1.jpg', '2.jpg']);
    expect(names('a.txt', Buffer.from(`\uFEFF${text}`, 'utf16le'))).toEqual(['größe/1.jpg', '2.jpg']);
    expect(names('a.txt', Buffer.from(`1.jpg\n2.jpg\n${'x'.repeat(100_000)}.jpg\n../../3.jpg\n`))).toEqual([
      '1.jpg',
      '2.jpg',
      '3.jpg',
    ]);
  });

  it('say where an image may lie, best first', () => {
    const refsOf = (path: string, line: string) => read(path, Buffer.from(line)).entries[0]?.refs;
    expect(refsOf('train.txt', '/content/ds/images/1.jpg')).toEqual(['content/ds/images/1']);
    expect(refsOf('up/train.txt', './images/1.jpg')).toEqual(['up/images/1', 'images/1']);
    expect(refsOf('up/train.txt', '/content/ds/images/1.jpg')).toEqual([
      'up/content/ds/images/1',
      'content/ds/images/1',
      'up/ds/images/1',
      'up/images/1',
    ]);
  });

  it('of too many bytes are not read, which their note says', () => {
    const found = read('train.txt', Buffer.alloc(MAX_LIST_BYTES + 6, 'a.jpg\n'));
    expect(found).toMatchObject({
      kind: 'yolo_list',
      images: 0,
      entries: [],
      note: expect.stringContaining('not read'),
    });
  });

  it('are those beside the configuration, those at the root, or the only ones of their name', () => {
    const lists = [
      { fileId: 'top', path: 'train.txt' },
      { fileId: 'up', path: 'up/train.txt' },
      { fileId: 'a', path: 'a/test.txt' },
      { fileId: 'b', path: 'b/test.txt' },
      { fileId: 'c', path: 'c/val.txt' },
    ];
    expect(listOfConfiguration(lists, ['test.txt'], 'data.yaml')).toBeNull();
    expect(listOfConfiguration(lists, ['test.txt'], 'b/data.yaml')).toBe('b');
    expect(listOfConfiguration(lists, ['sets/val.txt', 'val.txt'], 'data.yaml')).toBe('c');
    expect(listOfConfiguration(lists, ['train.txt'], 'up/data.yaml')).toBe('up');
    expect(listOfConfiguration(lists, ['train.txt'], 'other/data.yaml')).toBe('top');
    expect(listOfConfiguration(lists, ['nor.txt', 'up/train.txt'], 'data.yaml')).toBe('up');
    expect(listOfConfiguration(lists, ['rain.txt'], 'data.yaml')).toBeNull();
  });
});
