import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { type CopyDeps, FileCopier } from '../../../activities/sources/file-copier.js';
import type { PartInfo } from '../../../core/ports/object-store.js';
import type { SyncEntry } from '../../../models/sources/sync/sync-copy.sql.js';
import { FakeRemoteSource, sourceError } from '../../fakes/fake-remote-source.js';
import { testObjectStore } from '../../setup/engines.js';

const MIB = 2 ** 20;
const PART = 8 * MIB;

const copyFile = (deps: CopyDeps, entry: SyncEntry, signal = new AbortController().signal) =>
  new FileCopier(deps).copy(entry, signal);

describe('copying one file to the store', () => {
  let objects: ManagedObjectStore;
  beforeAll(async () => {
    objects = await testObjectStore();
  });
  afterAll(() => objects?.close());

  /** What the rows would keep. */
  const begin = (bytes: Buffer) => {
    const source = new FakeRemoteSource();
    const file = source.add('f.bin', bytes);
    const kept: { multipartId: string | null; parts: readonly PartInfo[] } = { multipartId: null, parts: [] };
    const key = `t/test/${randomUUID()}`;
    const entry = (): SyncEntry => ({
      position: 0,
      path: 'f.bin',
      remotePath: 'f.bin',
      sha256: file.sha256,
      sizeBytes: bytes.length,
      objectKey: key,
      multipartId: kept.multipartId,
      parts: kept.parts,
      tries: 0,
    });
    const deps: CopyDeps = {
      place: {
        source,
        endpoint: { tenantId: 't1', baseUrl: 'http://source', token: null },
        remoteDatasetId: 'd',
      },
      objects,
      progress: {
        keepMultipart: async (_position, id) => (kept.multipartId ??= id),
        keepParts: async (_position, parts) => {
          kept.parts = [...parts];
        },
      },
      mayPutOff: true,
    };
    return { source, entry, deps, key, kept };
  };
  const stored = async (key: string) => {
    const hash = createHash('sha256');
    for await (const piece of await objects.get(key)) hash.update(piece as Buffer);
    return hash.digest('hex');
  };

  it('goes on behind the last stored part when an attempt was cut off, and checks the whole', async () => {
    const bytes = randomBytes(3 * PART + 5);
    const { source, entry, deps, key, kept } = begin(bytes);
    // The process dies with the second part stored and the third on its way.
    source.disturb = (_path, offset) =>
      offset < 2 * PART + MIB ? { breaksAfter: 2 * PART + MIB - offset } : { throws: sourceError('shape') };
    await expect(copyFile(deps, entry())).rejects.toMatchObject({ detail: { reason: 'shape' } });
    expect(kept.parts).toHaveLength(2);
    source.disturb = () => ({});
    source.opened.length = 0;
    await copyFile(deps, entry());
    expect(source.opened).toEqual([{ path: 'f.bin', offset: 2 * PART }]);
    expect(await stored(key)).toBe(entry().sha256);
  });

  it('finds other bytes behind a resume although every part was taken', async () => {
    const bytes = randomBytes(2 * PART + 5);
    const { source, entry, deps, kept } = begin(bytes);
    source.disturb = (_path, offset) =>
      offset < PART + 1 ? { breaksAfter: PART + 1 - offset } : { throws: sourceError('shape') };
    await expect(copyFile(deps, entry())).rejects.toThrow();
    expect(kept.parts).toHaveLength(1);
    source.files.set('f.bin', randomBytes(bytes.length));
    source.disturb = () => ({});
    await expect(copyFile(deps, entry())).rejects.toMatchObject({ code: 'wrong_sha256' });
  });

  it('may be repeated from the start at any time: the object stays the same', async () => {
    for (const size of [0, 700, 5 * MIB, 2 * PART + 1]) {
      const { entry, deps, key, kept } = begin(randomBytes(size));
      await copyFile(deps, entry());
      kept.parts = [];
      kept.multipartId = null;
      await copyFile(deps, entry());
      expect(await stored(key)).toBe(entry().sha256);
    }
  });

  it('keeps how far it has come now and then, and all of it before the store joins the parts', async () => {
    const { entry, deps, kept } = begin(randomBytes(4 * PART + 1));
    let writes = 0;
    const keepParts: CopyDeps['progress']['keepParts'] = async (_position, parts) => {
      writes += 1;
      kept.parts = [...parts];
    };
    const begun = performance.now();
    await copyFile({ ...deps, progress: { ...deps.progress, keepParts } }, entry());
    expect(kept.parts).toHaveLength(5);
    expect(writes).toBeLessThanOrEqual(1 + Math.floor((performance.now() - begun) / 2000));
  });

  it('leaves at once while the store joins the parts, when it is canceled', async () => {
    const { entry, deps, kept } = begin(randomBytes(2 * PART + 1));
    const leaving = new AbortController();
    const slow = Object.create(objects, {
      completeMultipart: {
        value: () => {
          setTimeout(() => leaving.abort(new Error('canceled')), 50);
          return new Promise(() => undefined);
        },
      },
    }) as ManagedObjectStore;
    await expect(copyFile({ ...deps, objects: slow }, entry(), leaving.signal)).rejects.toThrow('canceled');
    expect(kept.parts).toHaveLength(3);
    await objects.abortMultipart(entry().objectKey, null);
  });

  it('is joined once more by an attempt that comes after the joining', async () => {
    const { entry, deps, key } = begin(randomBytes(2 * PART + 1));
    await copyFile(deps, entry());
    await copyFile(deps, entry());
    expect(await stored(key)).toBe(entry().sha256);
  });

  it('recognises what it copied by its bytes', async () => {
    const { entry, deps } = begin(Buffer.from('a,b\n1,2\n'));
    await expect(copyFile(deps, { ...entry(), path: 'table.csv' })).resolves.toEqual({
      mediaType: 'text/csv',
      kind: 'tabular',
    });
  });
});
