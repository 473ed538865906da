import { Readable } from 'node:stream';
import type { ObjectStore } from '../../../core/ports/object-store.js';
import type { Database } from '../../orm/in-tenant.js';
import { inTenantOf, type LogRef } from './log-ref.js';
import { findLogSegment, type LogBounds, readLogRows } from './log.queries.js';

export interface LogSource {
  readonly database: Database;
  readonly objects: ObjectStore;
}

export interface LogScope {
  /** The bytes `[from, to)` alone. */
  readonly from?: number;
  readonly to?: number;
  readonly signal?: AbortSignal;
}

/** A log, in pieces of at most some MiB: segments of the store, then rows. */
export async function* readLog(
  { database, objects }: LogSource,
  ref: LogRef,
  { from = 0, to = Number.POSITIVE_INFINITY, signal }: LogScope = {},
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const next = await inTenantOf(database, ref, async (tx) => {
      const segment = await findLogSegment(tx, ref, at);
      return segment ?? (await readLogRows(tx, ref, at));
    });
    if ('objectKey' in next) {
      if (next.fromByte >= to) return;
      const start = Math.max(0, at - next.fromByte);
      const range = { start, end: Math.min(next.toByte, to) - next.fromByte - 1 };
      yield* await objects.get(next.objectKey, { range, ...(signal ? { signal } : {}) });
      at = next.toByte;
    } else {
      const [first, last] = [next.at(0), next.at(-1)];
      if (!first || !last) return;
      if (first.fromByte >= to) return;
      const text = Buffer.from(next.map((row) => row.text).join(''));
      yield text.subarray(Math.max(0, at - first.fromByte), to - first.fromByte);
      at = last.toByte;
    }
  }
}

/**
 * The bytes of a log between two bounds, which are there now; of a range, its bytes from the first bound on.
 * The stream fails where some went meanwhile: nobody may take that for the end.
 */
export function openLog(
  source: LogSource,
  ref: LogRef,
  { from, to }: LogBounds,
  range: { readonly start: number; readonly end: number } | null,
  signal?: AbortSignal,
): Readable {
  const part = range ? { from: from + range.start, to: from + range.end + 1 } : { from, to };
  const pieces = readLog(source, ref, { ...part, ...(signal ? { signal } : {}) });
  return Readable.from(whole(pieces, part), { objectMode: false });
}

async function* whole(pieces: AsyncIterable<Buffer>, { from, to }: LogBounds): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const piece of pieces) {
    sent += piece.length;
    yield piece;
  }
  if (sent !== to - from) throw new Error(`${sent} of ${to - from} bytes of the log are there`);
}
