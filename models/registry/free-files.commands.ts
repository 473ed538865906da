import { freeObjects } from '../objects/orphaned-object.commands.js';
import { holdTransactionLock } from '../orm/transaction-lock.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { UNREFERENCED_KEYS } from './model-version-file.sql.js';

/**
 * Files whose rows this transaction has removed: their objects go once no run, logged model or version refers to them.
 * Removals of the tenant decide this one after the other, or two that remove the last two rows would each still see the row
 * of the other. The lock is the last thing that a transaction waits for: whoever holds it is about to end.
 */
export async function freeFiles(tx: TenantTransaction, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await holdTransactionLock(tx, `files of models, ${tx.tenantId}`);
  await freeObjects(tx, await tx.rows<{ key: string }>(UNREFERENCED_KEYS, [tx.tenantId, keys]));
}
