import { AppError, type ErrorCode } from '../../../core/errors/app-error.js';
import type { SourceFailure, SourceFailureDetail } from '../../../core/ports/remote-source.js';

const CODE_OF: Readonly<Partial<Record<SourceFailure, ErrorCode>>> = { address: 'conflict', timeout: 'gateway_timeout', platform: 'service_unavailable' };

export function sourceFailure(reason: SourceFailure, message: string, nextStep: string, options: { cause?: unknown; retryAfterS?: number } = {}): AppError {
  const detail: SourceFailureDetail = { reason, next_step: nextStep };
  return new AppError(CODE_OF[reason] ?? 'bad_gateway', message, detail, options);
}

const BUSY_RETRY_S = 5;
const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT', 'ESOCKETTIMEDOUT']);
const NO_WAY = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL']);
const NO_NAME = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME']);
const COMPRESSION = /^(Z_|ERR_BUFFER|ERR_ZLIB)/;
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

/**
 * What went wrong on the way, in plain words. Errors of the vocabulary pass unchanged.
 * @param host what was called; part of the tenant's own settings or of a redirect, never a resolved address
 */
export function translateSourceError(error: unknown, host: string): unknown {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const because = (reason: SourceFailure, message: string, nextStep: string) => sourceFailure(reason, message, nextStep, { cause: error });
  if (code === 'FORBIDDEN_ADDRESS') return forbiddenAddress(host, error);
  if (code === 'LOOK_UPS_BUSY')
    return sourceFailure('platform', `The platform is busy resolving names of sources: ${host} was not asked.`, 'Try again in a moment; nothing is said against the source.', {
      cause: error,
      retryAfterS: BUSY_RETRY_S,
    });
  if (NO_NAME.has(code)) return because('name', `The name ${host} cannot be resolved.`, 'Check the spelling of base_url and that the name is known to the DNS of the platform.');
  if (code === 'ECONNREFUSED') return because('refused', `${host} refuses the connection: nothing listens on that port.`, 'Check the port in base_url and that the source runs.');
  if (TIMEOUTS.has(code) || (error as Error | null)?.name === 'TimeoutError')
    return because('timeout', `${host} did not answer in time.`, 'Check that the source is up and not blocked by a firewall, then try again.');
  if (TLS.test(code))
    return because(
      'tls',
      `No secure connection to ${host}: ${tlsProblem(code)}.`,
      'Mend the certificate of the source, or ask the administrator to trust its authority by SERVICE_OUTBOUND_CA.',
    );
  if (NO_WAY.has(code)) return because('connection', `There is no way to ${host} from here.`, 'Check the network between the platform and the source.');
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW')
    return because('limit', `${host} answers with a head of more than 16 KiB.`, 'Let the source send fewer or shorter headers.');
  // The parser's code is missing for what is not HTTP from its first byte.
  if (code.startsWith('HPE_') || (error as Error | null)?.name === 'HTTPParserError')
    return because('shape', `${host} does not speak HTTP on that port.`, 'Check scheme and port of base_url (https or http).');
  if (COMPRESSION.test(code)) return because('shape', `The compressed answer of ${host} is damaged.`, 'Let the source send its answers without compression, or mend it.');
  return because('connection', `The connection to ${host} broke in the middle.`, 'Try again; if it stays so, look into the log of the source.');
}

export const forbiddenAddress = (host: string, cause?: unknown): AppError =>
  sourceFailure(
    'address',
    `${host} is not an address the platform may call: only public addresses are, and those the administrator allows.`,
    'Use a public address, or ask the administrator to add the network or name, with this port or without any, to SERVICE_OUTBOUND_ALLOW.',
    { cause },
  );

/** The first code that says more than that a socket ended. */
function codeOf(error: unknown): string {
  let current = error as NodeJS.ErrnoException | null | undefined;
  for (let depth = 0; current && depth < 4; depth += 1) {
    if (typeof current.code === 'string' && current.code !== 'UND_ERR_SOCKET') return current.code;
    current = current.cause as NodeJS.ErrnoException | null | undefined;
  }
  return '';
}

function tlsProblem(code: string): string {
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another name';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet';
  if (code === 'DEPTH_ZERO_SELF_SIGNED_CERT') return 'its certificate is signed by itself';
  if (/SELF_SIGNED|UNABLE_TO/.test(code)) return 'its certificate comes from an authority that is not trusted';
  return code === 'EPROTO' || code.startsWith('ERR_SSL') ? 'the port does not speak TLS, or none of our versions' : 'its certificate is not valid';
}
