import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type BatchDeps, copyBatch } from '../../../activities/sources/copy-batch.js';
import { FileTrouble } from '../../../activities/sources/source-trouble.js';
import { readOnce } from '../../../activities/sources/source-step.js';
import { unavailable } from '../../../core/errors/app-error.js';
import type { SyncFinding } from '../../../models/sources/dataset-sync.types.js';
import type { EntryResult, SyncEntry } from '../../../models/sources/sync-entry.repository.js';
import { sourceError } from '../../fakes/fake-remote-source.js';

const entries = (count: number): SyncEntry[] =>
  Array.from({ length: count }, (_, position) => ({
    position,
    path: `f/${position}`,
    remote_path: `f/${position}`,
    sha256: 'a'.repeat(64),
    size_bytes: 1,
    object_key: `k/${position}`,
    multipart_id: null,
    parts: [],
  }));
const image = { mediaType: 'image/png', kind: 'image' } as const;

function batch(over: Partial<BatchDeps> = {}) {
  const results: EntryResult[] = [];
  const errors: SyncFinding[] = [];
  const deps: BatchDeps = {
    parallel: 4,
    copy: async () => image,
    probe: async () => undefined,
    record: async (some, found) => {
      results.push(...some);
      errors.push(...found);
    },
    failedBefore: 0,
    slice: { beginUntil: Number.POSITIVE_INFINITY, cut: null },
    signal: new AbortController().signal,
    ...over,
  };
  return { deps, results, errors };
}

describe('a batch of copies', () => {
  it('copies every file once, never more at once than allowed', async () => {
    let [now, most] = [0, 0];
    const { deps, results } = batch({
      copy: async () => {
        now += 1;
        most = Math.max(most, now);
        await sleep(1);
        now -= 1;
        return image;
      },
    });
    await copyBatch(deps, entries(250));
    expect(results.map(({ position }) => position).sort((a, b) => a - b)).toEqual(entries(250).map(({ position }) => position));
    expect(most).toBe(4);
  });

  it('lists single files that cannot be copied and takes the others', async () => {
    const { deps, results, errors } = batch({
      copy: async ({ position }) => {
        if (position === 3) throw new FileTrouble('wrong_sha256', 'Other bytes.');
        if (position === 5) throw sourceError('busy', 'HTTP 500');
        return image;
      },
    });
    await copyBatch(deps, entries(10));
    expect(results.filter(({ copied }) => copied === null).map(({ position }) => position)).toEqual([3, 5]);
    expect(errors).toEqual([
      { path: 'f/3', code: 'wrong_sha256', message: 'Other bytes.' },
      { path: 'f/5', code: 'busy', message: 'HTTP 500' },
    ]);
  });

  it('writes what it has and leaves the rest open when the source is away as a whole', async () => {
    const { deps, results, errors } = batch({
      parallel: 1,
      copy: async ({ position }) => {
        if (position >= 5) throw sourceError('refused');
        return image;
      },
      probe: () => Promise.reject(sourceError('refused', 'nobody listens')),
    });
    await expect(copyBatch(deps, entries(10))).rejects.toThrow('nobody listens');
    expect(results).toHaveLength(5);
    expect(errors).toEqual([]);
  });

  it('ends at once when the credentials are refused', async () => {
    const { deps, results } = batch({ parallel: 1, copy: () => Promise.reject(sourceError('credentials', 'HTTP 401')) });
    await expect(copyBatch(deps, entries(10))).rejects.toMatchObject({ code: 'conflict', message: 'HTTP 401 Mend it.' });
    expect(results).toEqual([]);
  });

  it('ends when a hundred files in a row fail', async () => {
    const { deps, errors } = batch({ copy: () => Promise.reject(new FileTrouble('missing', 'Gone.')) });
    await expect(copyBatch(deps, entries(500))).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/^100 files in a row/) });
    expect(errors.length).toBeLessThan(110);
  });

  it('counts failures in a row over batches', async () => {
    const { deps, errors } = batch({ failedBefore: 95, copy: () => Promise.reject(new FileTrouble('missing', 'Gone.')) });
    await expect(copyBatch(deps, entries(20))).rejects.toThrow(/^100 files in a row/);
    expect(errors.length).toBeLessThan(10);
  });

  it('begins no file once its time is over, and ends those under way', async () => {
    const { deps, results } = batch({ parallel: 2, slice: { beginUntil: Date.now() + 150, cut: null }, copy: () => sleep(100, image) });
    await expect(copyBatch(deps, entries(50))).resolves.toBe('stopped');
    expect(results.length).toBeGreaterThanOrEqual(2);
    expect(results.length).toBeLessThan(10);
  });

  it('is cut where its source is slow, with the results so far written', async () => {
    const copy: BatchDeps['copy'] = ({ position }, signal) => (position < 3 ? Promise.resolve(image) : sleep(60_000, image, { signal }));
    const { deps, results, errors } = batch({ slice: { beginUntil: Number.POSITIVE_INFINITY, cut: AbortSignal.timeout(100) }, copy });
    await expect(copyBatch(deps, entries(50))).resolves.toBe('cut');
    expect([results.length, errors.length]).toEqual([3, 0]);
  });

  it('fails by the platform’s own error, with the results so far written', async () => {
    const { deps, results } = batch({ parallel: 1, copy: ({ position }) => (position < 4 ? Promise.resolve(image) : Promise.reject(unavailable('The store is away.'))) });
    await expect(copyBatch(deps, entries(10))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(results).toHaveLength(4);
  });
});

describe('reading a source once', () => {
  const told: string[] = [];
  const patience = (forMs: number, awayMs = 0, cut: AbortSignal | null = null) => ({
    forMs,
    signal: new AbortController().signal,
    cut,
    onAway: async (message: string) => {
      told.push(message);
      return { tries: told.length, awayMs };
    },
  });
  beforeEach(() => void told.splice(0));

  it('answers how long to wait while the source is away, longer each time, and says so', async () => {
    const away = () => readOnce(patience(60_000), () => Promise.reject(sourceError('refused', 'nobody listens')));
    await expect(away()).resolves.toEqual({ is: 'away', forMs: 500 });
    await expect(away()).resolves.toEqual({ is: 'away', forMs: 1000 });
    for (let left = 8; left > 0; left -= 1) await away();
    await expect(away()).resolves.toEqual({ is: 'away', forMs: 30_000 });
    expect(new Set(told)).toEqual(new Set(['nobody listens']));
  });

  it('gives up with the reason of the source when patience is over', async () => {
    await expect(readOnce(patience(100, 90), () => Promise.reject(sourceError('timeout', 'too slow')))).rejects.toMatchObject({ code: 'conflict', message: 'too slow Mend it.' });
  });

  it('does not wait for what will not pass', async () => {
    await expect(readOnce(patience(60_000), () => Promise.reject(sourceError('shape', 'not JSON')))).rejects.toMatchObject({ code: 'conflict', message: 'not JSON Mend it.' });
    expect(told).toEqual([]);
  });

  it('passes on failures of other parts', async () => {
    await expect(readOnce(patience(60_000), () => Promise.reject(unavailable('The store is away.')))).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('sends what was cut off to the long lane', async () => {
    const cut = AbortSignal.abort(new Error('over'));
    await expect(readOnce(patience(60_000, 0, cut), () => Promise.reject(cut.reason as Error))).resolves.toEqual({ is: 'long' });
  });
});
