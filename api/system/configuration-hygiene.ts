import { mailEncryption } from '../../core/config/mail-encryption.js';
import type { Settings } from '../../core/config/settings.js';
import {
  type KnownIsolation,
  openTemporal,
  openWorkloads,
} from '../../models/system/trust-boundary.rules.js';
import type { IgnoredHeader } from '../http/guards/forwarded-headers.js';
import { proxyFinding } from './proxy-finding.js';
import type { ConfigurationFindingOut } from './health.schemas.js';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Judges the settings; names of keys only, never a secret.
 * @param isolation what workers report, null while none is alive
 * @param ignored a header of a proxy that is not trusted, if one came lately
 */
export function configurationFindings(
  settings: Settings,
  isolation: KnownIsolation | null,
  ignored: IgnoredHeader | null,
): ConfigurationFindingOut[] {
  return [
    webhook(settings),
    secretKeys(settings),
    transport(settings),
    proxyFinding(settings, ignored),
    sessions(settings),
    trustDomain(isolation),
    temporalAccess(settings, isolation?.ports ?? null),
  ];
}

const ok = (name: string, message: string): ConfigurationFindingOut => ({
  name,
  status: 'ok',
  message,
  hint: null,
});
const warning = (name: string, message: string, hint: string): ConfigurationFindingOut => ({
  name,
  status: 'warning',
  message,
  hint,
});

function webhook({
  SERVICE_WEBHOOK_OPEN: isOpen,
  SERVICE_WEBHOOK_TOKEN: token,
}: Settings): ConfigurationFindingOut {
  if (token !== undefined) return ok('webhook', 'The alert webhook takes its token only.');
  if (isOpen)
    return warning(
      'webhook',
      'The alert webhook is open: anybody who reaches it can raise alerts.',
      'Set SERVICE_WEBHOOK_TOKEN and remove SERVICE_WEBHOOK_OPEN.',
    );
  return warning(
    'webhook',
    'The alert webhook has no token and refuses every alert.',
    'Set SERVICE_WEBHOOK_TOKEN here and in the alert manager.',
  );
}

function secretKeys({ SERVICE_SECRET_KEYS: ring }: Settings): ConfigurationFindingOut {
  const [newest, ...older] = ring.keys.map((key) => key.id);
  const message = `Signs and seals with key ${newest ?? '(none)'}${older.length > 0 ? `; still reads ${older.join(', ')}` : ''}.`;
  return older.length > 2
    ? warning('secret_keys', message, 'Remove keys that nothing is sealed with any more.')
    : ok('secret_keys', message);
}

function transport({ SERVICE_BASE_URL: baseUrl, SMTP_URL: smtpUrl }: Settings): ConfigurationFindingOut {
  const { protocol, hostname } = new URL(baseUrl);
  const areMailsOpen = smtpUrl !== undefined && mailEncryption(smtpUrl) === 'optional';
  if (protocol !== 'https:' && !LOOPBACK.test(hostname))
    return warning(
      'transport',
      `People use ${baseUrl}: passwords and session cookies travel unencrypted.`,
      'Put TLS in front and set SERVICE_BASE_URL to its https address.',
    );
  return areMailsOpen
    ? warning(
        'transport',
        'Mails, which carry tokens that set passwords, may travel to the mail server unencrypted.',
        'Take requireTLS=false (or ignoreTLS) out of SMTP_URL, or use smtps.',
      )
    : ok('transport', `People use ${baseUrl}.`);
}

function sessions({ SERVICE_AUTH_TOKEN_LIFETIME: lifetimeS }: Settings): ConfigurationFindingOut {
  return ok(
    'sessions',
    lifetimeS === 0
      ? 'Sign-ins never expire; they end by signing out or by a change of the password.'
      : `Sign-ins last ${lifetimeS} s.`,
  );
}

function trustDomain(isolation: KnownIsolation | null): ConfigurationFindingOut {
  if (!isolation)
    return warning(
      'trust_domain',
      'No worker is running, so workload isolation is unknown.',
      'Start a worker.',
    );
  const open = openWorkloads(isolation);
  return open === null
    ? ok('trust_domain', isolation.explanation)
    : warning('trust_domain', open.message, open.remedy);
}

function temporalAccess(
  { SERVICE_ORCHESTRATOR: orchestrator, TEMPORAL_ADDRESS: temporalAddress, ...rest }: Settings,
  ports: readonly number[] | null,
): ConfigurationFindingOut {
  const signsIn = rest.SERVICE_TEMPORAL_API_KEY !== undefined || rest.SERVICE_TEMPORAL_TLS_CERT !== undefined;
  const open = openTemporal({ orchestrator, temporalAddress, signsIn, ports });
  if (signsIn) return ok('temporal_access', 'The platform signs in to Temporal.');
  return open === null
    ? ok('temporal_access', `The workloads of tenants cannot reach Temporal at ${temporalAddress}.`)
    : warning('temporal_access', open.message, open.remedy);
}
