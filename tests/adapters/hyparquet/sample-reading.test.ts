import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createTableReader } from '../../../adapters/hyparquet/table-reader.js';
import { SampleReading } from '../../../api/datasets/sample-reading.js';
import { ASKER } from '../../fakes/memory-source.js';
import { badRequest } from '../../../core/errors/app-error.js';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import { UnreadableTable } from '../../../core/ports/table-reader.js';

/** A store whose bytes come, or never do until whoever asked leaves. */
function storeOf(bytes: Buffer | null): ObjectStore {
  const get: ObjectStore['get'] = async (_key, { range, signal } = {}) => {
    if (bytes)
      return Readable.from([bytes.subarray(range?.start, (range?.end ?? bytes.length) + 1)], {
        objectMode: false,
      });
    await once(signal as AbortSignal, 'abort');
    throw new Error('broken off');
  };
  return { get } as ObjectStore;
}
const stays = () => new AbortController().signal;

describe('the reading of a sample', () => {
  it('counts what it read', async () => {
    const reading = new SampleReading(storeOf(Buffer.from('a,b\n1,2\n')), stays());
    expect(await createTableReader().readHead(reading.open('k', 8), 'csv', 20, ASKER)).toMatchObject({
      rows: [[1, 2]],
    });
    expect(reading.bytesRead).toBe(8);
  });

  it('ends when its time is over, for all its tables', async () => {
    const reading = new SampleReading(storeOf(null), stays(), 50);
    for (const key of ['k', 'l'])
      await expect(reading.open(key, 8).read(0, 8)).rejects.toThrow(
        new UnreadableTable('reading it takes longer than 0.05 seconds'),
      );
    const sound = new SampleReading(
      storeOf(Buffer.from('12345678')),
      AbortSignal.abort(badRequest('gone')),
      50,
    );
    await expect(sound.open('k', 8).read(0, 8)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'gone',
    });
  });

  it('ends when the one who asked leaves', async () => {
    const leaving = new AbortController();
    const read = new SampleReading(storeOf(null), leaving.signal).open('k', 8).read(0, 8);
    leaving.abort(badRequest('gone'));
    await expect(read).rejects.toMatchObject({ code: 'bad_request', message: 'gone' });
  });
});
