import { badRequest } from '../../core/errors/app-error.js';

/** Where a list goes on, as a text that clients hand back unread. */
export const pageToken = (offset: number): string =>
  Buffer.from(JSON.stringify({ offset })).toString('base64url');

/** @throws AppError bad_request for a token that is none of ours */
export function pageOffset(token: string): number {
  if (token === '') return 0;
  try {
    const { offset } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { offset?: unknown };
    if (Number.isSafeInteger(offset) && (offset as number) >= 0) return offset as number;
  } catch {
    // Said below.
  }
  throw badRequest('Invalid page token: give the next_page_token of the answer before.');
}

/** One page of what was read with one more than the page holds. */
export function cutPage<T>(
  rows: readonly T[],
  offset: number,
  limit: number,
): { readonly items: T[]; readonly nextPageToken: string | null } {
  return {
    items: rows.slice(0, limit),
    nextPageToken: rows.length > limit ? pageToken(offset + limit) : null,
  };
}
