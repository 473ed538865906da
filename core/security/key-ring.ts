import { createHmac, hkdfSync } from 'node:crypto';

/** Server secrets, newest first. Everything else (signing, pepper, envelope) is derived from them by HKDF-SHA256. */
export interface KeyRing {
  readonly keys: ReadonlyArray<{ readonly id: string; readonly secret: Buffer }>;
}

export type KeyPurpose = 'jwt' | 'token-pepper' | 'envelope' | 'job-token' | 'certificate';

/**
 * @param text `id:base64[,id:base64...]`, newest first, each secret at least 32 bytes
 * @throws Error naming the entry by position, never its value
 */
export function parseKeyRing(text: string): KeyRing {
  const keys = text.split(',').map((entry, index) => {
    const at = entry.indexOf(':');
    const id = entry.slice(0, at).trim();
    const secret = Buffer.from(entry.slice(at + 1).trim(), 'base64');
    if (at < 1 || !/^[A-Za-z0-9_-]{1,32}$/.test(id))
      throw new Error(`entry ${index + 1} must have the form id:base64`);
    if (secret.length < 32) throw new Error(`entry ${index + 1} must hold at least 32 bytes`);
    if (new Set(secret).size < 8) throw new Error(`entry ${index + 1} is not random`);
    return { id, secret };
  });
  if (new Set(keys.map((key) => key.id)).size !== keys.length)
    throw new Error('two entries have the same id');
  return { keys };
}

/** Identifies a secret without revealing anything of it: a secret is random, so nobody finds it by guessing. */
export const keyFingerprint = (secret: Buffer): string =>
  createHmac('sha256', secret).update('visionops key fingerprint').digest('hex');

/** A 32-byte key for one purpose, from the newest secret or the one with this id. */
export function deriveKey(ring: KeyRing, purpose: KeyPurpose, id?: string): { id: string; key: Buffer } {
  const entry = id === undefined ? ring.keys[0] : ring.keys.find((key) => key.id === id);
  if (!entry) throw new Error(`no server secret with id ${id ?? '(none)'}`);
  return { id: entry.id, key: Buffer.from(hkdfSync('sha256', entry.secret, 'visionops', purpose, 32)) };
}
