import type { RandomAccess } from '../../../core/ports/archive-reader.js';

/** Bytes in memory as a store gives them, counting what is read. */
export function memorySource(bytes: Buffer): { source: RandomAccess; counted: { bytes: number; reads: number } } {
  const counted = { bytes: 0, reads: 0 };
  return {
    counted,
    source: {
      sizeBytes: bytes.length,
      read: async (start, end) => {
        if (start < 0 || end > bytes.length || start >= end) throw new RangeError(`read outside of the file: ${start} to ${end}`);
        counted.bytes += end - start;
        counted.reads += 1;
        return Buffer.from(bytes.subarray(start, end));
      },
    },
  };
}
