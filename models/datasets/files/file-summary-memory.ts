import { LRUCache } from 'lru-cache';
import type { ListedDataset } from './file-list.types.js';

/** Summaries of the datasets asked for latest are kept. A summary with a thousand names of classes takes some 100 kB. */
const MAX_DATASETS = 64;
/** While a validation runs, counting takes at most this part of the time, however often it is asked for. */
const COUNTING_PART = 0.1;
const AGE_AT_MOST_MS = 10_000;
/** As the library has it: only a new revision changes the summary. */
const NO_END = 0;

/**
 * What one process remembers of summaries that read every file of a dataset. FROZEN and FAILED are left by raising the
 * revision alone; before, a validation changes states and kinds of files without raising it, so what is counted then holds
 * for a multiple of the time that counting took.
 */
export class FileSummaryMemory<T extends object | number> {
  private readonly kept: LRUCache<string, T, () => Promise<T>>;

  constructor(now: () => number = () => performance.now()) {
    this.kept = new LRUCache({
      max: MAX_DATASETS,
      perf: { now },
      ttlResolution: 0,
      // A count that makes place while it is under way is still handed to those who wait for it.
      ignoreFetchAbort: true,
      fetchMethod: async (_key, _stale, { options, context: count }) => {
        const begin = now();
        const summary = await count();
        if (options.ttl !== NO_END)
          options.ttl = Math.min(AGE_AT_MOST_MS, Math.max(1, (now() - begin) / COUNTING_PART));
        return summary;
      },
    });
  }

  /** Who asks while it is counted waits for that count. */
  summaryOf(
    { id, revision, status }: Pick<ListedDataset, 'id' | 'revision' | 'status'>,
    count: () => Promise<T>,
  ): Promise<T> {
    const isSettled = status === 'FROZEN' || status === 'FAILED';
    const ttl = isSettled ? NO_END : AGE_AT_MOST_MS;
    return this.kept.forceFetch(`${id} ${revision} ${isSettled}`, { context: count, ttl });
  }
}
