import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type BatchDeps, copyBatch as copyEntries } from '../../../activities/sources/copy-batch.js';
import { EntryFeed } from '../../../activities/sources/entry-feed.js';
import { FileTrouble } from '../../../activities/sources/source-trouble.js';
import { sourceFailure } from '../../../adapters/http/source-failures.js';
import { stepAfter } from '../../../activities/sources/source-step.js';
import type { CopyReport, SyncProgress } from '../../../activities/sources/sync-progress.js';
import { unavailable } from '../../../core/errors/app-error.js';
import type { SyncFinding } from '../../../models/sources/sync/dataset-sync.types.js';
import type { EntryResult, PutOff, SyncEntry } from '../../../models/sources/sync/sync-copy.sql.js';
import { sourceError } from '../../fakes/fake-remote-source.js';

const entries = (count: number): SyncEntry[] =>
  Array.from({ length: count }, (_, position) => ({
    position,
    path: `f/${position}`,
    remotePath: `f/${position}`,
    sha256: 'a'.repeat(64),
    sizeBytes: 1,
    objectKey: `k/${position}`,
    multipartId: null,
    parts: [],
    tries: 0,
  }));
/** Those of a list that follow a position. */
const following = (list: readonly SyncEntry[]): Pick<SyncProgress, 'takeFiles'> => ({
  takeFiles: async ({ after, limit }) => list.filter(({ position }) => position > after).slice(0, limit),
});
const size = (most: number) => ({ most, isAnySize: true });
const copyBatch = (deps: BatchDeps, list: readonly SyncEntry[]) =>
  copyEntries(deps, new EntryFeed(following(list), size(5000)));
const image = { mediaType: 'image/png', kind: 'image' } as const;

type Copier = BatchDeps['copier'];

/** What a test says of the source and of the batch, in place of a source that gives every file. */
interface Reported extends Partial<Omit<BatchDeps, 'copier' | 'progress' | 'beat'>> {
  readonly copy?: Copier['copy'];
  readonly probe?: Copier['probe'];
  readonly report?: (report: CopyReport) => Promise<void>;
}

