import { isIP } from 'node:net';
import type { Request } from 'express';

/**
 * Where a request comes from: the farthest address that trusted proxies name, as Express reads `X-Forwarded-For`. What is
 * no address is somebody's text, and the one before it counts.
 */
export function callerAddress(req: Request): string | null {
  const nearest = req.socket.remoteAddress ?? '';
  // A zone is a name of this machine's interfaces.
  return (
    [...req.ips, nearest]
      .map((address) => address.replace(/%.*$/, ''))
      .find((address) => isIP(address) !== 0) ?? null
  );
}

/** As `callerAddress`; one word stands for all callers without an address. */
export const visitorAddress = (req: Request): string => callerAddress(req) ?? 'unknown';
