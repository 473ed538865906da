import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
} from '@temporalio/workflow';

export interface FailureReason {
  /** Code of the error vocabulary. */
  readonly code: string;
  /** One line for people. */
  readonly message: string;
}

/**
 * Whether the workflow was asked to end. An activity may answer that with a failure of its own, and one whose worker died
 * meanwhile with a timeout. To be asked outside of non-cancellable scopes.
 */
export const isCanceled = (error: unknown): boolean =>
  isCancellation(error) || CancellationScope.current().consideredCancelled;

/** What a workflow throws at last, so that it ends as canceled when it was asked to end. */
export const endingOf = (error: unknown): unknown =>
  isCanceled(error) && !isCancellation(error) ? new CancelledFailure('It was cancelled.') : error;

/** Why an activity failed, in the words of the error it threw; for the row that people read. */
export function reasonOf(error: unknown): FailureReason {
  if (isCanceled(error)) return { code: 'conflict', message: 'It was cancelled.' };
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure)
    return { code: cause.type ?? 'internal_error', message: cause.message };
  return { code: 'internal_error', message: 'It was given up after repeated failures; try again.' };
}
