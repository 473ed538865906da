import { describe, expect, it } from '@jest/globals';
import type { DatasetStatus } from '../../../models/datasets/dataset.types.js';
import { FileListMemory } from '../../../models/datasets/file-list-memory.js';
import { type FileMatch, matchKey } from '../../../models/datasets/file-match.rules.js';

const at = (status: DatasetStatus, revision = 1) => ({ id: 'd', revision, status, file_count: 9 });
const invalid: FileMatch = { text: null, filters: { status: 'invalid' } };

describe('what is remembered of filtered lists', () => {
  it.each(['DRAFT', 'VALIDATING'] as const)('is nothing that was found while %s: the validation ends at the same revision with other states', (status) => {
    const memory = new FileListMemory();
    memory.keepTotal(matchKey(at(status), invalid), 0);
    for (const later of ['VALIDATING', 'FROZEN', 'FAILED'] as const) expect(memory.totalOf(matchKey(at(later), invalid))).toBeNull();
  });

  it.each(['FROZEN', 'FAILED'] as const)('is what was found when %s, until the next revision', (status) => {
    const memory = new FileListMemory();
    const totalOf = (later: DatasetStatus, revision: number) => memory.totalOf(matchKey(at(later, revision), invalid));
    memory.keepTotal(matchKey(at(status), invalid), 3);
    expect([totalOf(status, 1), totalOf('VALIDATING', 2), totalOf(status, 2)]).toEqual([3, null, null]);
  });

  it('is, in every state, what a validation leaves alone', () => {
    const memory = new FileListMemory();
    const uploads: FileMatch = { text: 'a', filters: { origin: 'upload' } };
    memory.keepTotal(matchKey(at('VALIDATING'), uploads), 5);
    expect(memory.totalOf(matchKey(at('FROZEN'), uploads))).toBe(5);
  });

  it('is the start of a list in the order it was asked in', () => {
    const memory = new FileListMemory();
    const key = matchKey(at('FROZEN'), invalid);
    memory.keepTotal(key, 2);
    memory.keepHead(key, 'path asc', ['1', '2']);
    expect([memory.headOf(key, 'path asc'), memory.headOf(key, 'path desc')]).toEqual([{ total: 2, ids: ['1', '2'] }, null]);
  });

  it('is bounded: what was kept longest ago makes place', () => {
    const memory = new FileListMemory();
    for (let n = 0; n < 300; n += 1) memory.keepTotal(`${n}`, n);
    expect([memory.totalOf('0'), memory.totalOf('43'), memory.totalOf('44'), memory.totalOf('299')]).toEqual([null, null, 44, 299]);
  });

  it('is, of deep lists, so many paths that the longest do not fill the memory, and always those of the list asked for', () => {
    const memory = new FileListMemory();
    const anchors = Array.from({ length: 1000 }, (_, n) => `${n}`.padStart(512, '/'));
    const lists = Array.from({ length: 20 }, (_, n) => `${n}`);
    // Asked for again, a list is kept once.
    for (const list of lists) for (let page = 0; page < 3; page += 1) memory.keepAnchors(list, anchors.slice(0, 998 + page));
    expect(lists.filter((list) => memory.anchorsOf(list).length > 0)).toEqual(lists.slice(-7));
    memory.keepAnchors('huge', Array.from({ length: 10 }, () => anchors).flat());
    expect([memory.anchorsOf('huge').length, ...lists.map((list) => memory.anchorsOf(list).length)]).toEqual([10_000, ...lists.map(() => 0)]);
    for (let n = 0; n < 300; n += 1) memory.keepAnchors(`short ${n}`, ['a']);
    expect([43, 44, 299].map((n) => memory.anchorsOf(`short ${n}`).length)).toEqual([0, 1, 1]);
  });
});
