import { sourceFailureOf } from '../../core/ports/remote-source.js';
import type { SourceStep, SyncLane } from '../../models/sources/sync/dataset-sync-work.types.js';
import { askedWaitMs, givenUp, mayBeAway, waitBefore } from './source-trouble.js';
import type { SyncProgress } from './sync-progress.js';

export interface Patience {
  /** For how long a source may give nothing. */
  readonly forMs: number;
  readonly signal: AbortSignal;
  /** Ends the step where it holds its place for too long; null: never. */
  readonly cut: AbortSignal | null;
  readonly progress: Pick<SyncProgress, 'sourceAway'>;
}

/** Maximum time that work holds a place of the quick lane. */
const QUICK_MS = 15_000;

export const cutOf = (lane: SyncLane): AbortSignal | null =>
  lane === 'quick' ? AbortSignal.timeout(QUICK_MS) : null;

/**
 * What follows a reading of the source that failed. A source that is away is a result and not an error: its
 * workflow waits, with growing pauses, and nothing of a worker is held meanwhile.
 * @throws the error when it is of another part; AppError conflict with the source's reason when it stays
 *   away or fails in a way that will not pass
 */
export async function stepAfter(
  error: unknown,
  { forMs, signal, cut, progress }: Patience,
): Promise<Exclude<SourceStep<never>, { is: 'done' }>> {
  signal.throwIfAborted();
  if (cut?.aborted) return { is: 'long' };
  if (sourceFailureOf(error) === null) throw error;
  if (!mayBeAway(error)) throw givenUp(error);
  const { tries, awayMs } = await progress.sourceAway((error as Error).message);
  // What the source asks for is given as far as patience goes: the last try comes at its end.
  const waitMs = Math.max(Math.min(askedWaitMs(error), forMs - awayMs), waitBefore(tries));
  if (awayMs + waitMs > forMs) throw givenUp(error);
  return { is: 'away', forMs: waitMs };
}
