import { describe, expect, it } from '@jest/globals';
import { readAnnotation } from '../../../activities/datasets/annotation-reader.js';
import { OBJECT_FLAGS } from '../../../formats/annotations/annotation.types.js';
import { CocoReader } from '../../../formats/annotations/coco/coco-reader.js';
import { unpackObjects } from '../../../formats/annotations/packed-objects.js';
import { THIN_POLYGONS } from '../../../formats/annotations/unread-formats.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

const read = (file: object) => {
  const reader = new CocoReader();
  reader.push(new TextEncoder().encode(JSON.stringify(file)));
  return reader.end('a.json');
};
const CATEGORIES = [{ id: 1, name: 'a' }];
const mask = (segmentation: unknown) => ({ image_id: 1, category_id: 1, bbox: [0, 0, 1, 1], segmentation });
const withMask = (segmentation: unknown, image: object = {}) => ({
  images: [{ id: 1, file_name: 'a.png', ...image }],
  annotations: [mask(segmentation)],
  categories: CATEGORIES,
});

describe('masks of COCO files', () => {
  // Nine runs: 6, 1, 40, 4, 5, 4, 5, 4, 21.
  const packed = '61X13mN000`0';

  it.each([
    ['counted', { size: [8, 10], counts: [0, 5, 75] }],
    ['counted, all ground', { size: [8, 10], counts: [80] }],
    ['compressed', { size: [9, 10], counts: packed }],
    ['compressed in one run', { size: [9, 10], counts: 'j2' }],
  ])('are taken where their runs fill them: %s', (_, segmentation) => {
    const [height, width] = segmentation.size;
    expect(read(withMask(segmentation))).toMatchObject({ problem: null, facts: { objectCount: 1 } });
    expect(read(withMask(segmentation, { width, height }))?.problem).toBeNull();
  });

  it.each([
    ['another alphabet', { size: [80, 100], counts: 'garbage!!' }, /run lengths do not fill/],
    ['a byte beyond the alphabet', { size: [9, 10], counts: `${packed}p` }, /do not fill/],
    ['runs of too little', { size: [8, 10], counts: [0, 5] }, /do not fill/],
    ['runs of too much', { size: [8, 10], counts: [0, 81] }, /do not fill/],
    ['runs of too much together', { size: [8, 10], counts: [9e15, 9e15, 9e15] }, /do not fill/],
    ['no runs', { size: [8, 10], counts: [] }, /do not fill/],
    ['no text', { size: [8, 10], counts: '' }, /do not fill/],
    ['a run less', { size: [9, 10], counts: packed.slice(0, -2) }, /do not fill/],
    ['a number cut short', { size: [9, 10], counts: packed.slice(0, -1) }, /do not fill/],
    ['a size turned round', { size: [10, 10], counts: packed }, /do not fill/],
    ['a run below zero', { size: [9, 10], counts: `O${packed}` }, /do not fill/],
    ['a number without end', { size: [9, 10], counts: `${'P'.repeat(500_000)}0` }, /do not fill/],
    ['a part of a run', { size: [8, 10], counts: [0.5, 79.5] }, /without size or run lengths/],
    ['a run that is text', { size: [8, 10], counts: ['80'] }, /without size or run lengths/],
    ['no size', { counts: [80] }, /without size or run lengths/],
    ['a size of nothing', { size: [0, 10], counts: [0] }, /without size or run lengths/],
    ['a size of one side', { size: [80], counts: [80] }, /without size or run lengths/],
  ])('are refused by their place for %s', (_, segmentation, reason) => {
    let problem: string | null | undefined;
    const spent = cpuMs(() => {
      problem = read(withMask(segmentation))?.problem;
    });
    expect(problem).toMatch(/^annotation 1 of its list has a mask/);
    expect(problem).toMatch(reason);
    expect(spent).toBeLessThan(NO_SQUARE_MS);
  });

  it('have the size that their image declares, whichever list comes first', () => {
    const images = [
      { id: 1, file_name: 'a.png', width: 100, height: 80 },
      { id: 2, file_name: 'b.png' },
    ];
    const annotations = [
      { ...mask({ size: [8, 10], counts: [80] }), image_id: 2 },
      { ...mask([[0, 0, 4, 0, 4, 6]]) },
      mask({ size: [8, 10], counts: [80] }),
    ];
    for (const file of [
      { images, annotations, categories: CATEGORIES },
      { annotations, categories: CATEGORIES, images },
    ])
      expect(read(file)?.problem).toBe(
        'annotation 3 of its list has a mask of 10 x 8 pixels, its image 100 x 80',
      );
    expect(read(withMask({ size: [100, 80], counts: [8000] }, { width: 100, height: 80 }))?.problem).toMatch(
      /mask of 80 x 100 pixels, its image 100 x 80/,
    );
    expect(read(withMask({ size: [8, 10], counts: [80] }, { height: 9 }))?.problem).toMatch(
      /mask of 10 x 8 pixels/,
    );
    expect(read(withMask({ size: [8, 10], counts: [80] }, { height: 8 }))?.problem).toBeNull();
  });
});

