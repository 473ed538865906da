import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createObjectStore, type ManagedObjectStore } from '../../../adapters/minio/minio-object-store.js';
import { translateStoreError } from '../../../adapters/minio/store-errors.js';
import { LOST_CONNECTION_CODES } from '../../../core/errors/lost-connection.js';
import { testStore } from '../../setup/engines.js';
import { describeObjectStore } from './object-store.contract.js';

describeObjectStore('S3 by the S3 client and presigned URLs', async () => {
  const made = await testStore();
  await made.remove();
  const bucket = `new-${Date.now()}`;
  const store = createObjectStore({ ...made, bucket });
  await Promise.all([store.ensureBucket(), store.ensureBucket()]);
  await store.ensureBucket();
  return { store, close: () => store.close().then(() => made.removeOther(bucket)) };
});

describe('an object store that cannot be reached', () => {
  it.each([...LOST_CONNECTION_CODES, 'UND_ERR_SOCKET'])('says service_unavailable of %s', (code) => {
    expect(translateStoreError(Object.assign(new Error(`connect ${code}`), { code }))).toMatchObject({
      code: 'service_unavailable',
    });
  });
});

describe('an object store in trouble', () => {
  let server: Server;
  let store: ManagedObjectStore;
  afterEach(async () => {
    await store.close();
    server?.closeAllConnections();
    server?.close();
  });

  const opened = async (answer: (count: number) => number): Promise<{ count: () => number }> => {
    let count = 0;
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        count += 1;
        response.writeHead(answer(count), { etag: '"abc"' }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    store = createObjectStore({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      accessKey: 'k',
      secretKey: 's',
      bucket: 'bucket',
    });
    return { count: () => count };
  };

  it('sends a buffer again after 503', async () => {
    const seen = await opened((count) => (count < 3 ? 503 : 200));
    await expect(store.put('a', Buffer.from('x'), 1)).resolves.toEqual({ etag: 'abc' });
    expect(seen.count()).toBe(3);
  });

  it('never sends a stream twice and says service_unavailable', async () => {
    const seen = await opened(() => 503);
    await expect(store.put('a', Readable.from([Buffer.from('x')]), 1)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(seen.count()).toBe(1);
  });

  it('gives up after four tries of a call without a body', async () => {
    const seen = await opened(() => 500);
    await expect(store.head('a')).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(seen.count()).toBe(4);
  });

  it('says service_unavailable where nobody listens', async () => {
    await opened(() => 200);
    server.close();
    server.closeAllConnections();
    await expect(store.get('a')).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(store.head('a')).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('calls nothing missing when the whole bucket is not there', async () => {
    const made = await testStore();
    await made.remove();
    store = createObjectStore({ ...made, bucket: `absent-${Date.now()}` });
    const part = store.get('a', { range: { start: 0, end: 9 }, signal: AbortSignal.timeout(20_000) });
    await Promise.all(
      [store.get('a'), store.head('a'), part].map((asked) =>
        expect(asked).rejects.toMatchObject({ code: 'service_unavailable' }),
      ),
    );
  });

  it('fails the rest of a range when the store breaks off, and asks again when it refused before', async () => {
    let count = 0;
    server = createServer((request, response) => {
      request.resume();
      count += 1;
      if (count === 1) return void response.writeHead(503).end();
      response.writeHead(206, { 'content-length': 2_000_000 });
      response.write(Buffer.alloc(1_000_000));
      setTimeout(() => response.destroy(), 50);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    store = createObjectStore({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      accessKey: 'k',
      secretKey: 's',
      bucket: 'bucket',
    });
    const body = await store.get('a', { range: { start: 0, end: 1_999_999 } });
    await expect(body.toArray()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(count).toBe(2);
  });

  it('says service_unavailable of a body that breaks off half-way', async () => {
    server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-length': 2_000_000 });
      response.write(Buffer.alloc(1_000_000));
      setTimeout(() => response.destroy(), 50);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    store = createObjectStore({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      accessKey: 'k',
      secretKey: 's',
      bucket: 'bucket',
    });
    const body = await store.get('a');
    await expect(body.toArray()).rejects.toMatchObject({ code: 'service_unavailable' });
    const aborted = new AbortController();
    const left = await store.get('a', { signal: aborted.signal });
    setTimeout(() => aborted.abort(), 5);
    await expect(left.toArray()).rejects.toMatchObject({ name: 'AbortError' });
  });
});
