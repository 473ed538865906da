import { createHash, createHmac, randomBytes } from 'node:crypto';

/** A fresh 256-bit opaque token, URL-safe. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** What is stored of an opaque token: its SHA-256 (the token itself has full entropy, so no salt is needed). */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Keyed hash of a token, hex; used where a leaked table must not allow offline checks. */
export const hmacToken = (key: Buffer, token: string): string =>
  createHmac('sha256', key).update(token).digest('hex');