describe('images of COCO files', () => {
  const nameOf = (image: object) =>
    [
      ...(read({ images: [{ id: 1, ...image }], annotations: [], categories: CATEGORIES })?.facts?.entries ??
        []),
    ][0]?.name;
  const url = 'http://images.example.org/train2017/000000391895.jpg';

  it('without file_name are named by their URL, as in LVIS', () => {
    expect([nameOf({ coco_url: url }), nameOf({ coco_url: `${url}?a=b/c.png#d`, file_name: null })]).toEqual([
      '000000391895',
      '000000391895',
    ]);
    expect(nameOf({ coco_url: url, file_name: 'a.png' })).toBe('a');
    for (const coco_url of ['http://images.example.org/', '', 7, 'a.png'])
      expect(read({ images: [{ id: 1, coco_url }], annotations: [] })?.problem).toBe(
        'image 1 of its list has no id or no file_name',
      );
  });
});

describe('objects of COCO files', () => {
  const object = (fields: object) =>
    read({
      images: [{ id: 1, file_name: 'a.png' }],
      annotations: [{ image_id: 1, category_id: 1, ...fields }],
      categories: CATEGORIES,
    });
  const box = { bbox: [1, 2, 3, 4] };
  const outline = { segmentation: [[0, 0, 4, 0, 4, 6]] };

  it.each([
    ['key points', { ...box, keypoints: null }],
    ['outline', { ...box, segmentation: null }],
    ['both', { ...box, segmentation: null, keypoints: null }],
    ['box, where there is an outline', { ...outline, bbox: null, keypoints: null }],
  ])('may say by null that they have none: %s', (_, fields) => {
    expect(object(fields)).toMatchObject({ problem: null, facts: { objectCount: 1 } });
  });

  it.each([
    ['counted', { size: [8, 10], counts: [0, 5, 75] }, [0, 0, 1, 5]],
    ['counted, over the end of a column', { size: [8, 10], counts: [10, 8, 62] }, [1, 0, 2, 8]],
    ['compressed', { size: [9, 10], counts: '61X13mN000`0' }, [0, 2, 8, 5]],
    ['of ground alone', { size: [8, 10], counts: [80] }, [0, 0, 0, 0]],
  ])('without a box have the one of their mask: %s', (_, segmentation, expected) => {
    for (const fields of [{ segmentation }, { segmentation, bbox: null }, { segmentation, bbox: [] }]) {
      const reading = object(fields);
      expect(reading?.problem).toBeNull();
      const [entry] = [...(reading?.facts?.entries ?? [])];
      expect([...unpackObjects(entry?.objects ?? new Uint8Array())].map(({ box: found }) => found)).toEqual([
        expected,
      ]);
    }
  });

  it('are none where all three are null, as in captions', () => {
    expect(object({ bbox: null, segmentation: null, keypoints: null, caption: 'a cat' })).toMatchObject({
      problem: null,
      facts: { objectCount: 0 },
    });
    expect(object({ bbox: null, keypoints: [1, 1, 2] })?.problem).toBe(
      'annotation 1 of its list has no bbox of four finite numbers',
    );
  });
});

