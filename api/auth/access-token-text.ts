import { deriveKey, type KeyRing } from '../../core/security/key-ring.js';
import { hmacToken, newToken } from '../../core/security/tokens.js';
import type { TokenKind } from '../../models/accounts/tokens/access-token.types.js';

/** A person's token for another interface, or a device's. */
type OpaqueKind = TokenKind | 'device';

/** Prefixes that distinguish the kinds at a glance, for people and for scanners of leaked secrets. */
const PREFIX: Readonly<Record<OpaqueKind, string>> = { tracker: 'votr_', registry: 'vorg_', device: 'voed_' };
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A new token and what is stored of it: a hash under the newest server key. */
export function newAccessToken(
  keys: KeyRing,
  kind: OpaqueKind,
): { token: string; hash: string; keyId: string } {
  const token = PREFIX[kind] + newToken();
  const { id: keyId, key } = deriveKey(keys, 'token-pepper');
  return { token, hash: hmacToken(key, token), keyId };
}

/** The hashes a token can be stored under, one for each server key; empty for a text that is no token of this kind. */
export function accessTokenHashes(keys: KeyRing, kind: OpaqueKind, token: string): string[] {
  if (!token.startsWith(PREFIX[kind]) || !SECRET.test(token.slice(PREFIX[kind].length))) return [];
  return keys.keys.map(({ id }) => hmacToken(deriveKey(keys, 'token-pepper', id).key, token));
}
