import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';

export interface FailureReason {
  /** Code of the error vocabulary. */
  readonly code: string;
  /** One line for people. */
  readonly message: string;
}

/** Why an activity failed, in the words of the error it threw; for the row that people read. */
export function reasonOf(error: unknown): FailureReason {
  if (isCancellation(error)) return { code: 'conflict', message: 'It was cancelled.' };
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) return { code: cause.type ?? 'internal_error', message: cause.message };
  return { code: 'internal_error', message: 'It was given up after repeated failures; try again.' };
}
