import type { Settings } from '../../core/config/settings.js';
import { trustedProxies } from '../../core/config/trusted-proxies.js';
import type { IgnoredHeader } from '../http/guards/forwarded-headers.js';
import type { ConfigurationFindingOut } from './health.schemas.js';

const SHARED =
  'everybody behind a proxy counts as the address of the proxy and shares its limits on sign-ins and mails.';

/**
 * Whether the proxies in front are named. The API speaks no TLS itself, so an https address has one in front.
 * @param seen a header of a proxy that was ignored lately
 */
export function proxyFinding(
  settings: Pick<Settings, 'SERVICE_BASE_URL' | 'SERVICE_TRUST_PROXY'>,
  seen: IgnoredHeader | null,
): ConfigurationFindingOut {
  const trusted = trustedProxies(settings.SERVICE_TRUST_PROXY);
  const warning = (message: string, hint: string): ConfigurationFindingOut => ({
    name: 'proxies',
    status: 'warning',
    message: `${message}: ${SHARED}`,
    hint,
  });
  if (seen !== null)
    return warning(
      `Requests from ${seen.peer} came with ${seen.header}, which is ignored`,
      `If ${seen.peer} is a proxy of yours, name it in SERVICE_TRUST_PROXY; if not, a caller made the header up.`,
    );
  if (trusted.length === 0 && settings.SERVICE_BASE_URL.startsWith('https:'))
    return warning(
      'SERVICE_BASE_URL is https, so a proxy stands in front, and SERVICE_TRUST_PROXY names none',
      'Name the addresses or networks of your proxies in SERVICE_TRUST_PROXY.',
    );
  const message =
    trusted.length === 0 ? 'No proxy is trusted, and none was seen.' : `Trusts ${trusted.join(', ')}.`;
  return { name: 'proxies', status: 'ok', message, hint: null };
}
