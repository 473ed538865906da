import type { PlatformTransaction } from '../orm/transaction.js';
import { AuditColumns } from './audit-columns.js';
import { type AuditState, BEFORE_ALL, foldTexts, listAuditFacts, listRemovedAudit, readAuditState } from './audit-columns.repository.js';
import type { AuditFilter } from './audit-list.repository.js';

/** More entries are not kept: about 50 MB of columns, and the distinct texts. */
const MAX_ENTRIES = 2_000_000;
/** Entries of one statement: few enough that they are gone before the heap grows for them, and hold up other requests for a moment only. */
const BATCH = 500;

type InPlatform = <T>(work: (tx: PlatformTransaction) => Promise<T>) => Promise<T>;

interface Loaded {
  readonly columns: AuditColumns;
  /** Every entry that this snapshot sees is in the columns, and no other. */
  readonly snapshot: string;
  readonly removals: number;
}

/**
 * The trail in memory, brought up to date by whoever asks it: an answer holds exactly what the database held when it
 * was asked. Not there before it is read in, nor where the trail is too long.
 */
export class AuditMemory {
  private loaded: Loaded | null = null;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly maxEntries = MAX_ENTRIES) {}

  /** @returns null where the answer is the database's to give */
  async find(tx: PlatformTransaction, filter: AuditFilter, offset: number, limit: number): Promise<{ total: number; ids: number[] } | null> {
    if (!this.loaded) return null;
    const folded = await foldTexts(tx, filter.actor, filter.target);
    const columns = await this.upToDate(tx);
    return columns?.find({ filter, ...folded }, offset, limit) ?? null;
  }

  /** Reads the trail in, or what was added since. Not to be called again before it has ended. */
  async follow(inPlatform: InPlatform, signal: AbortSignal): Promise<void> {
    if (this.loaded) await inPlatform((tx) => this.upToDate(tx));
    else this.loaded = await this.load(inPlatform, signal);
  }

  /** One after the other, each with its connection already in hand. */
  private async upToDate(tx: PlatformTransaction): Promise<AuditColumns | null> {
    const done = this.turn.then(async () => {
      const before = this.loaded;
      // After an error half of what was added might be there: all is read again.
      this.loaded = before && (await this.catchUp(tx, before).catch((error: unknown) => this.forget(error)));
      return this.loaded?.columns ?? null;
    });
    this.turn = done.catch(() => undefined);
    return done;
  }

  private forget(error: unknown): never {
    this.loaded = null;
    throw error;
  }

  private async load(inPlatform: InPlatform, signal: AbortSignal): Promise<Loaded | null> {
    const state = await inPlatform(readAuditState);
    if (state.counted > this.maxEntries) return null;
    const columns = new AuditColumns(state.counted + BATCH);
    for (let last = 0; !signal.aborted; ) {
      const entries = await inPlatform((tx) => listAuditFacts(tx, BEFORE_ALL, state.snapshot, last, BATCH));
      columns.add(entries);
      if (entries.length < BATCH) return { columns, ...state };
      last = entries.at(-1)?.id ?? last;
    }
    return null;
  }

  private async catchUp(tx: PlatformTransaction, before: Loaded): Promise<Loaded | null> {
    const state = await readAuditState(tx);
    const gone = await removedBetween(tx, before, state);
    if (!gone || before.columns.length > this.maxEntries) return null;
    const columns = gone.length > 0 ? before.columns.without(new Set(gone)) : before.columns;
    if (state.snapshot === before.snapshot) return { columns, ...state };
    for (let last = 0; ; ) {
      const entries = await listAuditFacts(tx, before.snapshot, state.snapshot, last, BATCH);
      columns.add(entries);
      if (entries.length < BATCH) return { columns, ...state };
      last = entries.at(-1)?.id ?? last;
    }
  }
}

/** @returns null where all must be read again: a restored database begins with smaller transaction ids */
async function removedBetween(tx: PlatformTransaction, before: Loaded, now: AuditState): Promise<number[] | null> {
  if (endOf(now.snapshot) < endOf(before.snapshot) || now.removals < before.removals) return null;
  return now.removals === before.removals ? [] : listRemovedAudit(tx, before.removals, now.removals);
}

const endOf = (snapshot: string): bigint => BigInt(snapshot.split(':')[1] ?? 0);
