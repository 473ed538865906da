import { deriveKey, type KeyRing } from '../../core/security/key-ring.js';
import { hmacToken, newToken } from '../../core/security/tokens.js';
import type { TokenKind } from '../../models/accounts/tokens/access-token.types.js';

/** What tells the kinds apart at a glance, for people and for scanners of leaked secrets. */
const PREFIX: Readonly<Record<TokenKind, string>> = { tracker: 'votr_', registry: 'vorg_' };
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A new token and what is stored of it: a hash under the newest server key. */
export function newAccessToken(keys: KeyRing, kind: TokenKind): { token: string; hash: string } {
  const token = PREFIX[kind] + newToken();
  return { token, hash: hmacToken(deriveKey(keys, 'token-pepper').key, token) };
}

/** The hashes a token can be stored under, one for each server key; empty for a text that is no token of this kind. */
export function accessTokenHashes(keys: KeyRing, kind: TokenKind, token: string): string[] {
  if (!token.startsWith(PREFIX[kind]) || !SECRET.test(token.slice(PREFIX[kind].length))) return [];
  return keys.keys.map(({ id }) => hmacToken(deriveKey(keys, 'token-pepper', id).key, token));
}
