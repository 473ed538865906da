import { text } from '../text';

/** One finding about one field of a request that was not valid (422). */
export interface FieldFinding {
  readonly field: string;
  readonly message: string;
}

/** A refusal of the platform, or its absence. */
export class ApiError extends Error {
  constructor(
    /** HTTP status; 0 when no answer came. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly errorId: string | null,
    readonly findings: readonly FieldFinding[] = [],
    readonly detail: unknown = null,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  static of(response: Response, error: unknown): ApiError {
    const given = isRecord(error) ? error : {};
    const message = typeof given.message === 'string' ? given.message : text.errors.answered(response.status);
    return new ApiError(
      response.status,
      typeof given.code === 'string' ? given.code : `http_${response.status}`,
      message,
      typeof given.error_id === 'string' ? given.error_id : response.headers.get('x-request-id'),
      findingsOf(given.detail),
      given.detail,
    );
  }
}

export const unreachable = (error: unknown): ApiError =>
  new ApiError(0, 'unreachable', text.errors.unreachable, null, [], String(error));

export const isSessionEnd = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** Worth another try without anybody's help: the server was away or asked to come back. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === 0 || error.status === 429 || error.status === 502 || error.status === 503);

function findingsOf(detail: unknown): FieldFinding[] {
  if (!Array.isArray(detail)) return [];
  return detail.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry.msg !== 'string') return [];
    const place = Array.isArray(entry.loc) ? entry.loc.slice(1).join('.') : '';
    return [{ field: place, message: entry.msg }];
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
