import { describe, expect, it } from '@jest/globals';
import { filterOf, serverQuery, splitOf } from '../../../web/src/datasets/gallery/gallery-filter';
import { statsOf } from '../../../web/src/datasets/parts/column-stats';
import { findingsOf, imagesIn, partsInOrder, reportOf } from '../../../web/src/datasets/report/findings';
import { placeOfMessage } from '../../../web/src/datasets/report/warning-places';
import { pauseMs } from '../../../web/src/datasets/upload/retry';
import { Speed } from '../../../web/src/datasets/upload/speed';

describe('findings of a report', () => {
  it('are those that happened, with the pictures that they name', () => {
    const found = findingsOf({
      stats: {
        annotations: {
          case_mismatch: { count: 1, examples: ['labels/case.txt (there is images/Case.png)'] },
          class_out_of_range: { count: 2, examples: ['images/a b.png: object 1 has class 7'] },
          ambiguous_stem: { count: 0, examples: [] },
        },
        duplicates: { near: { images: 3, groups: 1, examples: [['1.png', '2.png']], is_complete: false } },
      },
    });
    expect(found.map(({ id, count, isComplete }) => [id, count, isComplete])).toEqual([
      ['annotations.case_mismatch', 1, true],
      ['annotations.class_out_of_range', 2, true],
      ['duplicates.near', 3, false],
    ]);
    expect(found.map(({ examples }) => examples[0]?.paths)).toEqual([
      ['images/Case.png'],
      ['images/a b.png'],
      ['1.png', '2.png'],
    ]);
    expect(imagesIn('labels/train/lonely.txt')).toEqual([]);
    expect(findingsOf(null)).toEqual([]);
    expect(reportOf({ errors: [{ code: 'x', message: 'y', file_id: 'f' }] }).errors).toEqual([
      { code: 'x', message: 'y', fileId: 'f' },
    ]);
  });
});

describe('a report', () => {
  const counted = { count: 1, examples: ['a.png'] };

  it('shows each finding whose pictures the server lists', () => {
    const codes = ['boxes_without_area', 'image_size_mismatch', 'extension_mismatch'];
    const annotations = Object.fromEntries(codes.map((code) => [code, counted]));
    const found = findingsOf({ stats: { annotations } }).map(({ id }) => id);
    expect(found.sort()).toEqual(codes.map((code) => `annotations.${code}`).sort());
  });

  it('leads from a warning to the pictures that it counts', () => {
    const two = { images: 2, examples: [['a.png', 'b.png']] };
    const stats = {
      annotations: { boxes_without_area: counted, ambiguous_stem: { count: 1, examples: ['a.txt'] } },
      duplicates: { exact: two, near: two },
      leakage: { exact: { images: 0, examples: [] }, near: two },
    };
    const findings = findingsOf({ stats });
    const findingOf = (code: string) => placeOfMessage(code, findings)?.finding;
    expect(findingOf('boxes_without_area')).toBe('annotations.boxes_without_area');
    expect(findingOf('duplicate_images')).toBe('duplicates.exact');
    expect(findingOf('near_duplicate_images')).toBe('duplicates.near');
    expect(findingOf('contradicting_labels')).toBe('duplicates.exact');
    // Nothing of its own bytes is in two parts: what looks alike is what leaked.
    expect(findingOf('split_leakage')).toBe('leakage.near');
    expect(
      placeOfMessage('split_leakage', findingsOf({ stats: { leakage: { exact: two, near: two } } })),
    ).toMatchObject({ tab: undefined, finding: 'leakage.exact' });
    expect(['no_objects', 'ambiguous_stem'].map((code) => placeOfMessage(code, findings))).toEqual([
      null,
      null,
    ]);
  });

  it('leads from other messages to the tab that lists what they are about', () => {
    const placeOf = (code: string) => placeOfMessage(code, []);
    expect(placeOf('file_invalid')).toEqual({ tab: 'files', status: 'invalid' });
    expect(placeOf('broken_tables')).toEqual({ tab: 'files', kind: 'tabular' });
    expect(placeOf('small_classes')).toEqual({ tab: 'classes' });
  });

  it('names the parts in the order in which they are used', () => {
    expect(partsInOrder({ none: 1, test: 2, train: 3, val: 4 }).map(([part]) => part)).toEqual([
      'train',
      'val',
      'test',
      'none',
    ]);
  });
});

describe('figures of columns', () => {
  it('are of the rows given', () => {
    const [value, state] = statsOf(
      ['value', 'state'],
      [
        { value: 1, state: 'ok' },
        { value: 3, state: 'ok' },
        { value: null, state: 'hot' },
      ],
    );
    expect(value).toMatchObject({
      empty: 1,
      distinct: 2,
      numbers: { min: 1, max: 3, mean: 2 },
      frequent: [],
    });
    expect(state).toMatchObject({
      empty: 0,
      distinct: 2,
      numbers: null,
      frequent: [{ value: 'ok', count: 2 }],
    });
  });
});

describe('filters of the gallery', () => {
  it('go to the server, save findings of which the report has examples alone', () => {
    expect(splitOf('a/val2017/x.png')).toBe('val');
    expect(splitOf('train.png')).toBeNull();
    const filter = filterOf({ class: 'cat', split: 'nowhere', status: 'invalid' });
    expect(filter).toMatchObject({ class: 'cat', split: null, status: 'invalid' });
    expect(serverQuery(filter)).toEqual({ kind: 'image', sort: 'path', status: 'invalid', class: 'cat' });
    expect(serverQuery(filterOf({ split: 'none', q: 'x' }), false)).toEqual({
      kind: 'image',
      sort: 'created_at',
      split: 'none',
      q: 'x',
    });
    const finding = (id: string) => serverQuery(filterOf({ finding: id })).finding;
    expect([finding('leakage.exact'), finding('leakage.near')]).toEqual(['leakage.exact', undefined]);
  });
});

describe('pauses and speed', () => {
  it('grow up to half a minute and obey the platform', () => {
    expect([1, 2, 3, 20].map((failures) => pauseMs(failures, null, 0.5))).toEqual([1000, 2000, 4000, 30_000]);
    expect(pauseMs(1, '7', 0)).toBe(7000);
    expect(pauseMs(1, 'soon', 0.5)).toBe(1000);
  });

  it('says how long the rest takes', () => {
    const speed = new Speed();
    expect(speed.secondsFor(10)).toBeNull();
    speed.add(0, 0);
    speed.add(2000, 200);
    expect([speed.rate, speed.secondsFor(1000)]).toEqual([100, 10]);
    for (let at = 3000; at <= 60_000; at += 1000) speed.add(at, 200);
    expect(speed.secondsFor(1000)).toBeNull();
  });
});
