import { isIP, type LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector } from 'undici';
import { FORBIDDEN_NAME } from '../../core/ports/remote-source.js';
import { isAllowedAddress, type OutboundAllowance } from './address-guard.js';
import type { Resolve } from './name-lookups.js';

/** The address, given as such, may not be called. */
class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';
}

/** The name leads to an address that may not be called. The answer is the same as for a name that leads nowhere. */
class ForbiddenName extends Error {
  readonly code = FORBIDDEN_NAME;
}

export interface AgentLimits {
  /** From the name to an open, encrypted connection. */
  readonly connectMs: number;
  /** From the request to the end of the answer's head. */
  readonly headersMs: number;
  /** Between two pieces of a body. */
  readonly idleMs: number;
}

const MAX_HEADER_BYTES = 16 * 1024;
/** To one source, by all syncs of a tenant in a process. */
const CONNECTIONS = 128;
/** They hold nothing but sessions of TLS that may be resumed. */
const MAX_CONNECTORS = 100;

/**
 * Connections to allowed addresses alone. The check stands where the connection is made, so that nothing gets past it: a
 * literal host is judged before, a name by every address it resolves to in the very look-up that is connected to, and the
 * peer once more when the connection is open. Proxies of the environment are not used.
 * @param authorities PEM text of authorities that are trusted beside those of the process
 */
export function createGuardedAgent(
  allowance: OutboundAllowance,
  limits: AgentLimits,
  resolve: Resolve,
  authorities: string | null = null,
): Agent {
  const lookupFor =
    (port: number): LookupFunction =>
    (host, options, callback) =>
      resolve(host, (error, addresses) => {
        const found =
          addresses?.filter(
            (entry) => !options.family || entry.family === options.family || options.all === true,
          ) ?? [];
        const [first] = found;
        if (error || !first)
          return callback(
            error ?? Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' }),
            '',
            0,
          );
        if (found.some((entry) => !isAllowedAddress(allowance, entry.address, host, port)))
          return callback(new ForbiddenName('the name leads to an address that is not allowed'), '', 0);
        if (options.all) return callback(null, found);
        callback(null, first.address, first.family);
      });
  const trust = authorities === null ? {} : { ca: [...getCACertificates('default'), authorities] };
  // The library asks for names without their port, so each port has a connector of its own.
  const connectors = new LRUCache<number, buildConnector.connector>({
    max: MAX_CONNECTORS,
    memoMethod: (port) =>
      buildConnector({
        lookup: lookupFor(port),
        timeout: limits.connectMs,
        allowH2: false,
        ...trust,
      } as buildConnector.BuildOptions),
  });
  return new Agent({
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      const isLiteral = isIP(host) !== 0;
      const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
      if (isLiteral && !isAllowedAddress(allowance, host, null, port))
        return callback(new ForbiddenAddress('the address is not allowed'), null);
      connectors.memo(port)(options, (...result) => {
        const [error, socket] = result;
        if (error) return callback(error, null);
        if (isAllowedAddress(allowance, socket.remoteAddress ?? '', isLiteral ? null : host, port))
          return callback(null, socket);
        socket.destroy();
        callback(
          isLiteral
            ? new ForbiddenAddress('the peer is not allowed')
            : new ForbiddenName('the peer is not allowed'),
          null,
        );
      });
    },
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.idleMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: 10_000,
  });
}
