import { describe, expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { createTableReader } from '../../activities/adapters/tables/table-reader.js';
import { memorySource } from '../core/tables/memory-source.js';

const MIB = 2 ** 20;
const reader = createTableReader();
const write = (options: Parameters<typeof parquetWriteBuffer>[0]) => Buffer.from(parquetWriteBuffer(options));
const head = (bytes: Buffer, limit = 20) => reader.readHead(memorySource(bytes).source, 'parquet', limit);
const numbers = (length: number) => Array.from({ length }, (_, n) => n);

describe('hostile Parquet files', () => {
  const good = () =>
    write({
      columnData: [
        { name: 'n', data: numbers(5000), type: 'INT32', encoding: 'PLAIN' },
        { name: 't', data: numbers(5000).map(String), type: 'STRING' },
      ],
      rowGroupSize: 5000,
    });

  it.each<[string, () => Buffer, RegExp]>([
    ['empty', () => Buffer.alloc(0), /too short/],
    ['cut', () => good().subarray(0, 9000), /does not end as a Parquet file/],
    ['encrypted', () => Buffer.concat([good().subarray(0, -4), Buffer.from('PARE')]), /encrypted/],
    ['with a footer longer than itself', () => withFooterLength(good(), 0x7fffffff), /longer than the file/],
    ['with a footer of 60 MiB', () => withFooterLength(Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(61 * MIB), Buffer.from('\0\0\0\0PAR1')]), 60 * MIB), /larger than 4194304/],
    ['with a footer of noise', () => withFooterLength(Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(MIB, 0x19), Buffer.from('\0\0\0\0PAR1')]), MIB), /footer is damaged/],
    ['without columns in its groups', () => nested(40), /nested deeper than 32/],
  ])('that are %s are refused with the reason', async (_what, make, reason) => {
    await expect(head(make())).rejects.toThrow(reason);
  });

  it('show the other columns when a page lies about its size', async () => {
    const bytes = good();
    // The first page's header begins at byte 4: field 1 (type), field 2 (uncompressed size), field 3 (compressed size).
    bytes.set([0x15, 0x00, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f], 4);
    const table = await head(bytes);
    expect(table.notes).toEqual([expect.stringMatching(/^Column "n" is not shown: a page/)]);
    expect(table.rows[3]).toEqual([null, '3']);
  });

  it('end in a refusal or in rows, whatever byte is changed, and within bounds', async () => {
    const bytes = write({
      columnData: [
        { name: 'n', data: numbers(50), type: 'INT32' },
        { name: 't', data: numbers(50).map(String), type: 'STRING' },
      ],
    });
    const before = process.memoryUsage().rss;
    for (let at = 4; at < bytes.length; at += 5) {
      const changed = Buffer.from(bytes);
      changed[at] = 0xff;
      await head(changed).catch((error: Error) => expect(error.name).toBe('UnreadableTable'));
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB);
  }, 120_000);

  it('are given up when a run of a few bytes stands for a billion values', async () => {
    const bytes = write({ columnData: [{ name: 'n', data: numbers(50), type: 'INT32' }] });
    const run = bytes.indexOf(Buffer.from([50 << 1, 1]));
    expect(run).toBeGreaterThan(0);
    const before = process.memoryUsage().rss;
    // One more byte of a length that goes on: the run now counts 2^29 and more values.
    bytes.set([0xff, 0xff, 0xff, 0xff, 0x07], run);
    await expect(head(bytes)).rejects.toThrow(/too much memory|too long|not shown|damaged/);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB);
  });
});

function withFooterLength(bytes: Buffer, length: number): Buffer {
  bytes.writeUInt32LE(length, bytes.length - 8);
  return bytes;
}

/** A schema of groups inside groups. */
function nested(depth: number): Buffer {
  const groups = Array.from({ length: depth }, (_, n) => ({ name: `g${n}`, repetition_type: 'REQUIRED' as const, num_children: 1 }));
  const value = numbers(depth).reduceRight<unknown>((inner, n) => ({ [`g${n}`]: inner }), { leaf: 1 }) as { g0: unknown };
  return write({
    columnData: [{ name: 'g0', data: [value.g0] }],
    schema: [{ name: 'root', num_children: 1 }, ...groups, { name: 'leaf', type: 'INT32', repetition_type: 'REQUIRED' }],
  });
}
