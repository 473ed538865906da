import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  MultipartStore,
  ObjectInfo,
  ObjectStore,
  UnfinishedUploads,
} from '../../../core/ports/object-store.js';

const MIB = 1024 * 1024;
const key = (): string => `t/${randomUUID()}/file/${randomUUID()}`;
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const all = async (keys: AsyncIterable<ObjectInfo>): Promise<ObjectInfo[]> => {
  const found: ObjectInfo[] = [];
  for await (const info of keys) found.push(info);
  return found;
};

/** Looks at what it was given only after a while: a buffer must not be used again before. */
const slowTarget = (delayMs: number, take: (piece: Buffer) => void): Writable =>
  new Writable({
    highWaterMark: 1,
    write(piece: Buffer, _encoding, done) {
      setTimeout(() => {
        take(Buffer.from(piece));
        done();
      }, delayMs);
    },
  });

/** What every object store must do; run on each implementation. */
export function describeObjectStore(
  name: string,
  open: () => Promise<{
    store: ObjectStore & MultipartStore & UnfinishedUploads;
    close: () => Promise<void>;
  }>,
): void {
  describe(`object store: ${name}`, () => {
    let store: ObjectStore & MultipartStore & UnfinishedUploads;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ store, close } = await open());
    });
    afterAll(() => close());

    it('gives back the bytes of a buffer and of a stream', async () => {
      const bytes = randomBytes(3 * MIB + 17);
      const [one, two] = [key(), key()];
      const first = await store.put(one, bytes, bytes.length);
      const second = await store.put(two, Readable.from(chunks(bytes, 65_536)), bytes.length, {
        contentType: 'image/png',
      });
      expect(first.etag).toMatch(/^[0-9a-f-]+$/);
      expect(second.etag).toBe(first.etag);
      expect(sha256(await buffer(await store.get(one)))).toBe(sha256(bytes));
      expect(sha256(await buffer(await store.get(two)))).toBe(sha256(bytes));
      expect(await store.head(two)).toMatchObject({ key: two, sizeBytes: bytes.length, etag: first.etag });
    });

    it('holds an empty object', async () => {
      const empty = key();
      await store.put(empty, Buffer.alloc(0), 0);
      expect((await store.head(empty))?.sizeBytes).toBe(0);
      expect((await buffer(await store.get(empty))).length).toBe(0);
    });

    it('reads a range with both ends included and refuses one outside', async () => {
      const place = key();
      await store.put(place, Buffer.from('0123456789'), 10);
      expect((await buffer(await store.get(place, { range: { start: 2, end: 5 } }))).toString()).toBe('2345');
      await expect(store.get(place, { range: { start: 10, end: 12 } })).rejects.toMatchObject({
        code: 'range_not_satisfiable',
      });
    });

    it('reads ranges of many parts into a slow target', async () => {
      const bytes = randomBytes(9 * MIB + 5);
      const place = key();
      await store.put(place, bytes, bytes.length);
      const ranges = [
        [0, bytes.length - 1],
        [MIB + 1, MIB + 1],
        [7, 5 * MIB],
      ] as const;
      await Promise.all(
        ranges.map(async ([start, end]) => {
          const taken: Buffer[] = [];
          const target = slowTarget(2, (piece) => taken.push(piece));
          await pipeline(await store.get(place, { range: { start, end } }), target);
          expect(sha256(Buffer.concat(taken))).toBe(sha256(bytes.subarray(start, end + 1)));
        }),
      );
    });

    it('reads nothing of a missing key, and no more once the reader has left', async () => {
      const taken: Buffer[] = [];
      const target = slowTarget(20, (piece) => taken.push(piece));
      await expect(store.get(key(), { range: { start: 0, end: 9 } })).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(taken).toEqual([]);
      const place = key();
      await store.put(place, randomBytes(8 * MIB), 8 * MIB);
      const leaving = AbortSignal.timeout(30);
      const range = { start: 0, end: 8 * MIB - 1 };
      await expect(
        store.get(place, { range, signal: leaving }).then((body) => pipeline(body, target)),
      ).rejects.toThrow();
      expect(Buffer.concat(taken).length).toBeLessThan(8 * MIB);
    });

    it('replaces an object by a repeat and answers not_found for a missing key', async () => {
      const place = key();
      await store.put(place, Buffer.from('old'), 3);
      await store.put(place, Buffer.from('newer'), 5);
      expect((await buffer(await store.get(place))).toString()).toBe('newer');
      await expect(store.get(key())).rejects.toMatchObject({ code: 'not_found' });
      expect(await store.head(key())).toBeNull();
    });

    it('stores nothing when a body is shorter or longer than announced', async () => {
      const [short, long] = [key(), key()];
      await expect(store.put(short, Readable.from([Buffer.alloc(10)]), 20)).rejects.toMatchObject({
        code: 'bad_request',
      });
      await expect(store.put(long, Readable.from([Buffer.alloc(30)]), 20)).rejects.toMatchObject({
        code: 'bad_request',
      });
      expect(await store.head(short)).toBeNull();
      expect(await store.head(long)).toBeNull();
    });

    it('stores nothing when the body breaks off or the caller aborts', async () => {
      const [broken, aborted] = [key(), key()];
      const failing = Readable.from(failAfter(Buffer.alloc(MIB)));
      await expect(store.put(broken, failing, 8 * MIB)).rejects.toThrow();
      const abort = new AbortController();
      const endless = new Readable({ read() {} });
      const pending = store.put(aborted, endless, MIB, { signal: abort.signal });
      endless.push(Buffer.alloc(1000));
      setTimeout(() => abort.abort(), 50);
      await expect(pending).rejects.toThrow();
      expect(await store.head(broken)).toBeNull();
      expect(await store.head(aborted)).toBeNull();
    });

    it('joins parts sent in any order, the last write of a number wins', async () => {
      const place = key();
      const [first, last] = [randomBytes(5 * MIB), randomBytes(1234)];
      const upload = await store.createMultipart(place, 'application/zip');
      const two = await store.putPart(place, upload, 2, last, last.length);
      await store.putPart(place, upload, 1, randomBytes(5 * MIB), 5 * MIB);
      const one = await store.putPart(place, upload, 1, Readable.from(chunks(first, 65_536)), first.length);
      const joined = await store.completeMultipart(place, upload, [two, one]);
      expect(sha256(await buffer(await store.get(place)))).toBe(sha256(Buffer.concat([first, last])));
      expect(await store.completeMultipart(place, upload, [two, one])).toEqual(joined);
      await expect(store.completeMultipart(key(), upload, [two, one])).rejects.toMatchObject({
        code: 'not_found',
      });
    });

    it('lists the parts of an upload that is not over', async () => {
      const place = key();
      const upload = await store.createMultipart(place);
      const parts = [];
      for (const [number, bytes] of [
        [2, Buffer.from('last')],
        [1, Buffer.alloc(5 * MIB)],
      ] as const)
        parts.push(await store.putPart(place, upload, number, bytes, bytes.length));
      expect((await store.listParts(place, upload)).sort((a, b) => b.partNumber - a.partNumber)).toEqual(
        parts,
      );
      await store.completeMultipart(place, upload, parts);
      await expect(store.listParts(place, upload)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('forgets an aborted upload, also twice', async () => {
      const place = key();
      const upload = await store.createMultipart(place);
      await store.putPart(place, upload, 1, Buffer.alloc(10), 10);
      await store.abortMultipart(place, upload);
      await store.abortMultipart(place, upload);
      expect(await store.head(place)).toBeNull();
    });

    it('forgets every unfinished upload to a key, and to no other, when nobody knows their ids', async () => {
      const [place, beside] = [key(), key()];
      const lost = [await store.createMultipart(place), await store.createMultipart(place)];
      const other = await store.createMultipart(beside);
      for (const upload of lost) await store.putPart(place, upload, 1, Buffer.alloc(10), 10);
      const part = await store.putPart(beside, other, 1, Buffer.from('stays'), 5);
      await store.abortMultipart(place, null);
      await store.abortMultipart(place, null);
      for (const upload of lost)
        await expect(store.completeMultipart(place, upload, [part])).rejects.toThrow();
      await store.completeMultipart(beside, other, [part]);
      expect((await store.head(beside))?.sizeBytes).toBe(5);
    });

    it('goes on with the list of unfinished uploads where some end while it is read', async () => {
      const prefix = `t/${randomUUID()}/`;
      const keys = ['a', 'b', 'c', 'd'].map((name) => `${prefix}${name}`);
      for (const each of keys)
        await store.putPart(each, await store.createMultipart(each), 1, Buffer.alloc(10), 10);
      const sizes: number[] = [];
      for await (const { key: listed, sizeBytes } of store.listUnfinished(prefix)) {
        const ended = sizes.length === 0 ? keys.filter((each) => each !== listed).slice(0, 2) : [];
        for (const each of ended) await store.abortMultipart(each, null);
        sizes.push(sizeBytes);
      }
      expect(sizes).toEqual([10, 10]);
      for await (const { key: listed } of store.listUnfinished(prefix))
        await store.abortMultipart(listed, null);
    });

    it('lists all keys below a prefix in order and removes them, missing ones included', async () => {
      const prefix = `t/${randomUUID()}/`;
      const keys = Array.from({ length: 1100 }, (_, index) => `${prefix}n/${String(index).padStart(5, '0')}`);
      for (let at = 0; at < keys.length; at += 50)
        await Promise.all(keys.slice(at, at + 50).map((each) => store.put(each, Buffer.from('x'), 1)));
      expect((await all(store.list(prefix))).map((info) => info.key)).toEqual(keys);
      await store.remove([...keys, `${prefix}never`]);
      await store.remove(keys.slice(0, 3));
      expect(await all(store.list(prefix))).toEqual([]);
    });

    it('lets the bearer of a URL read and write exactly that key', async () => {
      const place = key();
      const put = await fetch(await store.presign('PUT', place, 60), { method: 'PUT', body: 'hello' });
      expect(put.status).toBe(200);
      const url = await store.presign('GET', place, 60);
      expect(await (await fetch(url)).text()).toBe('hello');
      const other = url.replace(place, key());
      expect((await fetch(other)).status).toBe(403);
    });

    it('refuses keys that could mean another place', async () => {
      for (const bad of ['', '/a', 'a//b', 'a/../b', '..', 'a/./b', 'a b', 'ä', 'x'.repeat(513)])
        await expect(store.put(bad, Buffer.from('x'), 1)).rejects.toThrow('not an object key');
    });
  });
}

function* chunks(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* failAfter(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
  throw new Error('the sender went away');
}
