import { CancelledFailure, type Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { AppError, type ErrorCode } from '../../core/errors/app-error.js';

/** The only AppError-to-ApplicationFailure table: true where a repeat of the same activity may succeed. */
const RETRYABLE: Readonly<Record<ErrorCode, boolean>> = {
  bad_request: false,
  unauthorized: false,
  forbidden: false,
  not_found: false,
  method_not_allowed: false,
  request_timeout: false,
  conflict: false,
  payload_too_large: false,
  unsupported_media_type: false,
  range_not_satisfiable: false,
  unprocessable_entity: false,
  too_many_requests: true,
  internal_error: true,
  bad_gateway: true,
  service_unavailable: true,
  gateway_timeout: true,
};

/**
 * What Temporal gets to see of an error. The failure's `type` is the error code, so workflows can decide by it; the
 * stack stays in the worker's log.
 */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  // Another party's wish counts. What the platform says of itself is for people: as a delay of Temporal it would take the
  // place of the growing one, and the tries of an hour would be used up within minutes.
  const waitS = error.code === 'service_unavailable' ? undefined : error.options.retryAfterS;
  return ApplicationFailure.create({
    type: error.code,
    message: error.message,
    nonRetryable: !RETRYABLE[error.code],
    details: error.detail === null ? [] : [error.detail],
    ...(RETRYABLE[error.code] && waitS !== undefined ? { nextRetryDelay: waitS * 1000 } : {}),
  });
}

/** Wraps every activity of a worker: maps errors, and reports an abort that cancellation caused as cancelled. */
export class FailureInterceptor {
  constructor(
    private readonly context: Context,
    private readonly report: (activity: string, attempt: number, error: unknown) => void,
  ) {}

  async execute<I, R>(input: I, next: (input: I) => Promise<R>): Promise<R> {
    try {
      return await next(input);
    } catch (error) {
      if (error instanceof CancelledFailure) throw error;
      if (this.context.cancellationSignal.aborted) throw this.context.cancellationSignal.reason;
      this.report(this.context.info.activityType, this.context.info.attempt, error);
      throw toFailure(error);
    }
  }
}
