import type { SyncEntry } from '../../models/sources/sync/sync-copy.sql.js';
import type { SyncProgress } from './sync-progress.js';

/**
 * Files taken at once: what is taken counts as begun from then on, so no more than a fast sync needs in a
 * moment.
 */
const SLICE = 500;
/** The next entries are taken when this few are left, so that no copy waits for them. */
const LOW = 250;

export interface BatchSize {
  /** Files of the batch. */
  readonly most: number;
  /** False: large files are left. */
  readonly isAnySize: boolean;
}

/** The files of a batch, taken some hundred at a time while others are copied. */
export class EntryFeed {
  private readonly ready: SyncEntry[] = [];
  private last = -1;
  private given = 0;
  private isDry = false;
  private coming: Promise<void> | null = null;

  constructor(
    private readonly progress: Pick<SyncProgress, 'takeFiles'>,
    private readonly wanted: BatchSize,
  ) {}

  /** The batch has as many files as it may have. */
  get isFull(): boolean {
    return this.given + this.ready.length === this.wanted.most;
  }

  /** The last was given, and no more are there. */
  get isOver(): boolean {
    return this.isDry && this.ready.length === 0;
  }

  /** Waits for the next one. @throws what the rows' transaction throws; the next call tries again */
  async hasNext(): Promise<boolean> {
    if (this.ready.length <= LOW) void this.fill();
    while (this.ready.length === 0 && !this.isDry) await this.fill();
    return this.ready.length > 0;
  }

  /** Null when there are no more. */
  async next(): Promise<SyncEntry | null> {
    // Who waited beside others may find that they were faster.
    while (await this.hasNext()) {
      const entry = this.ready.shift();
      if (entry === undefined) continue;
      this.given += 1;
      return entry;
    }
    return null;
  }

  /** Waits for what is being taken. */
  async settled(): Promise<void> {
    await this.coming?.catch(() => undefined);
  }

  private fill(): Promise<void> {
    if (this.isDry || this.coming) return this.coming ?? Promise.resolve();
    const coming = this.takeSlice().finally(() => {
      this.coming = null;
    });
    // Taken ahead of time: whoever needs them tries again.
    coming.catch(() => undefined);
    this.coming = coming;
    return coming;
  }

  private async takeSlice(): Promise<void> {
    const { most, isAnySize } = this.wanted;
    const limit = Math.min(SLICE, most - this.given - this.ready.length);
    const entries = limit > 0 ? await this.progress.takeFiles({ after: this.last, limit, isAnySize }) : [];
    this.last = entries.at(-1)?.position ?? this.last;
    this.ready.push(...entries);
    this.isDry = entries.length < limit || this.isFull;
  }
}
