import { setTimeout as sleep } from 'node:timers/promises';
import { sourceFailureOf } from '../../core/ports/remote-source.js';
import { givenUp, mayBeAway } from './source-trouble.js';

export interface Patience {
  /** For how long a source may stay away without any progress. */
  readonly forMs: number;
  readonly signal: AbortSignal;
  /** Called before each wait with what a person may read. */
  readonly onWait: (message: string) => Promise<void>;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Repeats what reads a source while that is away, with growing pauses.
 * @param work calls `onProgress` whenever the source gave something; then patience begins anew
 * @throws AppError conflict with the source's reason when it stays away or fails in a way that will not pass
 */
export async function waitForSource<T>({ forMs, signal, onWait }: Patience, work: (onProgress: () => void) => Promise<T>): Promise<T> {
  let until = Date.now() + forMs;
  let waitMs = FIRST_WAIT_MS;
  for (;;) {
    try {
      return await work(() => {
        until = Date.now() + forMs;
        waitMs = FIRST_WAIT_MS;
      });
    } catch (error) {
      signal.throwIfAborted();
      if (sourceFailureOf(error) === null) throw error;
      if (!mayBeAway(error) || Date.now() + waitMs > until) throw givenUp(error);
      await onWait((error as Error).message);
      await sleep(waitMs, undefined, { signal });
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }
}
