import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { readParquetIsolated } from '../../../adapters/hyparquet/isolated-parquet.js';
import { readPageHead } from '../../../adapters/hyparquet/parquet-pages.js';
import { createTableReader } from '../../../adapters/hyparquet/table-reader.js';
import { ASKER, memorySource } from '../../fakes/memory-source.js';

const MIB = 2 ** 20;
const reader = createTableReader();
const write = (options: Parameters<typeof parquetWriteBuffer>[0]) => Buffer.from(parquetWriteBuffer(options));
const head = (bytes: Buffer, limit = 20) =>
  reader.readHead(memorySource(bytes).source, 'parquet', limit, ASKER);
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
    [
      'with a footer of 60 MiB',
      () =>
        withFooterLength(
          Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(61 * MIB), Buffer.from('\0\0\0\0PAR1')]),
          60 * MIB,
        ),
      /footer is damaged/,
    ],
    [
      'with a footer of noise',
      () =>
        withFooterLength(
          Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(MIB, 0x19), Buffer.from('\0\0\0\0PAR1')]),
          MIB,
        ),
      /footer is damaged/,
    ],
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

  it('are not blamed for a machine that has no time for them', async () => {
    const { source } = memorySource(good());
    await expect(readParquetIsolated(source, 20, ASKER, 1)).rejects.toMatchObject({
      code: 'service_unavailable',
      options: { retryAfterS: 30 },
    });
    await expect(readParquetIsolated(source, 20, ASKER)).resolves.toMatchObject({ totalRows: 5000 });
  });

  it('wait in turns of their tenants, leave with the one who asked, and are asked for again beyond a short queue', async () => {
    const { source } = memorySource(good());
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow = {
      ...source,
      read: (start: number, end: number) => gate.then(() => source.read(start, end)),
    };
    const leaving = new AbortController();
    const read = (tenantId: string) =>
      readParquetIsolated(tenantId === 'hostile' ? slow : source, 20, { tenantId, signal: leaving.signal });
    const hostile = Array.from({ length: 32 }, () => read('hostile'));
    await expect(read('hostile')).rejects.toMatchObject({
      code: 'service_unavailable',
      options: { retryAfterS: 2 },
    });
    leaving.abort(new Error('left'));
    const ended = await Promise.allSettled(hostile.slice(1));
    expect(ended.every((one) => one.status === 'rejected' && (one.reason as Error).message === 'left')).toBe(
      true,
    );
    open();
    await expect(hostile[0]).resolves.toMatchObject({ totalRows: 5000 });
  });

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

  it('make no more text than a page may hold, however much a few bytes stand for', async () => {
    const text = Buffer.alloc(MIB, 'x');
    const columnData = [
      {
        name: 't',
        data: numbers(600).map(() => text),
        type: 'BYTE_ARRAY' as const,
        encoding: 'DELTA_BYTE_ARRAY' as const,
      },
    ];
    const bytes = write({ columnData, rowGroupSize: 600, pageSize: 1024 * MIB, statistics: false });
    expect(bytes.length).toBeLessThan(2 * MIB);
    const before = process.memoryUsage().rss;
    await expect(head(bytes, 200)).resolves.toMatchObject({
      notes: [
        expect.stringMatching(/^Column "t" is not shown: the texts of a page take more than 33554432 bytes/),
      ],
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB);
  });

  it('are given up when levels of a few bytes stand for a billion values', async () => {
    const list = [
      { name: 'box', repetition_type: 'OPTIONAL' as const, converted_type: 'LIST' as const, num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED' as const, num_children: 1 },
      { name: 'element', type: 'INT32' as const, repetition_type: 'OPTIONAL' as const },
    ];
    const bytes = write({
      columnData: [{ name: 'box', data: numbers(500).map((n) => [n, -n - 1]) }],
      schema: [{ name: 'root', num_children: 1 }, ...list],
      codec: 'UNCOMPRESSED',
    });
    const page = readPageHead(bytes.subarray(4));
    expect(page).toMatchObject({ type: 'data', values: 1000 });
    const before = process.memoryUsage().rss;
    bytes.set([0xfe, 0xff, 0xff, 0xff, 0x0f, 0], 4 + (page?.headBytes ?? 0));
    await expect(head(bytes)).rejects.toThrow(/too much memory|too long/);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB);
  });
});

describe('Parquet files in a slow store', () => {
  it('are read however long it takes for one of the pieces that are asked for at once', async () => {
    const columnData = Array.from({ length: 6 }, (_, n) => ({
      name: `c${n}`,
      data: numbers(100_000),
      type: 'INT32' as const,
      encoding: 'PLAIN' as const,
    }));
    const { source } = memorySource(write({ columnData, codec: 'UNCOMPRESSED', rowGroupSize: 100_000 }));
    let reads = 0;
    const read = async (start: number, end: number) => {
      reads += 1;
      if (reads === 3) await sleep(4000);
      return source.read(start, end);
    };
    await expect(readParquetIsolated({ ...source, read }, 1, ASKER, 3000)).resolves.toMatchObject({
      totalRows: 100_000,
      rows: [[0, 0, 0, 0, 0, 0]],
      notes: [],
    });
    expect(reads).toBe(7);
  });
});

function withFooterLength(bytes: Buffer, length: number): Buffer {
  bytes.writeUInt32LE(length, bytes.length - 8);
  return bytes;
}

/** A schema of groups inside groups. */
function nested(depth: number): Buffer {
  const groups = Array.from({ length: depth }, (_, n) => ({
    name: `g${n}`,
    repetition_type: 'REQUIRED' as const,
    num_children: 1,
  }));
  const value = numbers(depth).reduceRight<unknown>((inner, n) => ({ [`g${n}`]: inner }), { leaf: 1 }) as {
    g0: unknown;
  };
  return write({
    columnData: [{ name: 'g0', data: [value.g0] }],
    schema: [
      { name: 'root', num_children: 1 },
      ...groups,
      { name: 'leaf', type: 'INT32', repetition_type: 'REQUIRED' },
    ],
  });
}
