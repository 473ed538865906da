import { setTimeout as sleep } from 'node:timers/promises';
import type { RandomAccess } from '../../core/ports/archive-reader.js';
import type { TableAsker } from '../../core/ports/table-reader.js';

/** A tenant that stays. */
export const ASKER: TableAsker = { tenantId: 't1', signal: new AbortController().signal };

export interface Counted {
  bytes: number;
  reads: number;
  /** Reads at the same time, at most. */
  atOnce: number;
}

/** Bytes in memory as a store gives them, counting what is read. @param delayMs of each read */
export function memorySource(bytes: Buffer, delayMs = 0): { source: RandomAccess; counted: Counted } {
  const counted: Counted = { bytes: 0, reads: 0, atOnce: 0 };
  let underWay = 0;
  return {
    counted,
    source: {
      sizeBytes: bytes.length,
      read: async (start, end) => {
        if (start < 0 || end > bytes.length || start >= end)
          throw new RangeError(`read outside of the file: ${start} to ${end}`);
        counted.bytes += end - start;
        counted.reads += 1;
        underWay += 1;
        counted.atOnce = Math.max(counted.atOnce, underWay);
        if (delayMs > 0) await sleep(delayMs);
        underWay -= 1;
        return Buffer.from(bytes.subarray(start, end));
      },
    },
  };
}
