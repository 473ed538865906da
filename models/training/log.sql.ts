import type { TenantTransaction } from '../orm/transaction.js';
import type { AttemptRef } from './experiment.types.js';
import type { LogCursor } from './log.queries.js';

const APPEND = `insert into log_chunk
    (tenant_id, experiment_id, attempt, from_byte, to_byte, source_end, text)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing -- hot: every 64 KiB that a job writes`;

/**
 * Appends text after the byte where the cursor stands.
 * @returns null when somebody else appended there first: read the cursor again
 */
export async function appendLog(
  tx: TenantTransaction,
  ref: AttemptRef,
  after: LogCursor,
  text: string,
  sourceEnd: number,
): Promise<LogCursor | null> {
  const stored = after.stored + Buffer.byteLength(text);
  const key = [tx.tenantId, ref.experimentId, ref.attempt, after.stored];
  const added = await tx.execute(APPEND, [...key, stored, sourceEnd, text]);
  return added === 1 ? { stored, source: sourceEnd } : null;
}
