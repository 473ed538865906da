import { brotliDecompressSync, constants, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { CompressionCodec } from 'hyparquet';
import { decompressLz4, decompressLz4Raw } from 'hyparquet-compressors';
import { UnreadableTable } from '../../core/ports/table-reader.js';
import { unpackSnappyHead } from './snappy-head.js';

/** Codecs that can unpack the beginning alone. */
const CUTTABLE: ReadonlySet<CompressionCodec> = new Set(['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', 'ZSTD']);

export const isCuttable = (codec: CompressionCodec): boolean => CUTTABLE.has(codec);

/**
 * What the bytes of a page unpack to, or as much of it as its beginning holds.
 * @param whole bytes of the whole page, as its header states; no more are made
 * @param most bytes that are wanted; some codecs give more
 */
export function unpack(codec: CompressionCodec, input: Uint8Array, whole: number, most: number): Uint8Array {
  const options = { maxOutputLength: Math.max(1, whole) };
  switch (codec) {
    case 'UNCOMPRESSED':
      return input;
    case 'SNAPPY':
      return unpackSnappyHead(input, Math.min(whole, most));
    case 'GZIP':
      return inflated(input, most, (part) =>
        gunzipSync(part, { ...options, finishFlush: constants.Z_SYNC_FLUSH }),
      );
    case 'BROTLI':
      return inflated(input, most, (part) =>
        brotliDecompressSync(part, { ...options, finishFlush: constants.BROTLI_OPERATION_FLUSH }),
      );
    case 'ZSTD':
      return inflated(input, most, (part) =>
        zstdDecompressSync(part, { ...options, finishFlush: constants.ZSTD_e_continue }),
      );
    case 'LZ4':
      return decompressLz4(input, whole);
    case 'LZ4_RAW':
      return decompressLz4Raw(input, whole);
    case 'LZO':
      break;
  }
  throw new UnreadableTable('its codec is not supported');
}

/** These decoders cannot stop at a given size, so little is put in until enough comes out. */
const FIRST_INPUT = 2048;

function inflated(input: Uint8Array, most: number, inflate: (part: Uint8Array) => Uint8Array): Uint8Array {
  if (input.length === 0) return input;
  for (let length = FIRST_INPUT; ; length *= 4) {
    const output = inflate(input.subarray(0, length));
    if (output.length >= most || length >= input.length) return output;
  }
}
