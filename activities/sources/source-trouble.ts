import { AppError } from '../../core/errors/app-error.js';
import { isPassingFailure, sourceFailureOf } from '../../core/ports/remote-source.js';
import type { SyncFinding } from '../../models/sources/dataset-sync.types.js';

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

/** What concerns the whole source and not a file of it: wrong credentials for certain, the rest when a probe fails too. */
export const isOfWholeSource = (error: unknown): boolean => sourceFailureOf(error)?.reason === 'credentials';

/** Whether the source itself may be away, so that it is worth asking it. */
export const mayBeAway = (error: unknown): boolean => isPassingFailure(error) || sourceFailureOf(error)?.reason === 'tls';

/** A failure of the source about one file, in the words of the sync's errors; null for failures of other parts. */
export function troubleOf(error: unknown): FileTrouble | null {
  if (error instanceof FileTrouble) return error;
  const failure = sourceFailureOf(error);
  return failure && new FileTrouble(failure.reason, (error as AppError).message);
}

/**
 * Ends the sync with the source's own reason. Waiting was done already, so it is a refusal to the workflow, which tries
 * failures of the platform's own parts again.
 */
export function givenUp(error: unknown): AppError {
  const failure = sourceFailureOf(error);
  return new AppError('conflict', [(error as Error).message, failure?.next_step].filter(Boolean).join(' '), failure, { cause: error });
}
