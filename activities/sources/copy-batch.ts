import type { FileType } from '../../models/datasets/file-type.rules.js';
import type { SyncFinding } from '../../models/sources/dataset-sync.types.js';
import type { EntryResult, SyncEntry } from '../../models/sources/sync-entry.repository.js';
import { FileTrouble, givenUp, isOfWholeSource, mayBeAway, troubleOf } from './source-trouble.js';

export interface BatchDeps {
  /** Copies at once. */
  readonly parallel: number;
  readonly copy: (entry: SyncEntry, signal: AbortSignal) => Promise<FileType>;
  /** Asks the source for something small. @throws what the source's port throws */
  readonly probe: (signal: AbortSignal) => Promise<void>;
  /** Files that failed before this batch, since the last one that could be copied. */
  readonly failedBefore: number;
  readonly record: (results: readonly EntryResult[], errors: readonly SyncFinding[], failedInARow: number) => Promise<void>;
  readonly signal: AbortSignal;
  readonly slice: Slice;
}

/** For how long a batch may hold its place. */
export interface Slice {
  /** From then on no further file is begun. */
  readonly beginUntil: number;
  /** Ends what is under way then; null: that may take as long as it takes. */
  readonly cut: AbortSignal | null;
}

/** `stopped`: files were left to a later batch; `cut`: and some in the middle, because their source is slow. */
export type BatchEnd = 'all' | 'stopped' | 'cut';

/** Results are written after so many files or so long: what a crash may cost again. */
const WRITE_EACH = 100;
const WRITE_EVERY_MS = 1000;
/** A source that fails so often in a row has more wrong than a few files. */
const MAX_FAILED_IN_A_ROW = 100;

/**
 * Copies a batch of files, several at once. What is wrong with single files becomes errors of the sync. Whatever ends the
 * batch early, the results so far are written, and a repeat is given the files that have none yet.
 * @throws the source's AppError when it is away as a whole; AppError conflict when it refuses the credentials or nearly everything
 */
export async function copyBatch(deps: BatchDeps, entries: readonly SyncEntry[]): Promise<BatchEnd> {
  const { cut, beginUntil } = deps.slice;
  const stop = new AbortController();
  const signal = AbortSignal.any([deps.signal, stop.signal, ...(cut ? [cut] : [])]);
  const book = new ResultBook(deps);
  let next = 0;
  const run = async () => {
    while (next < entries.length && !signal.aborted && Date.now() < beginUntil) {
      const entry = entries[next++] as SyncEntry;
      try {
        const { mediaType, kind } = await deps.copy(entry, signal);
        await book.add({ position: entry.position, copied: { mediaType, kind } }, null);
      } catch (error) {
        if (signal.aborted) return;
        await judge({ ...deps, signal }, entry, error, book).catch((reason: unknown) => {
          stop.abort();
          throw reason;
        });
      }
    }
  };
  const runs = await Promise.allSettled(Array.from({ length: Math.min(deps.parallel, entries.length) }, run));
  await book.write();
  deps.signal.throwIfAborted();
  const failure = runs.find((each) => each.status === 'rejected');
  if (failure && !cut?.aborted) throw failure.reason;
  return cut?.aborted ? 'cut' : next < entries.length ? 'stopped' : 'all';
}

/** One file's failure is an error of the sync, unless the source is away or refuses everything. */
async function judge(deps: BatchDeps, entry: SyncEntry, error: unknown, book: ResultBook): Promise<void> {
  const trouble = troubleOf(error);
  if (trouble === null) throw error;
  if (isOfWholeSource(error)) throw givenUp(error);
  if (mayBeAway(error)) await deps.probe(deps.signal);
  await book.add({ position: entry.position, copied: null }, trouble.toFinding(entry.path));
  if (book.failedInARow >= MAX_FAILED_IN_A_ROW)
    throw givenUp(new FileTrouble(trouble.code, `${MAX_FAILED_IN_A_ROW} files in a row could not be copied; the last reason: ${trouble.message}`));
}

/** Collects results and writes them now and then. */
class ResultBook {
  failedInARow: number;
  private results: EntryResult[] = [];
  private errors: SyncFinding[] = [];
  private writtenAt = Date.now();
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly deps: Pick<BatchDeps, 'record' | 'failedBefore'>) {
    this.failedInARow = deps.failedBefore;
  }

  async add(result: EntryResult, error: SyncFinding | null): Promise<void> {
    this.failedInARow = error === null ? 0 : this.failedInARow + 1;
    this.results.push(result);
    if (error) this.errors.push(error);
    if (this.results.length >= WRITE_EACH || Date.now() - this.writtenAt >= WRITE_EVERY_MS) await this.write();
  }

  /** One after the other, so that results stand in the order they came. */
  write(): Promise<void> {
    const [results, errors, failedInARow] = [this.results, this.errors, this.failedInARow];
    this.results = [];
    this.errors = [];
    this.writtenAt = Date.now();
    if (results.length > 0) this.writing = this.writing.then(() => this.deps.record(results, errors, failedInARow));
    return this.writing;
  }
}
