import { AppError, badRequest, notFound, unavailable } from '../../core/errors/app-error.js';
import { LOST_CONNECTION_CODES } from '../../core/errors/lost-connection.js';

/** Errors of the whole store, such as a fresh one. Files may still exist, so none is reported as missing. */
export const NO_BUCKET = 'NoSuchBucket';
const MISSING = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);
const RETRYABLE_CODES = new Set<string>([
  ...['SlowDown', 'InternalError', 'ServiceUnavailable', 'RequestTimeout', 'OperationAborted', NO_BUCKET],
  ...LOST_CONNECTION_CODES,
  ...['UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);
/** What the client throws, without a code, once its own repeats of a 5xx, 408 or 429 are used up. */
const REPEATS_USED_UP = /Retryable HTTP status/;

/** A refusal by status alone; bodies of the store's answers never reach people. */
export class StoreStatusError extends Error {
  override readonly name = 'StoreStatusError';
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`object store answered ${status}${code ? ` ${code}` : ''}`);
  }
}

interface Coded {
  readonly code?: unknown;
  readonly name?: string;
  readonly message?: string;
  readonly cause?: unknown;
}

export function isMissing(error: unknown): boolean {
  return (
    (error instanceof StoreStatusError && error.status === 404 && error.code !== NO_BUCKET) ||
    MISSING.has(String((error as Coded).code))
  );
}

/** True when a repeat of the same request may succeed: connection trouble and the store's own 5xx. */
export function isTransient(error: unknown): boolean {
  if (error instanceof StoreStatusError)
    return error.status >= 500 || error.status === 429 || error.status === 408 || error.code === NO_BUCKET;
  const { name, message = '' } = error as Coded;
  return (
    codesOf(error).some((code) => RETRYABLE_CODES.has(code)) ||
    name === 'TimeoutError' ||
    REPEATS_USED_UP.test(message)
  );
}

/** Its own code and those of its causes: the client wraps what its provider of credentials throws. */
function codesOf(error: unknown): string[] {
  const { code, cause } = error as Coded;
  return [String(code), ...(cause ? codesOf(cause) : [])];
}

/** The only place that turns what the store or the transport throws into the error vocabulary. */
export function translateStoreError(error: unknown): unknown {
  if (error instanceof AppError || error instanceof TypeError) return error;
  // The client wraps what its provider of credentials throws.
  if ((error as Error).cause instanceof AppError) return (error as Error).cause;
  if (isMissing(error)) return new AppError('not_found', notFound('Object').message, null, { cause: error });
  if (error instanceof StoreStatusError && error.status === 416)
    return new AppError('range_not_satisfiable', 'The asked range lies outside the object.', null, {
      cause: error,
    });
  if ((error as Coded).code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH')
    return badRequest('The body has another size than was announced; send it again with its true size.');
  if (isTransient(error))
    return unavailable('The object store cannot be reached right now; try again shortly.', error);
  return error;
}

/** Runs `work`; what it throws is thrown in the error vocabulary. */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateStoreError(error);
  }
}
