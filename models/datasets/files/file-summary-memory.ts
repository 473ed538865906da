import type { ListedDataset } from './file-list.types.js';

/** Of the datasets asked for latest. A summary with a thousand names of classes takes some 100 kB. */
const MAX_DATASETS = 64;
/** While a validation runs, counting takes at most this part of the time, however often it is asked for. */
const COUNTING_PART = 0.1;
const AGE_AT_MOST_MS = 10_000;

interface Kept<T> {
  readonly revision: number;
  readonly summary: T;
  /** Of `now`; infinite where only a new revision changes it. */
  readonly until: number;
}

/**
 * What one process remembers of summaries that read every file of a dataset. FROZEN and FAILED are left by raising the
 * revision alone; before, a validation changes states and kinds of files without raising it, so what is counted then holds
 * for a multiple of the time that counting took.
 */
export class FileSummaryMemory<T> {
  private readonly kept = new Map<string, Kept<T>>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  async summaryOf(
    { id, revision, status }: Pick<ListedDataset, 'id' | 'revision' | 'status'>,
    count: () => Promise<T>,
  ): Promise<T> {
    const isSettled = status === 'FROZEN' || status === 'FAILED';
    const known = this.kept.get(id);
    const begin = this.now();
    if (
      known?.revision === revision &&
      (isSettled ? known.until === Number.POSITIVE_INFINITY : begin < known.until)
    )
      return known.summary;
    const summary = await count();
    const end = this.now();
    const until = isSettled
      ? Number.POSITIVE_INFINITY
      : end + Math.min(AGE_AT_MOST_MS, (end - begin) / COUNTING_PART);
    this.keep(id, { revision, summary, until });
    return summary;
  }

  /** What was counted longest ago makes place. */
  private keep(id: string, kept: Kept<T>): void {
    this.kept.delete(id);
    this.kept.set(id, kept);
    const oldest = this.kept.size > MAX_DATASETS ? this.kept.keys().next().value : undefined;
    if (oldest !== undefined) this.kept.delete(oldest);
  }
}
