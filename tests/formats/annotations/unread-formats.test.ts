import { describe, expect, it } from '@jest/globals';
import { CocoReader } from '../../../formats/annotations/coco/coco-reader.js';
import { unpackObjects } from '../../../formats/annotations/packed-objects.js';
import {
  FORMAT_NOTES,
  PANOPTIC,
  PANOPTIC_WITHOUT_BOXES,
  unreadFormat,
} from '../../../formats/annotations/unread-formats.js';
import { recognizeFile } from '../../../formats/files/file-type.js';

const kindOf = (value: unknown) => recognizeFile(Buffer.from(JSON.stringify(value)), 'a.json').kind;
const nameOf = (value: unknown) =>
  /looks like (\w+)/.exec(unreadFormat(JSON.stringify(value, null, 2))?.reason ?? '')?.[1];

describe('JSON of other tools', () => {
  const region = {
    shape_attributes: { name: 'rect', x: 1, y: 1, width: 2, height: 2 },
    region_attributes: { type: 'cat' },
  };
  const shapes = [{ label: 'cat', points: [[1, 2]], shape_type: 'polygon', flags: {} }];
  const createMl = [{ label: 'cat', coordinates: { x: 1, y: 1, width: 2, height: 2 } }];
  it.each([
    [
      'LabelMe',
      {
        version: '5.4.1',
        flags: {},
        shapes,
        imagePath: 'a.jpg',
        imageData: null,
        imageHeight: 1,
        imageWidth: 1,
      },
    ],
    ['LabelMe', { imagePath: 'a.jpg', imageData: 'x', shapes: [] }],
    ['LabelMe', { version: '5.4.1', flags: {}, shapes }],
    ['VIA', { 'a.jpg10': { filename: 'a.jpg', size: 10, regions: [region], file_attributes: {} } }],
    ['VIA', { 'a.jpg10': { filename: 'a.jpg', size: 10, regions: [], file_attributes: {} } }],
    ['VIA', { _via_settings: { ui: {} }, _via_img_metadata: {} }],
    [
      'VIA',
      { project: { pid: '__VIA_PROJECT_ID__' }, config: { file: { loc_prefix: { 1: '' } } }, metadata: {} },
    ],
    ['CreateML', [{ image: 'a.jpg', annotations: createMl }]],
    ['CreateML', [{ imagefilename: 'a.jpg', annotation: createMl }]],
  ])('is known as that of %s', (name, value) => {
    expect(nameOf(value)).toBe(name);
    expect(kindOf(value)).toBe('annotation');
  });

  it.each([
    [{ images: [{ id: 1, file_name: 'a.jpg' }], annotations: [], categories: [] }],
    [
      {
        type: 'FeatureCollection',
        features: [{ geometry: { type: 'Point', coordinates: [1, 2] }, properties: { label: 'x' } }],
      },
    ],
    [{ name: 'package', version: '1.0.0', config: { regions: ['eu'] } }],
    [[{ image: 'a.jpg', caption: 'a cat' }]],
  ])('is not seen in %j', (value) => {
    expect(nameOf(value)).toBeUndefined();
  });

  it('has a reason of its own for each format', () => {
    expect(new Set(FORMAT_NOTES.map(({ reason }) => reason)).size).toBe(FORMAT_NOTES.length);
  });
});

describe('COCO panoptic', () => {
  const read = (segments: readonly unknown[]) => {
    const reader = new CocoReader();
    const file = {
      images: [{ id: 7, file_name: 'a.jpg' }],
      annotations: [{ image_id: 7, file_name: 'a.png', segments_info: segments }],
      categories: [{ id: 3, name: 'cat', isthing: 1 }],
    };
    reader.push(Buffer.from(JSON.stringify(file)));
    const reading = reader.end('panoptic_val2017.json');
    const objects = [...(reading?.facts?.entries ?? [])].flatMap((entry) => [
      ...unpackObjects(entry.objects),
    ]);
    return {
      note: reading?.problem === null ? reading.note : reading?.problem,
      objects: objects.map(({ classId, flags, box }) => [classId, flags, box]),
    };
  };
  const segment = { id: 1, category_id: 3, area: 4, bbox: [1, 2, 3, 4], iscrowd: 0 };

  it('has the boxes of its segments as objects', () => {
    expect(read([segment, { ...segment, id: 2, iscrowd: 1 }, { id: 3, category_id: 3 }])).toEqual({
      note: PANOPTIC.reason,
      objects: [
        [3, 0, [1, 2, 3, 4]],
        [3, 8, [1, 2, 3, 4]],
      ],
    });
  });

  it.each([
    [[{ id: 1, category_id: 3 }]],
    [[{ ...segment, category_id: 'cat' }, 5, null]],
    [[{ ...segment, bbox: [1, 2, 3] }]],
  ])('without boxes is read as far as it goes, and said: %j', (segments) => {
    expect(read(segments)).toEqual({ note: PANOPTIC_WITHOUT_BOXES.reason, objects: [] });
  });

  it('of no segment is a COCO file like others', () => {
    expect(read([])).toEqual({ note: undefined, objects: [] });
  });
});
