import { holdTransactionLock } from '../../orm/transaction-lock.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { AttemptRef } from '../experiment.types.js';
import { findLogCursor, type LogCursor } from './log.queries.js';

/** A row takes more text until it has this much. */
const ROW_BYTES = 64 * 1024;

const ADD_ROW = `insert into log_chunk
    (experiment_id, attempt, from_byte, to_byte, source_end, text, tenant_id)
  values ($1, $2, $3, $4, $5, $6, $7) -- hot: what a job writes`;

const EXTEND_ROW = `update log_chunk
  set to_byte = $4, source_end = $5, text = text || $6, created_at = now() -- hot: what a job writes
  where experiment_id = $1 and attempt = $2 and from_byte = $3 and tenant_id = $7`;

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
  await holdTransactionLock(tx, `log ${ref.experimentId} ${ref.attempt}`);
  const { stored, open } = await findLogCursor(tx, ref);
  if (stored !== after.stored) return null;
  const bytes = Buffer.byteLength(text);
  const end = [stored + bytes, sourceEnd, text, tx.tenantId];
  if (open > 0 && open + bytes <= ROW_BYTES) {
    await tx.execute(EXTEND_ROW, [ref.experimentId, ref.attempt, stored - open, ...end]);
    return { stored: stored + bytes, source: sourceEnd, open: open + bytes };
  }
  await tx.execute(ADD_ROW, [ref.experimentId, ref.attempt, stored, ...end]);
  return { stored: stored + bytes, source: sourceEnd, open: bytes };
}
