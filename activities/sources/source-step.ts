import { sourceFailureOf } from '../../core/ports/remote-source.js';
import type { TenantId } from '../../core/security/ids.js';
import type { Database } from '../../models/orm/database.js';
import { noteSourceAway } from '../../models/sources/dataset-sync.repository.js';
import type { SourceStep, SyncLane } from '../../models/sources/dataset-sync-work.types.js';
import { askedWaitMs, givenUp, mayBeAway, waitBefore } from './source-trouble.js';

export interface Patience {
  /** For how long a source may give nothing. */
  readonly forMs: number;
  readonly signal: AbortSignal;
  /** Ends the step where it holds its place for too long; null: never. */
  readonly cut: AbortSignal | null;
  /** Keeps that the source is away, and why in words for people. @returns how often that was in a row, and since how many milliseconds */
  readonly onAway: (message: string) => Promise<{ readonly tries: number; readonly awayMs: number }>;
}

/** A place of the quick lane is held for so long at most. */
const QUICK_MS = 15_000;

export const cutOf = (lane: SyncLane): AbortSignal | null => (lane === 'quick' ? AbortSignal.timeout(QUICK_MS) : null);

export const patienceWith = (
  { database, patienceMs }: { readonly database: Database; readonly patienceMs: number },
  tenantId: TenantId,
  syncId: string,
  signal: AbortSignal,
  cut: AbortSignal | null,
): Patience => ({
  forMs: patienceMs,
  signal,
  cut,
  onAway: (message) => database.inTenant(tenantId, (tx) => noteSourceAway(tx, syncId, `${message} Trying again.`)),
});

/**
 * Reads a source once. One that is away is a result and not an error: its workflow waits, with growing pauses, and nothing of a worker is
 * held meanwhile.
 * @throws AppError conflict with the source's reason when it stays away or fails in a way that will not pass
 */
export async function readOnce<T>({ forMs, signal, cut, onAway }: Patience, work: () => Promise<T | 'long'>): Promise<SourceStep<T>> {
  try {
    const result = await work();
    return result === 'long' ? { is: 'long' } : { is: 'done', result };
  } catch (error) {
    signal.throwIfAborted();
    if (cut?.aborted) return { is: 'long' };
    if (sourceFailureOf(error) === null) throw error;
    if (!mayBeAway(error)) throw givenUp(error);
    const { tries, awayMs } = await onAway((error as Error).message);
    // What the source asks for is given as far as patience goes: the last try comes at its end.
    const waitMs = Math.max(Math.min(askedWaitMs(error), forMs - awayMs), waitBefore(tries));
    if (awayMs + waitMs > forMs) throw givenUp(error);
    return { is: 'away', forMs: waitMs };
  }
}
