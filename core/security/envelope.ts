import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, type KeyRing } from './key-ring.js';

/**
 * AES-256-GCM with a random 96-bit nonce. The place of the value (table|column|tenant|row) is authenticated with it, so
 * that a cipher text copied to another row fails. Wire form: `v1.<key id>.<nonce>.<tag>.<cipher text>`, base64url.
 */
export function seal(ring: KeyRing, place: string, plaintext: string): string {
  const { id, key } = deriveKey(ring, 'envelope');
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
  const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return [
    'v1',
    id,
    nonce.toString('base64url'),
    cipher.getAuthTag().toString('base64url'),
    body.toString('base64url'),
  ].join('.');
}

/** @throws Error when the place, the key or the text does not fit */
export function open(ring: KeyRing, place: string, sealed: string): string {
  const [version, id, nonce, tag, body] = sealed.split('.');
  if (version !== 'v1' || !id || !nonce || !tag || body === undefined) throw new Error('not a sealed value');
  const { key } = deriveKey(ring, 'envelope', id);
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url')).setAAD(
    Buffer.from(place),
  );
  decipher.setAuthTag(Buffer.from(tag, 'base64url'));
  return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString('utf8');
}
