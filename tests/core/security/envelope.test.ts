import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { open, seal } from '../../../core/security/envelope.js';
import { deriveKey, parseKeyRing } from '../../../core/security/key-ring.js';
import { hashToken, hmacToken, newToken } from '../../../core/security/tokens.js';

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('sealed values', () => {
  const ring = parseKeyRing(entry('k1'));

  it('open to what was sealed, and no two look alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, place) =>
        expect(open(ring, place, seal(ring, place, text))).toBe(text),
      ),
    );
    expect(seal(ring, 'p', 'x')).not.toBe(seal(ring, 'p', 'x'));
  });

  it('do not open in another place, with another key or when touched', () => {
    const sealed = seal(ring, 'source|token|t1|r1', 'secret');
    expect(() => open(ring, 'source|token|t1|r2', sealed)).toThrow();
    expect(() => open(ring, 'source|token|t2|r1', sealed)).toThrow();
    expect(() => open(parseKeyRing(entry('k1')), 'source|token|t1|r1', sealed)).toThrow();
    for (const part of [0, 1, 2, 3, 4]) {
      const parts = sealed.split('.');
      parts[part] = `${parts[part]?.startsWith('A') ? 'B' : 'A'}${parts[part]?.slice(1)}`;
      expect(() => open(ring, 'source|token|t1|r1', parts.join('.'))).toThrow();
    }
    for (const broken of ['', 'v1', 'v1.k1...', 'plain text'])
      expect(() => open(ring, 'p', broken)).toThrow();
  });

  it('are sealed with the newest key and open with an older one as long as it is there', () => {
    const [old, fresh] = [entry('old'), entry('new')];
    const sealed = seal(parseKeyRing(old), 'p', 'x');
    const rotated = parseKeyRing(`${fresh},${old}`);
    expect(open(rotated, 'p', sealed)).toBe('x');
    expect(seal(rotated, 'p', 'x').split('.')[1]).toBe('new');
    expect(() => open(parseKeyRing(fresh), 'p', sealed)).toThrow('no server secret with id old');
  });
});

describe('the key ring', () => {
  it.each([
    ['', 'form id:base64'],
    ['k1', 'form id:base64'],
    [`a b:${randomBytes(32).toString('base64')}`, 'form id:base64'],
    [`k1:${randomBytes(31).toString('base64')}`, 'at least 32 bytes'],
    [`k1:${Buffer.alloc(32, 'a').toString('base64')}`, 'not random'],
    [`${entry('k1')},${entry('k1')}`, 'same id'],
    [`${entry('k1')},`, 'entry 2'],
  ])('refuses %#, naming the entry and never its value', (text, message) => {
    expect(() => parseKeyRing(text)).toThrow(message);
    const value = text.split(':')[1];
    if (value) expect(() => parseKeyRing(text)).not.toThrow(value);
  });

  it('derives a key of its own for each purpose, the same each time', () => {
    const ring = parseKeyRing(entry('k1'));
    const keys = (['jwt', 'token-pepper', 'envelope', 'job-token', 'certificate'] as const).map((purpose) =>
      deriveKey(ring, purpose).key.toString('hex'),
    );
    expect(new Set(keys).size).toBe(5);
    expect(deriveKey(ring, 'jwt').key.toString('hex')).toBe(keys[0]);
  });
});

describe('tokens', () => {
  it('hold 256 bits and are hashed for the table', () => {
    const token = newToken();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(hashToken(token)).toMatch(/^[0-9a-f]{64}$/);
    expect(hmacToken(Buffer.from('a'), token)).not.toBe(hmacToken(Buffer.from('b'), token));
  });
});
