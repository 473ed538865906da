import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseKeyRing } from '../../../core/security/key-ring.js';
import {
  canonicalJson,
  publicKeys,
  signatureProblem,
  signDocument,
} from '../../../core/security/signed-document.js';

const secret = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const document = { b: [1, { z: null, a: 'x' }], a: { y: 1.5, x: true } };

describe('a signed document', () => {
  it('is valid with the published key, in whatever order its fields are stored', () => {
    const ring = parseKeyRing(secret('k1'));
    const { signature, ...signed } = signDocument(ring, document);
    expect(
      signatureProblem(publicKeys(ring), {
        signature,
        ...Object.fromEntries(Object.entries(signed).reverse()),
      }),
    ).toBeNull();
    expect(signature.public_key).toBe(publicKeys(ring)[0]?.x);
  });

  it('is not valid once anything of it was changed, added or taken out', () => {
    const ring = parseKeyRing(secret('k1'));
    const signed = signDocument(ring, document);
    const { a: _a, ...less } = signed as unknown as Record<string, unknown>;
    for (const changed of [
      { ...signed, a: { y: 1.5, x: false } },
      { ...signed, c: 1 },
      less,
      { ...signed, signature: { ...signed.signature, value: signed.signature.value.slice(2) } },
    ])
      expect(signatureProblem(publicKeys(ring), changed)).toMatch('was changed');
    for (const none of [null, 1, [], {}, { signature: {} }, { signature: 'x' }])
      expect(signatureProblem(publicKeys(ring), none)).toMatch('carries no signature');
  });

  it('stays valid while its key is kept behind a newer one, and only then', () => {
    const [old, fresh] = [secret('old'), secret('new')];
    const signed = signDocument(parseKeyRing(old), document);
    expect(signatureProblem(publicKeys(parseKeyRing(`${fresh},${old}`)), signed)).toBeNull();
    expect(signatureProblem(publicKeys(parseKeyRing(fresh)), signed)).toMatch('not known here');
    expect(signatureProblem(publicKeys(parseKeyRing(secret('old'))), signed)).toMatch('was changed');
  });

  it('publishes no part of the secret', () => {
    const text = secret('k1');
    const published = JSON.stringify(publicKeys(parseKeyRing(text)));
    expect(published).not.toContain('"d"');
    expect(published).not.toContain(Buffer.from(text.slice(3), 'base64').toString('base64url'));
  });

  it('has one canonical form', () => {
    expect(canonicalJson(document)).toBe('{"a":{"x":true,"y":1.5},"b":[1,{"a":"x","z":null}]}');
    expect(canonicalJson({ a: undefined, b: 'ü' })).toBe('{"b":"ü"}');
  });
});
