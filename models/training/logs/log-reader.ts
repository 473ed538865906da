import type { ObjectStore } from '../../../core/ports/object-store.js';
import { asTenantId } from '../../../core/security/ids.js';
import type { Database } from '../../orm/in-tenant.js';
import type { AttemptRef } from '../experiment.types.js';
import { findLogSegment, readLogRows } from './log.queries.js';

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

/** The log of an attempt, in pieces of at most some MiB: segments of the store, then rows. */
export async function* readLog(
  { database, objects }: LogSource,
  ref: AttemptRef,
  { from = 0, to = Number.POSITIVE_INFINITY, signal }: LogScope = {},
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const next = await database.inTenant(asTenantId(ref.tenantId), async (tx) => {
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
