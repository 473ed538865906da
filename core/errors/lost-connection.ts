/**
 * How Node names a server that cannot be reached, or a connection that broke: refused, ended, without an answer, without a
 * way to it, without an address.
 */
export const LOST_CONNECTION_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
] as const;

const LOST = new RegExp(LOST_CONNECTION_CODES.join('|'));

/** By its code or its message, as clients wrap what Node threw. */
export function saysConnectionLost(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: string };
  return LOST.test(`${String(code)} ${message ?? ''}`);
}
