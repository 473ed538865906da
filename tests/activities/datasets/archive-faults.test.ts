import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createObjectStore, type ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { zipReader } from '../../../adapters/yauzl/zip-reader.js';
import { unpackArchive } from '../../../activities/datasets/archive-unpacker.js';
import { objectReader } from '../../../models/objects/object-reader.js';
import type { RandomAccess } from '../../../core/ports/archive-reader.js';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import { ARCHIVE_LIMITS } from '../../../models/datasets/uploads/archive.rules.js';
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
  let receive: (request: IncomingMessage, response: ServerResponse) => void;
  beforeEach(async () => {
    reads = 0;
    breaksAt = 0;
    receive = (request, response) =>
      void request.on('end', () => response.writeHead(200, { etag: '"e"' }).end());
    server = createServer((request, response) => {
      request.resume();
      if (request.method === 'PUT') return void receive(request, response);
      const [start, end] = (/bytes=(\d+)-(\d+)/.exec(String(request.headers.range)) ?? [])
        .slice(1)
        .map(Number) as [number, number];
      response.writeHead(206, { 'content-length': end - start + 1 });
      reads += 1;
      if (reads !== breaksAt) return void response.end(archive.subarray(start, end + 1));
      response.write(archive.subarray(start, start + (end - start) / 2));
      setTimeout(() => response.destroy(), 20);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    store = createObjectStore({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      accessKey: 'k',
      secretKey: 's',
      bucket: 'bucket',
    });
  });
  afterEach(async () => {
    await store.close();
    server.closeAllConnections();
    server.close();
  });

  const { signal } = new AbortController();
  let key = 0;
  const unpack = (source: RandomAccess, objects: ObjectStore = store) =>
    unpackArchive(
      {
        objects,
        reader: zipReader,
        recordOrphans: async () => undefined,
        newKey: () => `t/${key++}`,
        progress: () => undefined,
        signal,
      },
      source,
      ARCHIVE_LIMITS,
    ).then(({ files }) => files);

  it('never blames the archive for a read that broke off, whichever it was', async () => {
    const source = objectReader(store, 'zip', archive.length, signal);
    await expect(unpack(source)).resolves.toHaveLength(3);
    const all = reads;
    expect(all).toBeGreaterThan(2);
    for (breaksAt = 1; breaksAt <= all; breaksAt += 1) {
      reads = 0;
      await expect(unpack(source)).rejects.toMatchObject({ code: 'service_unavailable' });
    }
  });

  const inMemory = (bytes: Buffer): RandomAccess => ({
    sizeBytes: bytes.length,
    read: async (start, end) => bytes.subarray(start, end),
  });

  it.each<[string, typeof receive]>([
    ['cuts the connection at once', (request) => void request.socket.destroy()],
    [
      'cuts the connection in the middle',
      (request) => void request.once('data', () => setTimeout(() => request.socket.destroy(), 20)),
    ],
    [
      'refuses in the middle',
      (request, response) =>
        void request.once('data', () => response.writeHead(503, { connection: 'close' }).end()),
    ],
    [
      'refuses once it has all',
      (request, response) => void request.on('end', () => response.writeHead(503).end()),
    ],
  ])('never blames a large member for a store that %s', async (_what, broken) => {
    const sound = receive;
    // Small members are sent again by themselves.
    receive = (request, response) =>
      (Number(request.headers['content-length']) > 8 * MIB ? broken : sound)(request, response);
    await expect(unpack(inMemory(archive))).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('never blames a large member for a store that is not there, or for a write that was never begun', async () => {
    const large = inMemory(craftZip([{ name: 'b.bin', bytes: randomBytes(9 * MIB) }]));
    const away = createObjectStore({
      endpoint: 'http://127.0.0.1:1',
      region: 'us-east-1',
      accessKey: 'k',
      secretKey: 's',
      bucket: 'bucket',
    });
    await expect(unpack(large, away)).rejects.toMatchObject({ code: 'service_unavailable' });
    await away.close();
    await expect(
      unpack(large, { ...store, put: () => Promise.reject(new RangeError('a defect of ours')) }),
    ).rejects.toThrow(RangeError);
  });

  it.each([
    [
      'is damaged',
      {
        raw: Buffer.concat([
          deflateRawSync(randomBytes(9 * MIB)).subarray(0, 8 * MIB),
          Buffer.alloc(MIB, 0xff),
        ]),
        method: 8,
      },
    ],
    ['ends too soon', { raw: deflateRawSync(randomBytes(9 * MIB)).subarray(0, 8 * MIB), method: 8 }],
    ['is smaller than stated', { statedSize: 10 * MIB, deflate: true }],
    ['is larger than stated', { statedSize: 9 * MIB - 1, deflate: true }],
    ['has another checksum', { crc: 1 }],
  ])('blames a large member that %s', async (_what, wrong) => {
    const bad = inMemory(craftZip([{ name: 'b.bin', bytes: randomBytes(9 * MIB), ...wrong }]));
    await expect(unpack(bad)).rejects.toMatchObject({
      code: 'unprocessable_entity',
      message: expect.stringContaining('b.bin'),
    });
  });

  it('takes the longest path, decomposed and once more as a Unicode path', async () => {
    const path = Array.from({ length: 7 }, () => 'ộ'.repeat(72)).join('/');
    const name = path.normalize('NFD');
    const crc = Buffer.alloc(4);
    crc.writeUInt32LE(crc32(Buffer.from(name)));
    const field = Buffer.concat([Buffer.from([1]), crc, Buffer.from(name)]);
    const extra = Buffer.concat([Buffer.from([0x75, 0x70, field.length & 0xff, field.length >> 8]), field]);
    const bytes = Buffer.from('x');
    await expect(unpack(inMemory(craftZip([{ name, bytes, extra }])))).resolves.toMatchObject([{ path }]);
  });

  it('passes on what else the source throws, such as a defect of ours', async () => {
    const broken: RandomAccess = {
      sizeBytes: archive.length,
      read: () => Promise.reject(new RangeError('more bytes than promised')),
    };
    await expect(unpack(broken)).rejects.toThrow(RangeError);
  });
});
