import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTableReader } from '../../../adapters/hyparquet/table-reader.js';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { createImageDecoder } from '../../../adapters/sharp/sharp-image-decoder.js';
import { type CheckDeps, checkFile, HELD_BYTES } from '../../../activities/datasets/file-checker.js';
import { Slots } from '../../../core/load/slots.js';
import type { PendingFile } from '../../../models/datasets/validation/dataset-validation.queries.js';
import { png } from '../../api/datasets/support/dataset-kit.js';
import { testObjectStore } from '../../setup/engines.js';

const MIB = 2 ** 20;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('large files read again', () => {
  let store: ManagedObjectStore;
  let deps: Omit<CheckDeps, 'signal'>;
  beforeAll(async () => {
    store = await testObjectStore();
    await store.ensureBucket();
    deps = {
      objects: store,
      images: createImageDecoder(),
      tables: createTableReader(),
      tenantId: 't1',
      turns: new Slots(1),
      memory: new Slots(HELD_BYTES),
    };
  });
  afterAll(() => store.close());

  const stored = async (path: string, bytes: Buffer): Promise<PendingFile> => {
    const objectKey = `t/large/${randomUUID()}`;
    await store.put(objectKey, Readable.from([bytes]), bytes.length);
    return { id: randomUUID(), path, sha256: sha256(bytes), sizeBytes: bytes.length, objectKey };
  };
  const checked = async (file: PendingFile, signal = new AbortController().signal) => {
    const { status, reason } = (await checkFile({ ...deps, signal }, file)).check;
    return { status, reason };
  };
  /** One byte far behind the head is another one. */
  const damaged = async (file: PendingFile, bytes: Buffer) => {
    const other = Buffer.from(bytes);
    other[bytes.length - 1000] = 0x37;
    await store.put(file.objectKey, Readable.from([other]), other.length);
  };
  const gone = {
    status: 'invalid',
    reason: 'its bytes are no longer those that were uploaded; upload it again',
  };

  it.each([
    ['table.csv', 20],
    ['weights.bin', 70],
  ])('are compared to their last byte: %s of %i MiB', async (path, mib) => {
    const bytes = path === 'weights.bin' ? randomBytes(mib * MIB) : Buffer.alloc(mib * MIB, 'a,b,c\n1,2,3\n');
    const file = await stored(path, bytes);
    expect(await checked(file)).toEqual({ status: 'valid', reason: null });
    await damaged(file, bytes);
    expect(await checked(file)).toEqual(gone);
  });

  it('are damaged where their object is longer, shorter or empty', async () => {
    const sizes = [0, 10, 9 * MIB];
    for (const now of [0, 10, 9 * MIB, 9 * MIB + 1]) {
      for (const was of sizes.filter((size) => size !== now)) {
        const file = await stored('notes.bin', Buffer.alloc(now, 7));
        expect(await checked({ ...file, sizeBytes: was, sha256: sha256(Buffer.alloc(was, 7)) })).toEqual(
          gone,
        );
      }
    }
  });

  it('are let go when the work is canceled', async () => {
    const file = await stored('table.csv', Buffer.alloc(70 * MIB, 'a,b\n1,2\n'));
    const stop = new AbortController();
    const going = checked(file, stop.signal);
    setTimeout(() => stop.abort(), 20);
    await expect(going).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('take no more memory however many are read at once', async () => {
    const image = Buffer.concat([await png(4, 300, 200), Buffer.alloc(60 * MIB)]);
    const [picture, table] = [
      await stored('a.png', image),
      await stored('b.csv', Buffer.alloc(image.length, 'a,b\n1,2\n')),
    ];
    await checked(await stored('small.png', await png(5, 9, 9)));
    global.gc?.();
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
    const files = Array.from({ length: 16 }, (_, at) => (at < 8 ? picture : table));
    const found = await Promise.all(files.map((file) => checked(file)));
    clearInterval(watch);
    expect(found).toEqual(files.map(() => ({ status: 'valid', reason: null })));
    expect((peak - before) / MIB).toBeLessThanOrEqual(300);
  }, 180_000);
});
