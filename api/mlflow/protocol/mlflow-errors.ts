import type { Response } from 'express';
import { AlreadyExists, AppError, type ErrorCode } from '../../../core/errors/app-error.js';
import { STATUS_OF } from '../../http/answers/error-middleware.js';

/** The only table from our error codes to those of the MLflow interface. */
const CODE_OF: Readonly<Record<ErrorCode, string>> = {
  bad_request: 'INVALID_PARAMETER_VALUE',
  unauthorized: 'UNAUTHENTICATED',
  forbidden: 'PERMISSION_DENIED',
  not_found: 'RESOURCE_DOES_NOT_EXIST',
  method_not_allowed: 'BAD_REQUEST',
  request_timeout: 'BAD_REQUEST',
  conflict: 'RESOURCE_CONFLICT',
  payload_too_large: 'INVALID_PARAMETER_VALUE',
  unsupported_media_type: 'BAD_REQUEST',
  range_not_satisfiable: 'BAD_REQUEST',
  unprocessable_entity: 'INVALID_PARAMETER_VALUE',
  too_many_requests: 'REQUEST_LIMIT_EXCEEDED',
  internal_error: 'INTERNAL_ERROR',
  bad_gateway: 'INTERNAL_ERROR',
  service_unavailable: 'TEMPORARILY_UNAVAILABLE',
  gateway_timeout: 'TEMPORARILY_UNAVAILABLE',
};

/** Refusals that MLflow has and the platform's own vocabulary has not. */
const OWN_CODES = { RESOURCE_ALREADY_EXISTS: 400, NOT_IMPLEMENTED: 501 } as const;
type OwnCode = keyof typeof OWN_CODES;

export class MlflowError extends AppError {
  constructor(
    readonly mlflowCode: OwnCode,
    message: string,
  ) {
    super('conflict', message);
  }
}

function ownCodeOf(error: AppError): OwnCode | null {
  if (error instanceof MlflowError) return error.mlflowCode;
  return error instanceof AlreadyExists ? 'RESOURCE_ALREADY_EXISTS' : null;
}

/** MLflow knows no 422. */
const statusOf = (error: AppError): number => {
  const own = ownCodeOf(error);
  if (own !== null) return OWN_CODES[own];
  return error.code === 'unprocessable_entity' ? 400 : STATUS_OF[error.code];
};

function codeOf(error: AppError, isRouted: boolean): string {
  const own = ownCodeOf(error);
  if (own !== null) return own;
  return error.code === 'not_found' && !isRouted ? 'ENDPOINT_NOT_FOUND' : CODE_OF[error.code];
}

/** Answers a refusal in the shape that MLflow's clients read. @param isRouted false where no such path is served at all */
export function sendMlflowError(res: Response, error: AppError, isRouted = true): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  for (const [name, value] of Object.entries(error.options.headers ?? {})) res.setHeader(name, value);
  if (error.code === 'unauthorized') res.setHeader('WWW-Authenticate', 'Bearer');
  if (error.options.retryAfterS !== undefined)
    res.setHeader('Retry-After', String(error.options.retryAfterS));
  res.status(statusOf(error)).json({ error_code: codeOf(error, isRouted), message: error.message });
}
