import { readOutboundUrl } from '../../core/security/outbound-url.js';
import { sourceFailure } from './source-failures.js';

/** @throws AppError with a SourceFailureDetail */
export function assertCallable(text: string): URL {
  const { url, problem } = readOutboundUrl(text);
  if (url === null)
    throw sourceFailure(
      'address',
      `The address cannot be called: ${problem}.`,
      'Give an address such as https://data.example.org/api as base_url.',
    );
  return url;
}

/** Where a redirect leads; relative ones too, but never from https to http. @throws AppError with a SourceFailureDetail */
export function nextRedirect(from: URL, location: string | string[] | undefined): URL {
  const text = Array.isArray(location) ? location[0] : location;
  if (text === undefined)
    throw sourceFailure(
      'redirect',
      `${from.host} redirects without saying where.`,
      'Correct the source, or give the final address as base_url.',
    );
  const next = target(from, text);
  if (from.protocol === 'https:' && next.protocol !== 'https:')
    throw sourceFailure(
      'redirect',
      `${from.host} redirects from https to http, where anybody on the way could change the answer.`,
      'Let the source redirect to https.',
    );
  return next;
}

function target(from: URL, text: string): URL {
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return assertCallable(text);
  return /^[/\\]{2}/.test(text)
    ? assertCallable(`${from.protocol}${text}`)
    : assertCallable(URL.parse(text, from.href)?.href ?? '');
}
