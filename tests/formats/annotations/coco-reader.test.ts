import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { AnnotationReading } from '../../../formats/annotations/annotation.types.js';
import { tasksServed } from '../../../formats/annotations/annotation-format.js';
import { CocoReader } from '../../../formats/annotations/coco/coco-reader.js';
import { referencedPath } from '../../../formats/annotations/image-reference.js';
import { OBJECT_BYTES, unpackObjects } from '../../../formats/annotations/packed-objects.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function readCoco(text: string, step = 1 << 20): AnnotationReading | null {
  const reader = new CocoReader();
  const whole = bytes(text);
  for (let at = 0; at < whole.length; at += step) reader.push(whole.subarray(at, at + step));
  return reader.end('annotations/val.json');
}

describe('COCO of long names', () => {
  const push = (
    reader: CocoReader,
    images: number,
    one: (n: number) => { id: number | string; file_name: string },
  ) => {
    reader.push(bytes('{"annotations":[],"images":['));
    for (let n = 0; n < images && reader.isReadable; n += 1)
      reader.push(bytes(`${n > 0 ? ',' : ''}${JSON.stringify(one(n))}`));
    if (reader.isReadable) reader.push(bytes(']}'));
    return reader.end('a.json');
  };
  const heap = () => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };

  it('keeps what it compares of them, not the whole', () => {
    const before = heap();
    const reader = new CocoReader();
    const reading = push(reader, 30_000, (n) => ({
      id: n,
      file_name: 'x'.repeat(1490) + String(n).padStart(10, '0'),
    }));
    const held = heap() - before;
    expect(reading?.facts?.imageCount).toBe(30_000);
    expect(held).toBeLessThan(32);
  });

  it('is refused where names and ids take too much together', () => {
    const reading = push(new CocoReader(), 200_000, (n) => ({
      id: 'i'.repeat(90) + n,
      file_name: 'x'.repeat(500) + n,
    }));
    expect(reading?.problem).toBe('its image names and ids take more than 67108864 bytes together; part it');
  });
});

describe('COCO', () => {
  const file = JSON.stringify({
    licenses: [{ name: '}]"\\' }],
    images: [
      { id: 7, file_name: 'x\\y "quoted" é.jpg', width: 10, height: 20 },
      { id: 8, file_name: 'z.jpg' },
    ],
    annotations: [
      { image_id: 8, category_id: 1, bbox: [1, 2, 3, 4] },
      { image_id: 7, category_id: 2, bbox: [0, 0, 1, 1], keypoints: [1, 1, 2] },
      { image_id: 8, category_id: 1, bbox: [], segmentation: [[0, 0, 4, 0, 4, 6]] },
      { image_id: 8, caption: 'no object' },
    ],
    categories: [
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ],
  });

  it('is read the same however its bytes are cut', () => {
    const whole = readCoco(file);
    expect(whole?.facts).toMatchObject({
      kind: 'coco',
      imageCount: 2,
      objectCount: 3,
      orphanCount: 0,
      classes: [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ],
    });
    const entries = [...(whole?.facts?.entries ?? [])];
    expect(entries.map(({ name, extension, split, width }) => [name, extension, split, width])).toEqual([
      ['x/y "quoted" é', 'jpg', 'val', 10],
      ['z', 'jpg', 'val', null],
    ]);
    expect([...unpackObjects(entries[1]?.objects ?? new Uint8Array())].map(({ box }) => box)).toEqual([
      [1, 2, 3, 4],
      [0, 0, 4, 6],
    ]);
    for (const step of [1, 2, 3, 7, 64])
      expect([...(readCoco(file, step)?.facts?.entries ?? [])]).toEqual(entries);
  });

  it('is refused where one image has more objects than are kept', () => {
    const objects = Array(50_001).fill('{"image_id":2,"category_id":1,"bbox":[0,0,1,1]}');
    const text = (count: number) =>
      `{"images":[{"id":1,"file_name":"a"},{"id":2,"file_name":"b"}],"categories":[],"annotations":[{"image_id":1,"category_id":1,"bbox":[0,0,1,1]},${objects.slice(0, count).join(',')}]}`;
    expect(readCoco(text(50_001))).toEqual({
      facts: null,
      problem: 'image 2 of its list has more than 50000 annotations',
    });
    expect(
      [...(readCoco(text(50_000))?.facts?.entries ?? [])].map((entry) => entry.objects.length / OBJECT_BYTES),
    ).toEqual([1, 50_000]);
  });

  it.each([
    [
      '{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[NaN,0,1,1]}]}',
      /NaN and Infinity are no numbers/,
    ],
    ['{"images":[{"id":1,"file_name":"a","width":-Infinity}]}', /NaN and Infinity are no numbers/],
    [
      '{"images":[{"id":9007199254740993,"file_name":"a"}]}',
      /image 1 of its list has an id beyond 2\^53 - 1/,
    ],
    [
      '{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[-1e999,0,1,1]}]}',
      /finite/,
    ],
    [
      '{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"category_id":1.5,"bbox":[0,0,1,1]}]}',
      /category_id/,
    ],
    [
      '{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"category_id":1,"segmentation":[[0,0,1]]}]}',
      /polygon/,
    ],
    [
      '{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"category_id":1,"bbox":[0,0,1,1],"segmentation":{"counts":[-1]}}]}',
      /mask/,
    ],
    ['{"images":[{"id":1,"file_name":"a"},{"id":1,"file_name":"b"}],"annotations":[]}', /id 1/],
    ['{"images":[{"id":1}],"annotations":[]}', /file_name/],
    ['{"images":[3],"annotations":[]}', /no object/],
    ['{"images":[{"id":1,"file_name":"a"}],"annotations":[', /ends too early/],
    ['{"images":[}', /not valid JSON/],
    ['{"images":[]}x', /not valid JSON/],
    [`{"images":[${'['.repeat(100)}`, /nested deeper/],
    [`{"images":[{"id":1,"file_name":"${'a'.repeat(9_000_000)}"}]}`, /larger than/],
    [`{${Array.from({ length: 1100 }, (_, at) => `"k${at}":[]`).join(',')}}`, /more than 1000/],
  ])('is refused with a reason: %.90s', (text, reason) => {
    expect(readCoco(text)?.problem).toMatch(reason);
    expect(readCoco(text, 5)?.problem).toMatch(reason);
  });

  it('with key points serves segmentation too where it has outlines', () => {
    expect(tasksServed('pose', { polygon: 0, mask: 0 })).toEqual(['pose', 'detection']);
    expect(tasksServed('pose', { polygon: 1, mask: 0 })).toEqual([
      'pose',
      'instance_segmentation',
      'detection',
    ]);
    expect(tasksServed('pose', { polygon: 0, mask: 1 })).toContain('instance_segmentation');
  });

  it('is not every JSON object, and a name in it never leaves the dataset', () => {
    expect(readCoco('{"shapes":[{"points":[[1,2]]}],"imagePath":"a.jpg"}')).toBeNull();
    expect(referencedPath('C:\\x\\..\\..\\etc/./passwd\u0000.png')).toBe('x/etc/passwd?.png');
    expect(referencedPath('../../a.png')).toBe('a.png');
  });
});