function batch({ copy, probe, report, ...over }: Reported = {}) {
  const results: EntryResult[] = [];
  const errors: SyncFinding[] = [];
  const later: PutOff[] = [];
  const keep = async (news: CopyReport) => {
    later.push(...news.putOff);
    results.push(...news.results);
    errors.push(...news.errors);
  };
  const deps: BatchDeps = {
    parallel: 4,
    copier: { copy: copy ?? (async () => image), probe: probe ?? (async () => undefined) },
    mayPutOff: true,
    progress: { report: report ?? keep },
    failedBefore: 0,
    slice: { beginUntil: Number.POSITIVE_INFINITY, cut: null },
    beat: { signal: new AbortController().signal, progress: () => undefined },
    ...over,
  };
  return { deps, results, errors, later };
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
    expect(results.map(({ position }) => position).sort((a, b) => a - b)).toEqual(
      entries(250).map(({ position }) => position),
    );
    expect(most).toBe(4);
  });

  it('lists single files that cannot be copied and takes the others', async () => {
    const { deps, results, errors, later } = batch({
      mayPutOff: false,
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
    expect(later).toEqual([]);
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

  it('puts files off that the source cannot give just now, for longer each time or for as long as it asks', async () => {
    const busy = sourceFailure('busy', 'HTTP 503', 'Wait.', { retryAfterS: 90 });
    const { deps, results, errors, later } = batch({
      parallel: 1,
      copy: async ({ position }) => {
        if (position === 3) throw sourceError('timeout');
        if (position === 5) throw busy;
        return image;
      },
    });
    await copyBatch(deps, entries(10));
    await copyBatch(deps, [{ ...(entries(4)[3] as SyncEntry), tries: 3 }]);
    expect(later).toEqual([
      { position: 3, forMs: 500 },
      { position: 5, forMs: 90_000 },
      { position: 3, forMs: 4000 },
    ]);
    expect([results.length, errors.length]).toEqual([8, 0]);
  });

  it('takes a source that cannot give twenty in a row as away, whatever its list says', async () => {
    const { deps, later } = batch({
      parallel: 1,
      failedBefore: 5,
      copy: () => Promise.reject(sourceError('busy', 'HTTP 500')),
    });
    await expect(copyBatch(deps, entries(100))).rejects.toMatchObject({
      message: 'HTTP 500',
      detail: { reason: 'busy' },
    });
    expect(later).toHaveLength(15);
  });

  it.each([
    { broken: 100, of: 1000 },
    { broken: 1000, of: 1000 },
  ])(
    'waits for a source every twenty files it cannot give, and gets on each time: $broken of $of',
    async ({ broken, of }) => {
      let [inARow, rounds, open] = [0, 0, entries(of)];
      const left = new Set<number>();
      const isBroken = (position: number) => position >= 5 && position < 5 + broken;
      for (let end = ''; end !== 'all' && rounds < 9; rounds += 1) {
        open = open.filter(({ position }) => !left.has(position));
        const { deps } = batch({
          failedBefore: inARow,
          copy: ({ position }) =>
            isBroken(position) ? Promise.reject(sourceError('busy', 'HTTP 503')) : Promise.resolve(image),
          report: async ({ results, failedInARow, putOff }) => {
            inARow = failedInARow;
            for (const { position } of [...results, ...putOff]) left.add(position);
          },
        });
        end = await copyBatch(deps, open).catch(({ message }: Error) => message);
      }
      const tried = [...left].filter(isBroken).length;
      expect(rounds).toBeLessThanOrEqual(broken === 100 ? 6 : 9);
      expect(tried).toBeGreaterThanOrEqual(Math.min(broken, 9 * 20));
      expect(tried).toBeLessThan(9 * 25);
    },
  );

  it('tries each of those that come again, however many fail', async () => {
    const again = entries(300).map((entry) => ({ ...entry, tries: 1 }));
    for (const mayPutOff of [true, false]) {
      const { deps, errors, later } = batch({ mayPutOff, copy: () => Promise.reject(sourceError('busy')) });
      await expect(copyBatch(deps, again)).resolves.toBe('all');
      expect([errors.length, later.length]).toEqual(mayPutOff ? [0, 300] : [300, 0]);
    }
  });

  it('ends at once when the list refuses the credentials too', async () => {
    const refused = () => Promise.reject(sourceError('credentials', 'HTTP 401'));
    const { deps, results } = batch({ parallel: 1, copy: refused, probe: refused });
    await expect(copyBatch(deps, entries(10))).rejects.toMatchObject({
      message: 'HTTP 401',
      detail: { reason: 'credentials' },
    });
    expect(results).toEqual([]);
  });

  it('lists a file alone for which the credentials do not do', async () => {
    const copy: Copier['copy'] = ({ position }) =>
      position === 4 ? Promise.reject(sourceError('credentials', 'HTTP 403')) : Promise.resolve(image);
    const { deps, results, errors } = batch({ copy });
    await expect(copyBatch(deps, entries(10))).resolves.toBe('all');
    expect([results.length, errors]).toEqual([
      10,
      [{ path: 'f/4', code: 'credentials', message: 'HTTP 403' }],
    ]);
  });

  it('ends when a hundred files in a row fail', async () => {
    const { deps, errors } = batch({ copy: () => Promise.reject(new FileTrouble('missing', 'Gone.')) });
    await expect(copyBatch(deps, entries(500))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^100 files in a row/),
    });
    expect(errors.length).toBeLessThan(110);
  });

  it('counts failures in a row over batches', async () => {
    const { deps, errors } = batch({
      failedBefore: 95,
      copy: () => Promise.reject(new FileTrouble('missing', 'Gone.')),
    });
    await expect(copyBatch(deps, entries(20))).rejects.toThrow(/^100 files in a row/);
    expect(errors.length).toBeLessThan(10);
  });

  it('begins no file once its time is over, and ends those under way', async () => {
    const { deps, results } = batch({
      parallel: 2,
      slice: { beginUntil: Date.now() + 150, cut: null },
      copy: () => sleep(100, image),
    });
    await expect(copyBatch(deps, entries(50))).resolves.toBe('stopped');
    expect(results.length).toBeGreaterThanOrEqual(2);
    expect(results.length).toBeLessThan(10);
  });

  it('is cut where its source is slow, with the results so far written', async () => {
    const copy: Copier['copy'] = ({ position }, signal) =>
      position < 3 ? Promise.resolve(image) : sleep(60_000, image, { signal });
    const { deps, results, errors } = batch({
      slice: { beginUntil: Number.POSITIVE_INFINITY, cut: AbortSignal.timeout(100) },
      copy,
    });
    await expect(copyBatch(deps, entries(50))).resolves.toBe('cut');
    expect([results.length, errors.length]).toEqual([3, 0]);
  });

  it('fails by the platform’s own error, with the results so far written', async () => {
    const { deps, results } = batch({
      parallel: 1,
      copy: ({ position }) =>
        position < 4 ? Promise.resolve(image) : Promise.reject(unavailable('The store is away.')),
    });
    await expect(copyBatch(deps, entries(10))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(results).toHaveLength(4);
  });
});

describe('the files of a batch', () => {
  const drained = async (feed: EntryFeed) => {
    const positions: number[] = [];
    const run = async () => {
      for (let entry = await feed.next(); entry; entry = await feed.next()) positions.push(entry.position);
    };
    await Promise.all([run(), run(), run()]);
    return positions;
  };

  it('come each once and in order, however slices and runs meet', async () => {
    for (const [count, most] of [
      [0, 10],
      [500, 5000],
      [1337, 5000],
      [1337, 1000],
    ] as const) {
      const feed = new EntryFeed(following(entries(count)), size(most));
      expect(await drained(feed)).toEqual(entries(Math.min(count, most)).map(({ position }) => position));
      expect(feed.isFull).toBe(count > most);
    }
  });

  it('are taken while others are left, and not long before they are begun', async () => {
    let taken = 0;
    const takeFiles: SyncProgress['takeFiles'] = async (wanted) => {
      const slice = await following(entries(5000)).takeFiles(wanted);
      taken += slice.length;
      return slice;
    };
    const feed = new EntryFeed({ takeFiles }, size(5000));
    for (let n = 0; n < 200; n += 1) await feed.next();
    expect(taken).toBe(500);
    for (let n = 0; n < 100; n += 1) await feed.next();
    await feed.settled();
    expect(taken).toBe(1000);
  });

  it('are asked for again where they could not be taken ahead', async () => {
    let failures = 2;
    const takeFiles: SyncProgress['takeFiles'] = async (wanted) => {
      if (wanted.after > 0 && failures-- > 0) throw unavailable('The database is away.');
      return following(entries(600)).takeFiles(wanted);
    };
    const feed = new EntryFeed({ takeFiles }, size(5000));
    for (let n = 0; n < 500; n += 1) expect((await feed.next())?.position).toBe(n);
    await expect(feed.next().then((entry) => entry?.position)).resolves.toBe(500);
  });
});

describe('a reading of the source that failed', () => {
  const reported: string[] = [];
  const patience = (forMs: number, awayMs = 0, cut: AbortSignal | null = null) => ({
    forMs,
    signal: new AbortController().signal,
    cut,
    progress: {
      sourceAway: async (message: string) => {
        reported.push(message);
        return { tries: reported.length, awayMs };
      },
    },
  });
  beforeEach(() => void reported.splice(0));

  it('answers how long to wait while the source is away, longer each time, and says so', async () => {
    const away = () => stepAfter(sourceError('refused', 'nobody listens'), patience(60_000));
    await expect(away()).resolves.toEqual({ is: 'away', forMs: 500 });
    await expect(away()).resolves.toEqual({ is: 'away', forMs: 1000 });
    for (let left = 8; left > 0; left -= 1) await away();
    await expect(away()).resolves.toEqual({ is: 'away', forMs: 30_000 });
    expect(new Set(reported)).toEqual(new Set(['nobody listens']));
  });

  it('gives up with the reason of the source when patience is over', async () => {
    const over = stepAfter(sourceError('timeout', 'too slow'), patience(100, 90));
    await expect(over).rejects.toMatchObject({ code: 'conflict', message: 'too slow Correct it.' });
  });

  it('does not wait for what will not pass', async () => {
    const lasting = stepAfter(sourceError('shape', 'not JSON'), patience(60_000));
    await expect(lasting).rejects.toMatchObject({ code: 'conflict', message: 'not JSON Correct it.' });
    expect(reported).toEqual([]);
  });

  it('passes on failures of other parts', async () => {
    const other = stepAfter(unavailable('The store is away.'), patience(60_000));
    await expect(other).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('sends what was cut off to the long lane', async () => {
    const cut = AbortSignal.abort(new Error('over'));
    await expect(stepAfter(cut.reason, patience(60_000, 0, cut))).resolves.toEqual({ is: 'long' });
  });
});
