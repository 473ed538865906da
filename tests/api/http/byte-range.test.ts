import { describe, expect, it } from '@jest/globals';
import { parseRange } from '../../../api/http/answers/byte-range.js';

describe('a range of bytes', () => {
  it.each<[string | undefined, ReturnType<typeof parseRange>]>([
    [undefined, null],
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=90-', { start: 90, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=9-0', null],
    ['bytes=0-1,3-4', null],
    ['lines=0-9', null],
    ['bytes=99999999999999999999-', 'unsatisfiable'],
    [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
    ['bytes=90-99999999999999999999', { start: 90, end: 99 }],
    [`bytes=-${'9'.repeat(400)}`, { start: 0, end: 99 }],
  ])('%s of 100 is %j', (header, range) => {
    expect(parseRange(header, 100)).toEqual(range);
  });
});
