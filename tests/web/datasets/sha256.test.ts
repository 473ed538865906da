import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Sha256 } from '../../../web/src/datasets/upload/sha256';

const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('SHA-256 in pieces', () => {
  it.each([0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 1000, 100_003])('agrees on %d bytes', (length) => {
    const bytes = new Uint8Array(randomBytes(length));
    expect(new Sha256().update(bytes).hex()).toBe(expected(bytes));
  });

  it('does not depend on where the pieces end', () => {
    const bytes = new Uint8Array(randomBytes(5000));
    const hash = new Sha256();
    for (let at = 0, step = 1; at < bytes.length; at += step, step = (step * 7) % 131)
      hash.update(bytes.subarray(at, at + step));
    expect(hash.hex()).toBe(expected(bytes));
  });
});
