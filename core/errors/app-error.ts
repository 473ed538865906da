/**
 * The one error vocabulary of the platform. Whoever refuses something throws an AppError with one of
 * these codes; only the HTTP error middleware and the Temporal failure table translate codes further.
 */
export const ERROR_CODES = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'conflict',
  'payload_too_large',
  'unsupported_media_type',
  'range_not_satisfiable',
  'unprocessable_entity',
  'too_many_requests',
  'internal_error',
  'bad_gateway',
  'service_unavailable',
  'gateway_timeout',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One entry of a 422 answer, in the shape of FastAPI's HTTPValidationError. */
export interface FieldError {
  readonly loc: ReadonlyArray<string | number>;
  readonly msg: string;
  readonly type: string;
}

/** Maximum findings; beyond it a request is refused without looking further. */
export const MAX_FIELD_ERRORS = 100;

export interface AppErrorOptions {
  readonly cause?: unknown;
  /** Seconds after which a repeat may succeed; sent as Retry-After. */
  readonly retryAfterS?: number;
  /** Response headers that belong to the refusal, such as Allow. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class AppError extends Error {
  override readonly name = 'AppError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly detail: unknown = null,
    readonly options: AppErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}

export const badRequest = (message: string, detail: unknown = null) =>
  new AppError('bad_request', message, detail);
export const unauthorized = (
  message = 'Sign in first: no session or token was sent, or it has expired or was ended.',
) => new AppError('unauthorized', message);
export const forbidden = (message: string, detail: unknown = null) =>
  new AppError('forbidden', message, detail);
/** The message names the kind only, so that a foreign and a random id answer alike. */
export const notFound = (what: string) => new AppError('not_found', `${what} not found.`);
export const conflict = (message: string, detail: unknown = null) =>
  new AppError('conflict', message, detail);
/** A conflict of names: protocols that have a code of their own for it recognise it by its class. */
export class AlreadyExists extends AppError {
  constructor(message: string) {
    super('conflict', message);
  }
}
export const unavailable = (message: string, cause?: unknown, retryAfterS = 5) =>
  new AppError('service_unavailable', message, null, { cause, retryAfterS });

/** @param fields offending inputs, each with its place such as `['body', 'name']` */
export function unprocessable(fields: readonly FieldError[], message?: string): AppError {
  const first = fields[0];
  const text = message ?? (first ? `${first.loc.join('.')}: ${first.msg}` : 'The request is not valid.');
  return new AppError('unprocessable_entity', text, fields);
}

export const fieldError = (
  loc: ReadonlyArray<string | number>,
  msg: string,
  type = 'value_error',
): FieldError => ({
  loc,
  msg,
  type,
});
