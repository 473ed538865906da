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
  /** Leaves out what was written before. */
  readonly since?: Date | null;
  readonly signal?: AbortSignal;
}

/** The log of an attempt from its beginning, in pieces of at most some MiB: segments of the store, then rows. */
export async function* readLog(
  { database, objects }: LogSource,
  ref: AttemptRef,
  { since = null, signal }: LogScope = {},
): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const next = await database.inTenant(asTenantId(ref.tenantId), async (tx) => {
      const segment = await findLogSegment(tx, ref, at, since);
      return segment ?? (await readLogRows(tx, ref, at, since));
    });
    if ('objectKey' in next) {
      const start = Math.max(0, at - next.fromByte);
      const range = { start, end: next.toByte - next.fromByte - 1 };
      yield* await objects.get(next.objectKey, { range, ...(signal ? { signal } : {}) });
      at = next.toByte;
    } else {
      const [first, last] = [next.at(0), next.at(-1)];
      if (!first || !last) return;
      yield Buffer.from(next.map((row) => row.text).join('')).subarray(Math.max(0, at - first.fromByte));
      at = last.toByte;
    }
  }
}
