import { AppError, type ErrorCode } from '../../core/errors/app-error.js';
import {
  FORBIDDEN_NAME,
  type SourceFailure,
  type SourceFailureDetail,
} from '../../core/ports/remote-source.js';

const CODE_OF: Readonly<Partial<Record<SourceFailure, ErrorCode>>> = {
  address: 'conflict',
  timeout: 'gateway_timeout',
  platform: 'service_unavailable',
};

export function sourceFailure(
  reason: SourceFailure,
  message: string,
  nextStep: string,
  options: { cause?: unknown; retryAfterS?: number } = {},
): AppError {
  const detail: SourceFailureDetail = { reason, next_step: nextStep };
  return new AppError(CODE_OF[reason] ?? 'bad_gateway', message, detail, options);
}

const BUSY_RETRY_S = 5;
const MAX_RETRY_AFTER_S = 3600;
const TIMEOUTS = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
  'ESOCKETTIMEDOUT',
]);
const NO_WAY = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL']);
/** One answer for them all: names of networks that are closed to tenants must look like names that do not exist. */
const NO_NAME = new Set([FORBIDDEN_NAME, 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME']);
const COMPRESSION = /^(Z_|ERR_BUFFER|ERR_ZLIB)/;
const TLS =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

/**
 * What went wrong on the way, in plain words. Errors of the vocabulary pass unchanged.
 * @param host what was called; part of the tenant's own settings or of a redirect, never a resolved address
 */
export function translateSourceError(error: unknown, host: string): unknown {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const because = (reason: SourceFailure, message: string, nextStep: string) =>
    sourceFailure(reason, message, nextStep, { cause: error });
  if (code === 'FORBIDDEN_ADDRESS') return forbiddenAddress(host, error);
  if (code === 'LOOK_UPS_BUSY')
    return sourceFailure(
      'platform',
      `The platform is busy resolving names of sources: ${host} was not asked.`,
      'Try again in a moment; nothing is said against the source.',
      {
        cause: error,
        retryAfterS: BUSY_RETRY_S,
      },
    );
  if (NO_NAME.has(code))
    return because(
      'name',
      `The name ${host} cannot be called: the DNS of the platform does not know it, or it leads to an address the platform may not call.`,
      'Check the spelling of base_url, or ask the administrator to add the name, with this port or without any, to SERVICE_OUTBOUND_ALLOW.',
    );
  const name = (error as Error | null)?.name;
  // The parser's code is missing for what is not HTTP from its first byte.
  const byName = name === 'TimeoutError' ? 'ETIMEDOUT' : name === 'HTTPParserError' ? 'HPE_' : '';
  const known = FAILURES.find(({ codes }) => codes(code)) ?? FAILURES.find(({ codes }) => codes(byName));
  const { reason, message, nextStep } = known ?? BROKEN;
  return because(reason, message(host, code), nextStep);
}

interface KnownFailure {
  readonly reason: SourceFailure;
  readonly codes: (code: string) => boolean;
  readonly message: (host: string, code: string) => string;
  readonly nextStep: string;
}

/** The first that fits. */
const FAILURES: readonly KnownFailure[] = [
  {
    reason: 'refused',
    codes: (code) => code === 'ECONNREFUSED',
    message: (host) => `${host} refuses the connection: nothing listens on that port.`,
    nextStep: 'Check the port in base_url and that the source runs.',
  },
  {
    reason: 'timeout',
    codes: (code) => TIMEOUTS.has(code),
    message: (host) => `${host} did not answer in time.`,
    nextStep: 'Check that the source is up and not blocked by a firewall, then try again.',
  },
  {
    reason: 'tls',
    codes: (code) => TLS.test(code),
    message: (host, code) => `No secure connection to ${host}: ${tlsProblem(code)}.`,
    nextStep:
      'Replace the certificate of the source, or ask the administrator to trust its authority by SERVICE_OUTBOUND_CA.',
  },
  {
    reason: 'connection',
    codes: (code) => NO_WAY.has(code),
    message: (host) => `There is no way to ${host} from here.`,
    nextStep: 'Check the network between the platform and the source.',
  },
  {
    reason: 'limit',
    codes: (code) => code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW',
    message: (host) => `${host} answers with a head of more than 16 KiB.`,
    nextStep: 'Let the source send fewer or shorter headers.',
  },
  {
    reason: 'shape',
    codes: (code) => code.startsWith('HPE_'),
    message: (host) => `${host} does not speak HTTP on that port.`,
    nextStep: 'Check scheme and port of base_url (https or http).',
  },
  {
    reason: 'shape',
    codes: (code) => COMPRESSION.test(code),
    message: (host) => `The compressed answer of ${host} is damaged.`,
    nextStep: 'Let the source send its answers without compression, or correct it.',
  },
];

const BROKEN: KnownFailure = {
  reason: 'connection',
  codes: () => true,
  message: (host) => `The connection to ${host} broke in the middle.`,
  nextStep: 'Try again; if it stays so, look into the log of the source.',
};

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
  if (/SELF_SIGNED|UNABLE_TO/.test(code))
    return 'its certificate comes from an authority that is not trusted';
  return code === 'EPROTO' || code.startsWith('ERR_SSL')
    ? 'the port does not speak TLS, or none of our versions'
    : 'its certificate is not valid';
}

/** An object store answers so for one signed address that leads to nothing: that says nothing of the source's own token. */
export const refusedElsewhere = (status: number, host: string): Error =>
  sourceFailure(
    'redirect',
    `The source redirects to ${host}, which refuses the call (status ${status}).`,
    'Let the source redirect to addresses that can be read without its token, and see that what they lead to is there.',
  );

/** What an answer means that is neither the file nor a redirect. */
export function statusFailure(
  status: number,
  host: string,
  retryAfter: string | string[] | undefined,
  hadToken: boolean,
): Error {
  if (status === 401 || status === 403) {
    const what = hadToken ? 'refuses the token' : 'asks for a token, and none was sent';
    return sourceFailure(
      'credentials',
      `${host} ${what} (status ${status}).`,
      'Set a token of the source that may read its datasets.',
    );
  }
  if (status === 404 || status === 410)
    return sourceFailure(
      'missing',
      `${host} does not have what was asked for (status ${status}).`,
      'Check base_url and the id of the remote dataset.',
    );
  if (status === 429 || status >= 500) {
    const retryAfterS = retryAfterOf(retryAfter);
    const message =
      status === 429
        ? `${host} is asked too often (status 429).`
        : `${host} failed by its own account (status ${status}).`;
    return sourceFailure(
      'busy',
      message,
      'Try again later; if it stays so, look into the log of the source.',
      retryAfterS === null ? {} : { retryAfterS },
    );
  }
  return sourceFailure(
    'shape',
    `${host} answers with status ${status}, which is none of the agreed ones.`,
    'Check that base_url is the root of the three endpoints of a source.',
  );
}

/** Seconds, or a date (RFC 9110, 10.2.3); null for anything else. */
function retryAfterOf(value: string | string[] | undefined): number | null {
  const text = Array.isArray(value) ? value[0] : value;
  if (text === undefined || text.length > 64) return null;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_S) : null;
}
