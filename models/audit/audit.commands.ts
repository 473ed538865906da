import type { Transaction } from '../orm/transaction.js';
import { insertEntry } from './audit.sql.js';
import type { Actor, AuditRecord } from './audit.types.js';

/**
 * Writes the one audit row of a change in the change's own transaction.
 * @param tenantId null for changes of the platform itself
 */
export const audit = (
  tx: Transaction,
  tenantId: string | null,
  actor: Actor,
  record: AuditRecord,
): Promise<void> => insertEntry(tx, tenantId, actor, record);
