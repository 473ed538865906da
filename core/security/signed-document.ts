import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { deriveKey, type KeyRing } from './key-ring.js';

/** What stands beside the fields that it covers. */
export interface DocumentSignature {
  readonly algorithm: 'Ed25519';
  /** Which of the published keys. */
  readonly key_id: string;
  /** The key itself, base64url; to be compared with the published one. */
  readonly public_key: string;
  /** Over the canonical JSON of the document without its signature, base64url. */
  readonly value: string;
}

export type SignedDocument = Readonly<Record<string, unknown>> & { readonly signature: DocumentSignature };

/** A public key as RFC 8037 writes it. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly kid: string;
  readonly x: string;
}

/** PKCS #8 of an Ed25519 key up to its 32 bytes of seed (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Object keys in the order of their code units, no white space: the same text wherever the document has been stored. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value as Record<string, unknown>).filter(([, each]) => each !== undefined);
  const sorted = fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, each]) => `${JSON.stringify(name)}:${canonicalJson(each)}`).join(',')}}`;
}

export function signDocument(ring: KeyRing, document: Readonly<Record<string, unknown>>): SignedDocument {
  const { id, key } = deriveKey(ring, 'certificate');
  const privateKey = privateKeyOf(key);
  const value = sign(null, Buffer.from(canonicalJson(document)), privateKey).toString('base64url');
  return { ...document, signature: { algorithm: 'Ed25519', key_id: id, public_key: xOf(privateKey), value } };
}

/** The public halves of all keys of the ring, newest first: documents of an older key stay verifiable while it is kept. */
export const publicKeys = (ring: KeyRing): PublicJwk[] =>
  ring.keys.map(({ id }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    kid: id,
    x: xOf(privateKeyOf(deriveKey(ring, 'certificate', id).key)),
  }));

/** @returns why the document is not what one of these keys signed, or null when it is */
export function signatureProblem(
  keys: readonly Pick<PublicJwk, 'kid' | 'x'>[],
  document: unknown,
): string | null {
  const signature = (document as Partial<SignedDocument> | null)?.signature;
  if (
    typeof document !== 'object' ||
    typeof signature?.key_id !== 'string' ||
    typeof signature.value !== 'string'
  )
    return 'It carries no signature.';
  const key = keys.find((candidate) => candidate.kid === signature.key_id);
  if (!key) return 'It was signed with a key that is not known here.';
  const { signature: _signature, ...signed } = document as SignedDocument;
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' });
  return verify(
    null,
    Buffer.from(canonicalJson(signed)),
    publicKey,
    Buffer.from(signature.value, 'base64url'),
  )
    ? null
    : 'The signature does not fit: the document was changed.';
}

const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
const xOf = (privateKey: KeyObject): string =>
  createPublicKey(privateKey).export({ format: 'jwk' }).x as string;
