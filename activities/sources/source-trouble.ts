import { AppError } from '../../core/errors/app-error.js';
import { isPassingFailure, sourceFailureOf } from '../../core/ports/remote-source.js';
import type { SyncFinding } from '../../models/sources/sync/dataset-sync.types.js';

/** A file of the source that cannot be taken; the others can. */
export class FileTrouble extends Error {
  override readonly name = 'FileTrouble';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  toFinding(path: string): SyncFinding {
    return { path, code: this.code, message: this.message };
  }
}

/** Whether the source itself may be away, so that it is worth asking it. */
export const mayBeAway = (error: unknown): boolean =>
  isPassingFailure(error) || sourceFailureOf(error)?.reason === 'tls';

/** Whether it may concern the whole source and not the file alone: it does when the list fails as well. */
export const mayBeOfSource = (error: unknown): boolean =>
  mayBeAway(error) || sourceFailureOf(error)?.reason === 'credentials';

/** What the source asks to be left alone for; 0: nothing. */
export const askedWaitMs = (error: unknown): number =>
  error instanceof AppError ? (error.options.retryAfterS ?? 0) * 1000 : 0;

const FIRST_WAIT_MS = 500;
/** Unless the source asks for more. */
const LONGEST_WAIT_MS = 30_000;

/** Pauses grow with the tries. @param tries from 1 on */
export const waitBefore = (tries: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** Math.min(tries - 1, 10), LONGEST_WAIT_MS);

/**
 * A failure of the source about one file, in the words of the sync's errors; null for failures of other
 * parts.
 */
export function troubleOf(error: unknown): FileTrouble | null {
  if (error instanceof FileTrouble) return error;
  const failure = sourceFailureOf(error);
  return failure && new FileTrouble(failure.reason, (error as AppError).message);
}

/**
 * Ends the sync with the source's own reason. Waiting was done already, so it is a refusal to the workflow,
 * which tries failures of the platform's own parts again.
 */
export function givenUp(error: unknown): AppError {
  const failure = sourceFailureOf(error);
  return new AppError(
    'conflict',
    [(error as Error).message, failure?.next_step].filter(Boolean).join(' '),
    failure,
    { cause: error },
  );
}
