import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import { messages } from '../notifications/messages.rules.js';
import { notify } from '../notifications/notify.commands.js';
import type { Transaction } from '../orm/transaction.js';
import type { DeletionStepKey } from './deletion-steps.types.js';
import type { Erased, ErasureCounts } from './deletion.types.js';
import { findingsOf } from './erasure-counts.rules.js';
import { TenantDeletionLog } from './tenant-deletion-log.entity.js';

/** @param step null: of the deletion as a whole */
export async function logDeletion(
  tx: Transaction,
  deletionId: string,
  step: DeletionStepKey | null,
  message: string,
): Promise<void> {
  tx.em.create(TenantDeletionLog, { deletionId, step, message: message.slice(0, 2000) });
  await tx.em.flush();
}

/** Notifies the global administrators, in the change's own transaction. */
export const notifyOfDeletion = (
  tx: Transaction,
  { deletionId, tenantId, tenantCode }: Erased,
  state: 'started' | 'done' | 'failed',
  detail: string,
): Promise<void> => {
  const tenant = { id: tenantId, name: tenantCode, code: tenantCode, deletionId };
  return notify(tx, null, messages.tenantDeletion(tenant, state, detail));
};

/**
 * Writes down what came for a tenant after its erasure, in the log of the deletion and on the platform's own
 * chain. Before it is removed: whoever is killed in between finds and writes it again, so that nothing goes
 * without a record.
 */
export async function recordLateArrivals(
  tx: Transaction,
  { deletionId, tenantId, tenantCode }: Erased,
  found: ErasureCounts,
): Promise<void> {
  await logDeletion(
    tx,
    deletionId,
    null,
    `Came after the end and is removed: ${findingsOf(found).join(', ')}.`,
  );
  const counts = Object.fromEntries(Object.entries(found).filter(([, count]) => count > 0));
  await audit(tx, null, SYSTEM_ACTOR, {
    action: 'tenant.late_removal',
    target: { kind: 'tenant', id: tenantId, label: tenantCode },
    detail: { deletion_id: deletionId, found: counts },
  });
}
