import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { RandomAccess } from '../../core/ports/archive-reader.js';
import type { ObjectStore } from '../../core/ports/object-store.js';
import { SNIFF_BYTES } from '../../formats/files/file-type.js';

/**
 * Holds no byte twice: they are put where they belong as they come.
 * @param maxBytes reserved at once; usually the size
 * @throws RangeError beyond `maxBytes`: the caller promised an upper bound
 */
export async function readAll(stream: Readable, maxBytes: number): Promise<Buffer> {
  let bytes: Buffer | null = null;
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    if (size + piece.length > maxBytes) throw new RangeError('more bytes than promised');
    if (piece.length === maxBytes) bytes = piece;
    else {
      bytes ??= Buffer.allocUnsafeSlow(maxBytes);
      piece.copy(bytes, size);
    }
    size += piece.length;
  }
  return bytes === null ? Buffer.alloc(0) : bytes.subarray(0, size);
}

/** An object of the store as bytes that can be read from any place. */
export const objectReader = (
  objects: ObjectStore,
  key: string,
  sizeBytes: number,
  signal?: AbortSignal,
): RandomAccess => ({
  sizeBytes,
  // A store knows no empty range.
  read: async (start, end) =>
    end <= start
      ? Buffer.alloc(0)
      : readAll(
          await objects.get(key, { range: { start, end: end - 1 }, ...(signal ? { signal } : {}) }),
          end - start,
        ),
});

export interface ObjectDigest {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** The first bytes, enough to recognise the file by. */
  readonly head: Buffer;
}

/** Reads an object once, keeping only its hash and head. */
export async function digestObject(
  objects: ObjectStore,
  key: string,
  signal: AbortSignal,
): Promise<ObjectDigest> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let size = 0;
  for await (const piece of (await objects.get(key, { signal })) as AsyncIterable<Buffer>) {
    hash.update(piece);
    if (size < SNIFF_BYTES) head.push(piece.subarray(0, SNIFF_BYTES - size));
    size += piece.length;
  }
  return { sha256: hash.digest('hex'), sizeBytes: size, head: Buffer.concat(head) };
}

export async function readHead(
  objects: ObjectStore,
  key: string,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  if (sizeBytes === 0) return Buffer.alloc(0);
  const end = Math.min(sizeBytes, SNIFF_BYTES) - 1;
  return readAll(await objects.get(key, { range: { start: 0, end }, signal }), end + 1);
}