describe('polygons of COCO files', () => {
  const bolt = { image_id: 1, category_id: 1 };
  const box = [1, 2, 3, 4];
  const area = [0, 0, 4, 0, 4, 6];
  const noteOf = (reading: ReturnType<typeof read>) =>
    reading?.problem === null ? (reading.note ?? null) : null;
  const found = (...annotations: object[]) => {
    const reading = read({
      images: [{ id: 1, file_name: 'a.png' }],
      annotations: annotations.map((one) => ({ ...bolt, ...one })),
      categories: CATEGORIES,
    });
    const [entry] = [...(reading?.facts?.entries ?? [])];
    return {
      problem: reading?.problem,
      note: noteOf(reading),
      objects: [...unpackObjects(entry?.objects ?? new Uint8Array())],
    };
  };

  it.each([
    ['nothing', [[]]],
    ['a point', [[5, 5]]],
    ['two points', [[5, 5, 9, 9]]],
    ['two points without a list around them', [5, 5, 9, 9]],
  ])('that have no area leave the object its box: %s', (_, segmentation) => {
    expect(found({ bbox: box, segmentation })).toMatchObject({
      problem: null,
      note: THIN_POLYGONS.reason,
      objects: [{ flags: 0, box, hull: box }],
    });
  });

  it('that have no area are no part of an outline', () => {
    expect(found({ bbox: box, segmentation: [[], area, [90, 90, 91, 91]] })).toMatchObject({
      problem: null,
      note: THIN_POLYGONS.reason,
      objects: [{ flags: OBJECT_FLAGS.polygon, hull: [0, 0, 4, 6] }],
    });
    expect(found({ bbox: box, segmentation: [area] }).note).toBeNull();
  });

  it.each([
    ['half a point', [[...area, 1]]],
    ['no number', [[...area, 1, '2']]],
    ['no list', [area, 7]],
  ])('are refused that are no points: %s', (_, segmentation) => {
    expect(found({ bbox: box, segmentation }).problem).toBe(
      'annotation 1 of its list has a polygon that is not a list of points, x and y in turn',
    );
  });

  it('that have no area make no box', () => {
    expect(found({ segmentation: [[5, 5]] }).problem).toBe(
      'annotation 1 of its list has no bbox of four finite numbers',
    );
  });
});

describe('lists of annotations of another tool', () => {
  const type = { mediaType: 'application/json', kind: 'annotation' } as const;
  const list = '[{"image":"a.png","annotations":[]}]';

  it.each([
    ['as they are', list],
    ['behind a byte order mark', `\uFEFF${list}`],
    ['behind lines', `${'\r\n'.repeat(100)}${list}`],
    ['behind both', `\uFEFF\n${list}`],
  ])('are no COCO file and no broken one: %s', (_, text) => {
    expect(readAnnotation(type, 'a.json', Buffer.from(text))).toBeNull();
    // As a file is judged that is read while it comes.
    const reader = new CocoReader();
    for (const byte of Buffer.from(text)) reader.push(Buffer.from([byte]));
    expect([reader.isReadable, reader.end('a.json')]).toEqual([false, null]);
  });

  it('are refused where they are cut', () => {
    for (const text of [list.slice(0, -1), `\uFEFF${list.slice(0, -1)}`])
      expect(readAnnotation(type, 'a.json', Buffer.from(text))).toEqual({
        facts: null,
        problem: 'it is not valid JSON (it ends too early)',
      });
  });

  it('are walked over to their end, however long', () => {
    const long = `[${'{},'.repeat(6_000_000)}{}`;
    expect(readAnnotation(type, 'a.json', Buffer.from(`${long}]`))).toBeNull();
    expect(readAnnotation(type, 'a.json', Buffer.from(`${long},]`))).toEqual({
      facts: null,
      problem: 'it is not valid JSON',
    });
  });
});

describe('categories of COCO files', () => {
  const classes = (categories: object[]) =>
    read({ images: [{ id: 1, file_name: 'a.png' }], annotations: [], categories });

  it('are refused where two names share an id, as nobody could say which one counts', () => {
    const reading = classes([
      { id: 1, name: 'a' },
      { id: 1, name: 'b' },
    ]);
    expect(reading).toEqual({
      facts: null,
      problem: 'two of its categories have the id 1 and different names; give each its own id',
    });
  });

  it('may be listed twice', () => {
    const reading = classes([
      { id: 1, name: 'a' },
      { id: 1, name: 'a' },
      { id: 2, name: 'a' },
    ]);
    expect(reading?.facts?.classes).toEqual([
      { id: 1, name: 'a' },
      { id: 2, name: 'a' },
    ]);
  });
});
