import type { SyncFinding } from '../../models/sources/sync/dataset-sync.types.js';
import type { EntryResult, PutOff, SyncEntry } from '../../models/sources/sync/sync-copy.sql.js';
import type { Beat } from '../support/activity-context.js';
import type { EntryFeed } from './entry-feed.js';
import type { FileCopier } from './file-copier.js';
import {
  askedWaitMs,
  FileTrouble,
  givenUp,
  mayBeAway,
  mayBeOfSource,
  troubleOf,
  waitBefore,
} from './source-trouble.js';
import type { CopyReport, SyncProgress } from './sync-progress.js';

export interface BatchDeps {
  /** Copies at once. */
  readonly parallel: number;
  readonly copier: Pick<FileCopier, 'copy' | 'probe'>;
  readonly progress: Pick<SyncProgress, 'report'>;
  /** Files that failed before this batch, since the last one that could be copied. */
  readonly failedBefore: number;
  /** Whether there is patience left to try files again later that the source cannot give just now. */
  readonly mayPutOff: boolean;
  readonly slice: Slice;
  readonly beat: Pick<Beat, 'signal' | 'progress'>;
}

/** For how long a batch may hold its place. */
export interface Slice {
  /** From then on no further file is begun. */
  readonly beginUntil: number;
  /** Ends what is under way then; null: that may take as long as it takes. */
  readonly cut: AbortSignal | null;
}

/**
 * `stopped`: files were left to a later batch; `cut`: and some in the middle, because their source is slow.
 */
export type BatchEnd = 'all' | 'stopped' | 'cut';

/** Flush limits; a crash repeats at most this much. */
const WRITE_EACH = 250;
const WRITE_EVERY_MS = 1000;
/** Maximum failures in a row: beyond it more is wrong with the source than a few files. */
const MAX_FAILED_IN_A_ROW = 100;
/** Maximum postponed files in a row: beyond it the source is unavailable, whatever its list says. */
const MAX_PUT_OFF_IN_A_ROW = 20;

/**
 * Copies a batch of files, several at once. What is wrong with single files becomes errors of the sync.
 * Whatever ends the batch early, the results so far are written, and a repeat is given the files that have
 * none yet.
 * @throws the source's AppError when it is away or refuses the credentials as a whole; AppError conflict
 *   when it fails in nearly everything
 */
export async function copyBatch(deps: BatchDeps, entries: EntryFeed): Promise<BatchEnd> {
  const { cut, beginUntil } = deps.slice;
  const stop = new AbortController();
  const signal = AbortSignal.any([deps.beat.signal, stop.signal, ...(cut ? [cut] : [])]);
  const writer = new ResultWriter(deps);
  const run = async () => {
    while (!signal.aborted && Date.now() < beginUntil) {
      const entry = await entries.next();
      if (entry === null) return;
      try {
        const { mediaType, kind } = await deps.copier.copy(entry, signal);
        await writer.succeed({ position: entry.position, copied: { mediaType, kind } });
      } catch (error) {
        if (signal.aborted) return;
        await recordFailure(deps, signal, entry, error, writer).catch((reason: unknown) => {
          stop.abort();
          throw reason;
        });
      }
    }
  };
  const runs = await Promise.allSettled(Array.from({ length: deps.parallel }, run));
  await entries.settled();
  await writer.write();
  deps.beat.signal.throwIfAborted();
  const failure = runs.find((each) => each.status === 'rejected');
  if (failure && !cut?.aborted) throw failure.reason;
  return cut?.aborted ? 'cut' : entries.isOver ? 'all' : 'stopped';
}

/**
 * One file's failure is put off or an error of the sync, unless the source as a whole is away or refuses the
 * credentials.
 */
async function recordFailure(
  deps: BatchDeps,
  signal: AbortSignal,
  entry: SyncEntry,
  error: unknown,
  writer: ResultWriter,
): Promise<void> {
  const trouble = troubleOf(error);
  if (trouble === null) throw error;
  if (mayBeOfSource(error)) await deps.copier.probe(signal);
  // Files that come again are the last that are left: each of them is tried, however many fail.
  const isFirstTry = entry.tries === 0;
  if (deps.mayPutOff && mayBeAway(error)) {
    const isAway = await writer.postpone(
      { position: entry.position, forMs: Math.max(askedWaitMs(error), waitBefore(entry.tries + 1)) },
      isFirstTry,
    );
    if (isAway) throw error;
    return;
  }
  await writer.fail({ position: entry.position, copied: null }, trouble.toFinding(entry.path), isFirstTry);
  if (isFirstTry && writer.failedInARow >= MAX_FAILED_IN_A_ROW)
    throw givenUp(
      new FileTrouble(
        trouble.code,
        `${MAX_FAILED_IN_A_ROW} files in a row could not be copied; the last reason: ${trouble.message}`,
      ),
    );
}

/** Collects results and writes them now and then. */
class ResultWriter {
  failedInARow: number;
  private results: EntryResult[] = [];
  private errors: SyncFinding[] = [];
  private putOff: PutOff[] = [];
  private done = 0;
  private writtenAt = Date.now();
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly deps: Pick<BatchDeps, 'progress' | 'beat' | 'failedBefore'>) {
    this.failedInARow = deps.failedBefore;
  }

  succeed(result: EntryResult): Promise<void> {
    this.failedInARow = 0;
    this.results.push(result);
    return this.writeInTime();
  }

  fail(result: EntryResult, error: SyncFinding, counts: boolean): Promise<void> {
    if (counts) this.failedInARow += 1;
    this.results.push(result);
    this.errors.push(error);
    return this.writeInTime();
  }

  /**
   * @returns whether the source is away. They count anew when it was waited for: each round passes as many,
   *   until it gives something
   */
  async postpone(file: PutOff, counts: boolean): Promise<boolean> {
    if (counts) this.failedInARow += 1;
    const isAway = counts && this.failedInARow >= MAX_PUT_OFF_IN_A_ROW;
    if (isAway) this.failedInARow = 0;
    this.putOff.push(file);
    await this.writeInTime();
    return isAway;
  }

  private async writeInTime(): Promise<void> {
    if (
      this.results.length + this.putOff.length >= WRITE_EACH ||
      Date.now() - this.writtenAt >= WRITE_EVERY_MS
    )
      await this.write();
  }

  /** One after the other, so that results stand in the order they came. */
  write(): Promise<void> {
    const { results, errors, putOff, failedInARow } = this;
    this.results = [];
    this.errors = [];
    this.putOff = [];
    this.writtenAt = Date.now();
    if (results.length + putOff.length > 0)
      this.writing = this.writing.then(() => this.report({ results, errors, putOff, failedInARow }));
    return this.writing;
  }

  private async report(results: CopyReport): Promise<void> {
    await this.deps.progress.report(results);
    this.done += results.results.length;
    this.deps.beat.progress({ done: this.done });
  }
}
