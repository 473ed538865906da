import { randomBytes } from 'node:crypto';
import { craftZip, manyMembers } from './crafted-zip.js';

export interface HostileArchive {
  /** What is wrong with a member, or with the whole. */
  readonly name: string;
  readonly make: () => Buffer;
  /** What its refusal says; null where it is taken because it does no harm. */
  readonly refused: RegExp | null;
  /** That of the refusal when it comes by a form; 422 unless asked. */
  readonly status?: 413;
}

const good = { name: 'good/1.txt', bytes: Buffer.from('good') };
const x = Buffer.from('x');
/** Entry 0x000d (PKWARE Unix): two times, user, group, and the name that a link points to. */
const linkField = Buffer.concat([
  Buffer.from([0x0d, 0, 24, 0]),
  Buffer.alloc(12),
  Buffer.from('../etc/group'),
]);

const empty = Buffer.alloc(0);

/** ZIP files made to hurt: paths that lead out, links, bombs, lies, cuts. */
export const HOSTILE_ARCHIVES: readonly HostileArchive[] = [
  {
    name: 'leaves by ..',
    make: () => craftZip([good, { name: '../evil', bytes: x }]),
    refused: /leaves the dataset/,
  },
  { name: 'is absolute', make: () => craftZip([{ name: '/etc/passwd', bytes: x }]), refused: /absolute/ },
  { name: 'names a drive', make: () => craftZip([{ name: 'C:/x', bytes: x }]), refused: /absolute/ },
  { name: 'holds a backslash', make: () => craftZip([{ name: '..\\x', bytes: x }]), refused: /backslash/ },
  {
    name: 'holds a NUL',
    make: () => craftZip([{ name: 'a\0.png', bytes: x }]),
    refused: /control character/,
  },
  {
    name: 'is a symbolic link',
    make: () => craftZip([{ name: 'link', bytes: Buffer.from('/etc/passwd'), unixMode: 0o120777 }]),
    refused: /link or a special file/,
  },
  {
    name: 'is a device',
    make: () => craftZip([{ name: 'disk', bytes: x, unixMode: 0o060666 }]),
    refused: /link or a special file/,
  },
  {
    name: 'says it is a hard link',
    make: () => craftZip([{ name: 'harmless/hard-link', bytes: x, extra: linkField }]),
    refused: null,
  },
  { name: 'comes twice', make: () => craftZip([good, good]), refused: /twice/ },
  {
    name: 'comes twice in two forms of Unicode',
    make: () =>
      craftZip([
        { name: 'e\u0301', bytes: x },
        { name: '\u00e9', bytes: x },
      ]),
    refused: /twice/,
  },
  {
    name: 'differs from another in letter case alone',
    make: () =>
      craftZip([
        { name: 'harmless/case', bytes: x },
        { name: 'harmless/CASE', bytes: x },
      ]),
    refused: null,
  },
  {
    name: 'is a file and a folder',
    make: () => craftZip([good, { name: 'good', bytes: x }]),
    refused: /file and a folder/,
  },
  {
    name: 'is a bomb',
    make: () => craftZip([{ name: 'bomb', bytes: Buffer.alloc(60 * 2 ** 20), deflate: true }]),
    refused: /200 times/,
  },
  {
    name: 'is a bomb of which the header lies',
    make: () =>
      craftZip([{ name: 'bomb', bytes: Buffer.alloc(60 * 2 ** 20), deflate: true, statedSize: 2 ** 20 }]),
    refused: /not as many as stated/,
  },
  {
    name: 'is encrypted',
    make: () => craftZip([{ name: 'a', bytes: x, raw: Buffer.alloc(13), statedSize: 1, flags: 1 }]),
    refused: /encrypted/,
  },
  {
    name: 'is larger than it says',
    make: () => craftZip([{ name: 'a', bytes: randomBytes(5000), deflate: true, statedSize: 100 }]),
    refused: /not as many as stated/,
  },
  {
    name: 'is smaller than it says',
    make: () => craftZip([{ name: 'a', bytes: randomBytes(5000), deflate: true, statedSize: 9000 }]),
    refused: /not as many as stated/,
  },
  {
    name: 'has another checksum',
    make: () => craftZip([{ name: 'a', bytes: x, crc: 1 }]),
    refused: /checksum/,
  },
  {
    name: 'is no deflate stream',
    make: () =>
      craftZip([{ name: 'a', raw: randomBytes(200), statedSize: 300, method: 8, bytes: Buffer.alloc(0) }]),
    refused: /damaged/,
  },
  {
    name: 'uses another method',
    make: () =>
      craftZip([{ name: 'a', raw: randomBytes(20), statedSize: 30, method: 14, bytes: Buffer.alloc(0) }]),
    refused: /method other than deflate/,
  },
  {
    name: 'overlaps another',
    make: () => craftZip([good, { name: 'b', bytes: x }], { sameOffset: true }),
    refused: /overlap/,
  },
  { name: 'holds no ZIP', make: () => Buffer.from('PK no'), refused: /not a readable ZIP/ },
  { name: 'is cut', make: () => craftZip([good, good]).subarray(0, 60), refused: /not a readable ZIP/ },
  {
    name: 'has a damaged directory',
    make: () => craftZip([good], { damageDirectory: true }),
    refused: /directory is damaged/,
  },
  { name: 'is one of 20,001', make: () => manyMembers(20_001), refused: /limit is 20000/, status: 413 },
  { name: 'is one of 100,001', make: () => manyMembers(100_001), refused: /limit is 20000/, status: 413 },
  {
    name: 'has a name of 64 KB',
    make: () => craftZip([{ name: 'n'.repeat(65_535), bytes: empty }]),
    refused: /longer than 16 KiB/,
  },
  // 16,383 fields of no content: each an object once read.
  {
    name: 'has 64 KB of extra fields',
    make: () =>
      craftZip(
        Array.from({ length: 20 }, (_, n) => ({ name: `f/${n}`, bytes: empty, extra: Buffer.alloc(65_532) })),
      ),
    refused: /longer than 16 KiB/,
  },
  {
    name: 'has a comment of 64 KB',
    make: () => craftZip([{ name: 'c', bytes: empty, comment: Buffer.alloc(65_535, 'c') }]),
    refused: /longer than 16 KiB/,
  },
  {
    name: 'has 16 KB of extra fields',
    make: () => craftZip([{ name: 'harmless/fields', bytes: x, extra: Buffer.alloc(16_000) }]),
    refused: null,
  },
  {
    name: 'is an archive itself',
    make: () =>
      craftZip([
        {
          name: 'harmless/42.zip',
          bytes: craftZip([{ name: 'bomb', bytes: Buffer.alloc(60 * 2 ** 20), deflate: true }]),
        },
      ]),
    refused: null,
  },
];
