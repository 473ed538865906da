import { randomUUID } from 'node:crypto';
import { ValidateError } from '@tsoa/runtime';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { MulterError } from 'multer';
import { AppError, badRequest, type ErrorCode, unprocessable } from '../../../core/errors/app-error.js';
import type { Logger } from '../../../core/logging/logger.js';
import { boundedError } from './bounded-findings.js';
import { plainDetail } from './plain-detail.js';
import { fieldErrors } from './validation-fields.js';

/** The only table from error code to HTTP status. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  unprocessable_entity: 422,
  too_many_requests: 429,
  internal_error: 500,
  bad_gateway: 502,
  service_unavailable: 503,
  gateway_timeout: 504,
};

export interface ErrorHooks {
  readonly logger: Logger;
  /** Called for refused calls of signed-in people, which are answered afterwards; writes the audit row and never fails: `denied` without the right, `failed` where a rule stands against it. */
  readonly onRefused: (req: Request, errorId: string, outcome: 'denied' | 'failed') => Promise<void>;
}

export function errorMiddleware(hooks: ErrorHooks): ErrorRequestHandler {
  return async (thrown: unknown, req, res, _next) => {
    const errorId = randomUUID();
    const error = toAppError(thrown, req);
    const status = STATUS_OF[error.code];
    const record = {
      error_id: errorId,
      request_id: req.context?.requestId,
      code: error.code,
      status,
      method: req.method,
      route: req.context?.route,
    };
    if (isOverload(thrown)) hooks.logger.warn(record, error.message);
    else if (status >= 500) hooks.logger.error({ ...record, err: thrown }, error.message);
    else hooks.logger.info(record, error.message);
    const outcome = refusalOf(req, status, thrown);
    if (outcome !== null && req.context?.principal) await hooks.onRefused(req, errorId, outcome);
    send(res, status, { error, errorId, detail: error.detail ?? plainDetail(req, error.code) });
  };
}

/** Refused for want of room: nothing failed, and in a flood the stack would cost more than the rest of the answer. */
const isOverload = (thrown: unknown): boolean =>
  thrown instanceof AppError && thrown.code === 'service_unavailable' && thrown.cause === undefined;

/**
 * Null for answers that are no refusal to be kept: what is malformed or unknown changes nothing, and reads are not audited.
 * A 422 is one where a rule stands against a well-formed request, such as a wrong code of confirmation.
 */
function refusalOf(req: Request, status: number, thrown: unknown): 'denied' | 'failed' | null {
  if (status === 403) return 'denied';
  const isByRule = status === 400 || status === 409 || (status === 422 && thrown instanceof AppError);
  return isByRule && req.context?.isPrivileged && req.method !== 'GET' ? 'failed' : null;
}

/** What was said of a body that never came is not true of the error; a cache would keep it under the file's tag. */
const OF_THE_BODY = [
  'ETag',
  'Last-Modified',
  'Cache-Control',
  'Accept-Ranges',
  'Content-Range',
  'Content-Type',
  'Content-Disposition',
  'Content-Length',
] as const;

function send(
  res: Response,
  status: number,
  { error, errorId, detail }: { error: AppError; errorId: string; detail: unknown },
): void {
  if (res.headersSent) {
    // Bytes are on their way: the only honest signal left is a cut connection.
    res.destroy();
    return;
  }
  for (const name of OF_THE_BODY) res.removeHeader(name);
  for (const [name, value] of Object.entries(error.options.headers ?? {})) res.setHeader(name, value);
  const { retryAfterS } = error.options;
  if (retryAfterS !== undefined)
    res.setHeader('Retry-After', String(isOfDevice(res.req) ? spread(retryAfterS) : retryAfterS));
  if (error.code === 'unauthorized') res.setHeader('WWW-Authenticate', 'Bearer');
  res.status(status).json({ error_id: errorId, code: error.code, message: error.message, detail });
}

const isOfDevice = (req: Request): boolean => req.headers['x-edge-token'] !== undefined;

/** A fleet that was refused together does not come back together. @returns whole seconds, at most twice as many */
const spread = (seconds: number): number => seconds + Math.floor(Math.random() * (seconds + 1));

/** Anything that was thrown, in the error vocabulary and of a size that may be answered; unknown failures are masked. */
export const toAppError = (thrown: unknown, req: Request): AppError => boundedError(known(thrown, req));

function known(thrown: unknown, req: Request): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof ValidateError) return unprocessable(fieldErrors(thrown.fields, req));
  if (thrown instanceof MulterError) return fromMulter(thrown);
  const parsing = bodyParserError(thrown);
  if (parsing) return parsing;
  if (thrown instanceof Error && req.destroyed && CUT_MULTIPART.test(thrown.message))
    return badRequest('The connection was closed before the whole body came; send it again.');
  if (thrown instanceof Error && BROKEN_MULTIPART.test(thrown.message))
    return unprocessable(
      [{ loc: ['body'], msg: 'is not well-formed multipart/form-data', type: 'value_error' }],
      'The multipart body is broken; send it again.',
    );
  return new AppError(
    'internal_error',
    'Something went wrong on our side. The error_id finds it in the server log.',
    null,
    { cause: thrown },
  );
}

function fromMulter(error: MulterError): AppError {
  if (error.code === 'LIMIT_FILE_SIZE')
    return new AppError('payload_too_large', 'The file is too large for this call; use an upload session.');
  return unprocessable(
    [{ loc: ['body', error.field ?? 'file'], msg: error.message, type: 'value_error' }],
    'Send multipart/form-data with exactly one field named file.',
  );
}

function bodyParserError(thrown: unknown): AppError | null {
  const type = (thrown as { type?: unknown } | null)?.type;
  if (type === 'entity.too.large')
    return new AppError('payload_too_large', 'The request body is larger than this call takes.');
  if (type === 'entity.parse.failed' || type === 'request.aborted' || type === 'request.size.invalid')
    return unprocessable(
      [{ loc: ['body'], msg: 'is not valid JSON', type: 'json_invalid' }],
      'The request body is not valid JSON.',
    );
  if (type === 'charset.unsupported' || type === 'encoding.unsupported')
    return new AppError('unsupported_media_type', 'Send the body as UTF-8 without this content encoding.');
  if (type === 'parameters.too.many' || type === 'querystring.parse.rangeError')
    return new AppError('bad_request', 'The form holds too many parameters.');
  // A broken compressed body: the parser reports it with a status and no type.
  if ((thrown as { status?: unknown } | null)?.status === 400 && thrown instanceof Error)
    return new AppError(
      'bad_request',
      'The request body is not compressed as Content-Encoding says, or is cut off.',
      null,
      { cause: thrown },
    );
  return null;
}

/** What the form parser throws, without a class of its own, when its client leaves. */
const CUT_MULTIPART = /^(Request (aborted|closed|error)|aborted)$/;

/** What the multipart reader throws, without a class of its own, for a body that is not well-formed. */
const BROKEN_MULTIPART =
  /^(Multipart: Boundary not found|Malformed (part|content)|Unexpected end of |Unsupported content type)/;
