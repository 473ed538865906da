import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ArchiveEntry } from '../../../core/ports/archive-reader.js';
import {
  ARCHIVE_LIMITS,
  assertMemberCount,
  planArchive,
  SESSION_LIMITS,
  weighDirectory,
} from '../../../models/datasets/uploads/archive.rules.js';

const entry = (name: string, over: Partial<ArchiveEntry> = {}): ArchiveEntry => ({
  name,
  compressedBytes: 10,
  sizeBytes: 10,
  crc32: 0,
  method: 0,
  isEncrypted: false,
  unixMode: 0o100644,
  headerOffset: 0,
  ...over,
});
/** Lays entries out one after the other, as an honest archive does. */
const laid = (entries: ArchiveEntry[]): ArchiveEntry[] => {
  let at = 0;
  return entries.map((each) => {
    const placed = { ...each, headerOffset: at };
    at += 30 + each.compressedBytes;
    return placed;
  });
};
const planned = (entries: ArchiveEntry[], limits = ARCHIVE_LIMITS) =>
  planArchive(laid(entries), 1e12, limits);
const plan = (entries: ArchiveEntry[], limits = ARCHIVE_LIMITS) => planned(entries, limits).members;

describe('archives', () => {
  it('are planned in the order of their bytes, without folders and leavings of desktops, which are counted', () => {
    const { members, leftOut } = planned([
      entry('b/2.png'),
      entry('b/', { sizeBytes: 0, compressedBytes: 0, unixMode: 0o040755 }),
      entry('__MACOSX/b/._2.png'),
      entry('.DS_Store'),
      entry('./a//1.png'),
    ]);
    expect(members.map(({ path }) => path)).toEqual(['b/2.png', 'a/1.png']);
    expect(leftOut).toEqual({ folder: 1, desktop_file: 2 });
    expect(planned([entry('a/1.png')]).leftOut).toEqual({});
  });

  it('are refused by what their directory would take, before any of it is kept', () => {
    expect(() => weighDirectory()(16_385)).toThrow(/longer than 16 KiB/);
    const weigh = weighDirectory();
    for (let n = 0; n < 4096; n += 1) weigh(16_384);
    expect(() => weigh(1)).toThrow(
      expect.objectContaining({
        code: 'payload_too_large',
        message: expect.stringMatching(/longer than 64 MiB/),
      }),
    );
    // A session's most members, with names and fields such as archives have them.
    const honest = weighDirectory();
    for (let n = 0; n < SESSION_LIMITS.maxMembers; n += 1) honest(600);
  });

  it('are refused as a whole where many small members unpack to more than 200 times their size, within every other limit', () => {
    const small = (sizeBytes: number, count = 1000) =>
      Array.from({ length: count }, (_, n) =>
        entry(`a/${n}`, { method: 8, compressedBytes: 100, sizeBytes }),
      );
    expect(() => plan(small(20_001))).toThrow(
      'The archive is refused: it unpacks to more than 200 times its size.',
    );
    expect(plan(small(20_000))).toHaveLength(1000);
    // Archives up to 10 MiB may be as empty as they like.
    expect(plan(small(2 ** 20, 10))).toHaveLength(10);
  });

  it.each([
    ['leaves by ..', [entry('../a')], /leaves the dataset/],
    ['hides .. inside', [entry('a/../../b')], /leaves the dataset/],
    ['is absolute', [entry('/etc/passwd')], /absolute/],
    ['names a drive', [entry('C:/x')], /absolute/],
    ['uses backslashes', [entry('a\\..\\b')], /backslash/],
    ['holds a NUL', [entry('a\0.png')], /control character/],
    ['turns the writing', [entry('a\u202eb.png')], /"a\\u202eb\.png": .*direction of writing/],
    ['is a symbolic link', [entry('a', { unixMode: 0o120777 })], /link or a special file/],
    ['is a device', [entry('a', { unixMode: 0o060666 })], /link or a special file/],
    ['is encrypted', [entry('a', { isEncrypted: true })], /encrypted/],
    ['uses another method', [entry('a', { method: 12 })], /method other than deflate/],
    ['states two sizes', [entry('a', { sizeBytes: 11 })], /two different sizes/],
    ['comes twice', [entry('a'), entry('a')], /twice/],
    ['comes twice in another form', [entry('x/e\u0301'), entry('x/\u00e9')], /twice/],
    ['is file and folder', [entry('a'), entry('a/b')], /file and a folder/],
    ['is a bomb', [entry('a', { method: 8, compressedBytes: 1000, sizeBytes: 50 * 2 ** 20 })], /200 times/],
    [
      'is one piece of a bomb',
      Array.from({ length: 4000 }, (_, n) =>
        entry(`a/${n}`, { method: 8, compressedBytes: 40, sizeBytes: 9 * 2 ** 20 }),
      ),
      /unpacks to/,
    ],
    ['is a folder with bytes', [entry('a/')], /folder/],
  ])('are refused when a member %s', (_what, entries, reason) => {
    expect(() => plan(entries)).toThrow(reason);
  });

  it('are refused when members overlap or reach beyond the end', () => {
    expect(() =>
      planArchive([entry('a', { headerOffset: 0 }), entry('b', { headerOffset: 20 })], 1000, ARCHIVE_LIMITS),
    ).toThrow(/overlap/);
    expect(() => planArchive([entry('a', { headerOffset: 990 })], 1000, ARCHIVE_LIMITS)).toThrow(
      /beyond the end/,
    );
  });

  it('have at most 20,000 members by /archive and 100,000 by a session', () => {
    expect(() => assertMemberCount(20_001, ARCHIVE_LIMITS)).toThrow(/upload session takes up to 100000/);
    expect(() => assertMemberCount(20_000, ARCHIVE_LIMITS)).not.toThrow();
    expect(() => assertMemberCount(100_001, SESSION_LIMITS)).toThrow(/limit is 100000/);
  });

  it('unpack to at most 20 GiB by /archive and 500 GiB by a session', () => {
    const members = (gib: number) =>
      Array.from({ length: gib }, (_, n) =>
        entry(`a/${n}`, { sizeBytes: 2 ** 30, compressedBytes: 2 ** 30 }),
      );
    expect(() => plan([...members(20), entry('b')])).toThrow(
      /limit is 21474836480; an upload session takes up to 536870912000\. The dataset is unchanged/,
    );
    expect(() => plan(members(20))).not.toThrow();
    expect(() => plan([...members(500), entry('b')], SESSION_LIMITS)).toThrow(
      /limit is 536870912000\. The dataset/,
    );
  });

  it('either refuse or plan distinct paths inside the dataset, whatever the names', () => {
    const name = fc
      .array(fc.constantFrom('a', 'b', '..', '.', '', 'c.png', '\\', 'é'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 8 }), (names) => {
        let members: ReturnType<typeof plan>;
        try {
          members = plan(names.map((each) => entry(each)));
        } catch (error) {
          expect((error as { code?: string }).code).toBe('unprocessable_entity');
          return;
        }
        const paths = members.map(({ path }) => path);
        expect(new Set(paths).size).toBe(paths.length);
        for (const path of paths) expect(path.split('/')).not.toContain('..');
      }),
    );
  });
});
