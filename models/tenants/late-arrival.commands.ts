import { audit } from '../audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../audit/audit.types.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { type Erased, logDeletion } from './deletion.repository.js';
import type { ErasureCounts } from './deletion.types.js';
import { findingsOf } from './erasure-counts.rules.js';

/**
 * Writes down what came for a tenant after its erasure, in the log of the deletion and on the platform's own chain. Before
 * it is removed: whoever is killed in between finds and writes it again, so that nothing goes without a record.
 */
export async function recordLateArrivals(tx: PlatformTransaction, { deletionId, tenantId, tenantCode }: Erased, found: ErasureCounts): Promise<void> {
  await logDeletion(tx, deletionId, null, `Came after the end and is removed: ${findingsOf(found).join(', ')}.`);
  const counts = Object.fromEntries(Object.entries(found).filter(([, count]) => count > 0));
  await audit(tx, null, SYSTEM_ACTOR, {
    action: 'tenant.late_removal',
    target: { kind: 'tenant', id: tenantId, label: tenantCode },
    detail: { deletion_id: deletionId, found: counts },
  });
}
