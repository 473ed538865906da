import { describe, expect, it } from '@jest/globals';
import { Sha256 } from '../../../web/src/datasets/upload/sha256';

async function expected(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 7919 + length) % 251);

describe('SHA-256 in pieces', () => {
  it.each([0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 1000, 100_003])('agrees on %d bytes', async (length) => {
    const bytes = bytesOf(length);
    expect(new Sha256().update(bytes).hex()).toBe(await expected(bytes));
  });

  it('does not depend on where the pieces end', async () => {
    const bytes = bytesOf(5000);
    const hash = new Sha256();
    for (let at = 0, step = 1; at < bytes.length; at += step, step = (step * 7) % 131)
      hash.update(bytes.subarray(at, at + step));
    expect(hash.hex()).toBe(await expected(bytes));
  });
});
