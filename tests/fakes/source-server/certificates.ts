import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate in PEM form with its private key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificatePlan {
  readonly name: string;
  /** Address it is for; default none. */
  readonly address?: readonly number[];
  readonly host?: string;
  readonly isAuthority?: boolean;
  /** Default: signed by itself. */
  readonly issuer?: { readonly name: string; readonly key: string };
  readonly from?: Date;
  readonly until?: Date;
}

const DAY_MS = 86_400_000;

/** A fresh X.509 certificate (RFC 5280) with an ECDSA key, in DER written by hand: neither stored keys nor other programs are needed. */
export function certificate(plan: CertificatePlan): Certificate {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const until = plan.until ?? new Date(Date.now() + DAY_MS);
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.of(2))),
    tagged(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ECDSA_SHA256,
    nameOf(plan.issuer?.name ?? plan.name),
    sequence(time(plan.from ?? new Date(Date.now() - DAY_MS)), time(until)),
    nameOf(plan.name),
    spkiOf(pair.publicKey),
    tagged(0xa3, sequence(...extensionsOf(plan))),
  );
  const signature = sign('sha256', body, plan.issuer?.key ?? key);
  const der = sequence(body, ECDSA_SHA256, tagged(0x03, Buffer.concat([Buffer.of(0), signature])));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return { cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'), key };
}

const spkiOf = (key: KeyObject): Buffer =>
  createPublicKey(key.export({ type: 'spki', format: 'pem' })).export({ type: 'spki', format: 'der' });

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const oid = (...bytes: readonly number[]): Buffer => tagged(0x06, Buffer.from(bytes));
const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const BASIC_CONSTRAINTS = oid(0x55, 0x1d, 0x13);
const ALTERNATIVE_NAMES = oid(0x55, 0x1d, 0x11);

const nameOf = (text: string): Buffer =>
  sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from(text)))));
/** GeneralizedTime, to the second. */
const time = (at: Date): Buffer =>
  tagged(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

function extensionsOf({ isAuthority = false, address, host }: CertificatePlan): Buffer[] {
  const names = [
    ...(address ? [tagged(0x87, Buffer.from(address))] : []),
    ...(host === undefined ? [] : [tagged(0x82, Buffer.from(host))]),
  ];
  return [
    ...(isAuthority
      ? [
          sequence(
            BASIC_CONSTRAINTS,
            tagged(0x01, Buffer.of(0xff)),
            tagged(0x04, sequence(tagged(0x01, Buffer.of(0xff)))),
          ),
        ]
      : []),
    ...(names.length > 0 ? [sequence(ALTERNATIVE_NAMES, tagged(0x04, sequence(...names)))] : []),
  ];
}
