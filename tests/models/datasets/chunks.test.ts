import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  expectedChunkBytes,
  checkChunkSize,
  MAX_CHUNKS,
  MIN_CHUNK_BYTES,
  missingChunks,
  planChunks,
  replacedChunks,
} from '../../../models/datasets/uploads/chunk.rules.js';

describe('chunks', () => {
  const sizes = fc.integer({ min: 0, max: 2 ** 42 });
  const asked = fc.option(fc.integer({ min: MIN_CHUNK_BYTES, max: 2 ** 30 }));

  it('cover the file exactly, within 10,000, in the asked size where that is possible', () => {
    fc.assert(
      fc.property(sizes, asked, (sizeBytes, askedBytes) => {
        const plan = planChunks(sizeBytes, askedBytes);
        expect(plan.chunkCount).toBeLessThanOrEqual(MAX_CHUNKS);
        const full = Math.max(0, plan.chunkCount - 1) * plan.chunkBytes;
        if (plan.chunkCount > 0) {
          const last = expectedChunkBytes(plan.chunkCount - 1, { sizeBytes, ...plan });
          expect(last).toBeGreaterThan(0);
          expect(last).toBeLessThanOrEqual(plan.chunkBytes);
          expect(full + last).toBe(sizeBytes);
        } else expect(sizeBytes).toBe(0);
        if (askedBytes !== null && Math.ceil(sizeBytes / askedBytes) <= MAX_CHUNKS)
          expect(plan.chunkBytes).toBe(askedBytes);
      }),
    );
  });

  it('are parts of one upload only where the store takes such parts', () => {
    expect(planChunks(10 * 2 ** 20, 2 ** 20).isMultipart).toBe(false);
    expect(planChunks(100, null).isMultipart).toBe(true);
    expect(planChunks(2 ** 30, null)).toEqual({ chunkBytes: 2 ** 25, chunkCount: 32, isMultipart: true });
    expect(planChunks(0, null)).toEqual({ chunkBytes: 2 ** 25, chunkCount: 0, isMultipart: false });
  });

  it('are replaced where no part of their number has their bytes', () => {
    const chunks = [
      { index: 0, etag: 'a' },
      { index: 1, etag: 'b' },
      { index: 2, etag: 'c' },
    ];
    const part = (partNumber: number, etag: string) => ({ partNumber, etag });
    expect(replacedChunks(chunks, [part(1, 'z'), part(1, 'a'), part(2, 'a'), part(2, 'c')])).toEqual(
      chunks.slice(1),
    );
    expect(replacedChunks(chunks, [part(3, 'c'), part(2, 'b'), part(1, 'a')])).toEqual([]);
  });

  it('are refused by size and index with their own codes', () => {
    const plan = { sizeBytes: 150_000, chunkBytes: 65_536, chunkCount: 3 };
    const code = (index: number, length: number | null) => {
      try {
        return checkChunkSize(index, length, plan);
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect([
      code(0, 65_536),
      code(2, 18_928),
      code(0, 65_537),
      code(0, 10),
      code(3, 1),
      code(0, null),
    ]).toEqual([
      65_536,
      18_928,
      'payload_too_large',
      'unprocessable_entity',
      'unprocessable_entity',
      'unprocessable_entity',
    ]);
  });

  it('missing are those not received, in order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(40)), fc.integer({ min: 0, max: 40 }), (received, count) => {
        const missing = missingChunks(count, received);
        expect(new Set([...missing, ...received.filter((index) => index < count)]).size).toBe(count);
        expect(missing).toEqual([...missing].sort((a, b) => a - b));
      }),
    );
  });
});
