import type { RequestHandler } from 'express';
import { callerAddress } from '../routing/caller-address.js';

const HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'forwarded'] as const;
const LATELY_MS = 3_600_000;

/** A header of a proxy that came from somebody who is not named as one. */
export interface IgnoredHeader {
  readonly header: string;
  /** Address of the connection. */
  readonly peer: string;
}

/** Keeps what proxies say and nobody believes, for the health page: all people behind them share one address. */
export class ForwardedHeaders {
  private last: (IgnoredHeader & { readonly at: number }) | null = null;

  /** The newest within the last hour, in this process. */
  get seenLately(): IgnoredHeader | null {
    return this.last !== null && Date.now() - this.last.at < LATELY_MS ? this.last : null;
  }

  readonly watch: RequestHandler = (req, _res, next) => {
    const header = HEADERS.find((name) => req.headers[name] !== undefined);
    if (header !== undefined) {
      const isTrusted = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
      if (!isTrusted(req.socket.remoteAddress ?? '', 0))
        this.last = { header, peer: callerAddress(req) ?? 'unknown', at: Date.now() };
    }
    next();
  };
}
