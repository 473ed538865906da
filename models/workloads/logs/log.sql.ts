import { holdTransactionLock } from '../../orm/transaction-lock.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { findLogCursor, type LogCursor } from './log.queries.js';
import { LOG_TABLES, type LogRef } from './log-ref.js';

/** A row takes more text until it has this much. */
const ROW_BYTES = 64 * 1024;

function addRow(owner: LogRef['owner']): string {
  const { chunks, id, part } = LOG_TABLES[owner];
  return `insert into ${chunks} (${id}, ${part}, from_byte, to_byte, source_end, text, tenant_id)
    values ($1, $2, $3, $4, $5, $6, $7) -- hot: what a workload writes`;
}

function extendRow(owner: LogRef['owner']): string {
  const { chunks, id, part } = LOG_TABLES[owner];
  return `update ${chunks}
    set to_byte = $4, source_end = $5, text = text || $6, created_at = now() -- hot: what a workload writes
    where ${id} = $1 and ${part} = $2 and from_byte = $3 and tenant_id = $7`;
}

/**
 * Appends text after the byte where the cursor stands.
 * @returns null when somebody else appended there first: read the cursor again
 */
export async function appendLog(
  tx: TenantTransaction,
  ref: LogRef,
  after: LogCursor,
  text: string,
  sourceEnd: number,
): Promise<LogCursor | null> {
  const { owner, ownerId, part } = ref;
  await holdTransactionLock(tx, `log ${ownerId} ${part}`);
  const { stored, open } = await findLogCursor(tx, ref);
  if (stored !== after.stored) return null;
  const bytes = Buffer.byteLength(text);
  const end = [stored + bytes, sourceEnd, text, tx.tenantId];
  if (open !== null && (open === 0 || open + bytes <= ROW_BYTES)) {
    const extended = await tx.execute(extendRow(owner), [ownerId, part, stored - open, ...end]);
    // Its text was removed meanwhile: it begins elsewhere now.
    if (extended === 0) return null;
    return { stored: stored + bytes, source: sourceEnd, open: open + bytes };
  }
  await tx.execute(addRow(owner), [ownerId, part, stored, ...end]);
  return { stored: stored + bytes, source: sourceEnd, open: bytes };
}
