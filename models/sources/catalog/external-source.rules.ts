import { conflict, fieldError, unprocessable } from '../../../core/errors/app-error.js';
import { readOutboundUrl } from '../../../core/security/outbound-url.js';

/** What is shown of a token that is set. Sent back, it leaves the token as it is. */
export const MASKED_TOKEN = '********';

/**
 * The root of a source's endpoints as it is stored: without trailing slashes. Whom its name leads to is
 * judged at each call.
 * @throws AppError unprocessable_entity
 */
export function requireBaseUrl(text: string): string {
  const { url, problem } = readOutboundUrl(text.trim());
  if (url === null) throw bad(problem);
  if (url.search !== '' || url.hash !== '')
    throw bad('it has a query or a fragment; give the root of the endpoints alone');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

const bad = (problem: string) =>
  unprocessable([fieldError(['body', 'base_url'], problem)], `This base_url cannot be used: ${problem}.`);

/**
 * A stored token goes to the server it was given for and to no other: who changes the address must know the
 * token.
 * @throws AppError unprocessable_entity
 */
export function assertTokenStays(
  before: { readonly baseUrl: string; readonly hasToken: boolean },
  baseUrl: string,
  givesToken: boolean,
): void {
  if (!before.hasToken || givesToken || new URL(before.baseUrl).origin === new URL(baseUrl).origin) return;
  throw unprocessable([
    fieldError(['body', 'token'], 'give the token again, or null: the new address is another server'),
  ]);
}

/**
 * @throws AppError unprocessable_entity for the asterisks of a read: a new source has no token that they
 *   could leave
 */
export function assertTokenGiven(token: string | null): void {
  if (token === MASKED_TOKEN)
    throw unprocessable([
      fieldError(['body', 'token'], 'these asterisks stand for a token; give the token itself, or null'),
    ]);
}

/** @throws AppError conflict: nothing is read from a source that is switched off */
export function assertEnabled(source: { readonly key: string; readonly enabled: boolean }): void {
  if (!source.enabled) throw conflict('The source is disabled; enable it first.', { source_id: source.key });
}
