import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createObjectStore, type ManagedObjectStore } from '../../../activities/adapters/minio/minio-object-store.js';
import { zipReader } from '../../../activities/adapters/yauzl/zip-reader.js';
import { unpackArchive } from '../../../activities/datasets/archive-unpacker.js';
import { objectAccess } from '../../../models/objects/object-access.js';
import type { RandomAccess } from '../../../core/ports/archive-reader.js';
import { ARCHIVE_LIMITS } from '../../../models/datasets/archive.rules.js';
import { craftZip } from '../../builders/crafted-zip.js';

const MIB = 2 ** 20;

describe('unpacking when the store falters', () => {
  // Held members, one that is streamed, and more than one block for the reader.
  const archive = craftZip([
    { name: 'a.bin', bytes: randomBytes(5 * MIB), deflate: true },
    { name: 'b.bin', bytes: randomBytes(9 * MIB) },
    { name: 'c.txt', bytes: Buffer.from('c') },
  ]);
  let server: Server;
  let store: ManagedObjectStore;
  let breaksAt: number;
  let reads: number;
  beforeEach(async () => {
    reads = 0;
    server = createServer((request, response) => {
      request.resume();
      if (request.method === 'PUT') return void request.on('end', () => response.writeHead(200, { etag: '"e"' }).end());
      const [start, end] = (/bytes=(\d+)-(\d+)/.exec(String(request.headers.range)) ?? []).slice(1).map(Number) as [number, number];
      response.writeHead(206, { 'content-length': end - start + 1 });
      reads += 1;
      if (reads !== breaksAt) return void response.end(archive.subarray(start, end + 1));
      response.write(archive.subarray(start, start + (end - start) / 2));
      setTimeout(() => response.destroy(), 20);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    store = createObjectStore({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, region: 'us-east-1', accessKey: 'k', secretKey: 's', bucket: 'bucket' });
  });
  afterEach(async () => {
    await store.close();
    server.closeAllConnections();
    server.close();
  });

  const { signal } = new AbortController();
  let key = 0;
  const unpack = (source: RandomAccess) =>
    unpackArchive({ objects: store, reader: zipReader, note: async () => undefined, newKey: () => `t/${key++}`, progress: () => undefined, signal }, source, ARCHIVE_LIMITS);

  it('never blames the archive for a read that broke off, whichever it was', async () => {
    breaksAt = 0;
    const source = objectAccess(store, 'zip', archive.length, signal);
    await expect(unpack(source)).resolves.toHaveLength(3);
    const all = reads;
    expect(all).toBeGreaterThan(2);
    for (breaksAt = 1; breaksAt <= all; breaksAt += 1) {
      reads = 0;
      await expect(unpack(source)).rejects.toMatchObject({ code: 'service_unavailable' });
    }
  });

  it('passes on what else the source throws, such as a defect of ours', async () => {
    const broken: RandomAccess = { sizeBytes: archive.length, read: () => Promise.reject(new RangeError('more bytes than promised')) };
    await expect(unpack(broken)).rejects.toThrow(RangeError);
  });
});
