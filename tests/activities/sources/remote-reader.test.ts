import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { RemoteReader } from '../../../activities/sources/remote-reader.js';
import { AppError } from '../../../core/errors/app-error.js';
import { FakeRemoteSource, sourceError } from '../../fakes/fake-remote-source.js';

const signal = new AbortController().signal;
const bytes = randomBytes(300_000);
const sha256 = createHash('sha256').update(bytes).digest('hex');

const sourceWith = (content: Buffer = bytes) => {
  const source = new FakeRemoteSource();
  source.add('f', content);
  return source;
};
const readerOf = (source: FakeRemoteSource, sizeBytes = bytes.length, offset = 0, leavesStalled = false) =>
  new RemoteReader(
    { source, endpoint: { tenantId: 't1', baseUrl: 'http://source', token: null }, remoteDatasetId: 'd' },
    { path: 'f', sizeBytes },
    offset,
    signal,
    leavesStalled,
  );

async function taken(reader: RemoteReader, count: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of reader.take(count)) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('reading a remote file', () => {
  it('gives all bytes in pieces of any length, with their hash and first bytes', async () => {
    const reader = readerOf(sourceWith());
    const parts = [
      await taken(reader, 1),
      await taken(reader, 70_000),
      await taken(reader, 0),
      await taken(reader, bytes.length - 70_001),
    ];
    await reader.end();
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    expect(reader.digest()).toEqual({ sha256, head: bytes.subarray(0, 65_536) });
  });

  it('goes on where a connection broke, as often as something came', async () => {
    const source = sourceWith();
    source.disturb = () => ({ breaksAfter: 65_536 });
    const reader = readerOf(source);
    expect((await taken(reader, bytes.length)).equals(bytes)).toBe(true);
    await reader.end();
    expect(source.opened.map(({ offset }) => offset)).toEqual([0, 65_536, 131_072, 196_608, 262_144]);
    expect(reader.digest()?.sha256).toBe(sha256);
  });

  it('gives up a source that breaks each connection after a byte', async () => {
    const source = sourceWith();
    source.disturb = () => ({ breaksAfter: 1 });
    await expect(taken(readerOf(source), bytes.length)).rejects.toMatchObject({
      detail: { reason: 'connection' },
    });
    // The first byte came fast enough for the time it took.
    expect(source.opened.length).toBeLessThanOrEqual(5);
  });

  it('leaves a source at once that asks to be left alone for longer than it may wait', async () => {
    const source = sourceWith();
    const busy = new AppError(
      'bad_gateway',
      'HTTP 429',
      { reason: 'busy', next_step: 'Wait.' },
      { retryAfterS: 600 },
    );
    source.disturb = () => ({ throws: busy });
    await expect(taken(readerOf(source), 10)).rejects.toBe(busy);
    expect(source.opened).toHaveLength(1);
  });

  it('begins in the middle, where the hash of the whole is not known', async () => {
    const reader = readerOf(sourceWith(), bytes.length, 100_000);
    expect((await taken(reader, bytes.length - 100_000)).equals(bytes.subarray(100_000))).toBe(true);
    expect(reader.digest()).toBeNull();
  });

  it('gives up after some tries that bring nothing, with the reason of the source', async () => {
    const source = sourceWith();
    source.disturb = () => ({ throws: sourceError('busy', 'HTTP 500') });
    const reader = readerOf(source);
    await expect(taken(reader, 10)).rejects.toThrow('HTTP 500');
    expect(source.opened).toHaveLength(4);
    expect(reader.failure).toMatchObject({ message: 'HTTP 500' });
  });

  it.each([
    [true, 1],
    [false, 4],
  ])(
    'asks a source that stands still again only where the file will not come again later: %s',
    async (leavesStalled, times) => {
      const source = sourceWith();
      source.disturb = () => ({ throws: sourceError('timeout') });
      await expect(taken(readerOf(source, bytes.length, 0, leavesStalled), 10)).rejects.toMatchObject({
        detail: { reason: 'timeout' },
      });
      expect(source.opened).toHaveLength(times);
    },
  );

  it('goes on at once where a source stood still that gave much before', async () => {
    const source = sourceWith();
    source.disturb = (_path, offset) =>
      offset === 0 ? { breaksAfter: 200_000, with: sourceError('timeout') } : {};
    expect((await taken(readerOf(source, bytes.length, 0, true), bytes.length)).equals(bytes)).toBe(true);
    expect(source.opened.map(({ offset }) => offset)).toEqual([0, 200_000]);
  });

  it('does not ask again for what will not pass', async () => {
    const source = sourceWith();
    source.disturb = () => ({ throws: sourceError('address') });
    await expect(taken(readerOf(source), 10)).rejects.toMatchObject({ detail: { reason: 'address' } });
    expect(source.opened).toHaveLength(1);
  });

  it('refuses fewer bytes than promised', async () => {
    await expect(taken(readerOf(sourceWith(), bytes.length + 5), bytes.length + 5)).rejects.toMatchObject({
      code: 'wrong_size',
    });
  });

  it('refuses more bytes than promised, without reading them', async () => {
    const reader = readerOf(sourceWith(), 1000);
    expect(await taken(reader, 1000)).toHaveLength(1000);
    await expect(reader.end()).rejects.toMatchObject({ code: 'wrong_size' });
  });

  it('asks the source nothing about an empty file', async () => {
    const source = sourceWith();
    const reader = readerOf(source, 0);
    expect(await taken(reader, 0)).toHaveLength(0);
    await reader.end();
    expect(source.opened).toEqual([]);
    expect(reader.digest()?.sha256).toBe(createHash('sha256').digest('hex'));
  });
});
