import type { TenantTransaction } from '../../orm/transaction.js';
import { EdgeSnapshot } from './edge-snapshot.entity.js';

/** Which revision of its policy a device says it follows. @param device number of the device */
export async function reportAppliedRevision(
  tx: TenantTransaction,
  device: number,
  appliedRevision: number,
): Promise<void> {
  const snapshot = await tx.em.findOne(EdgeSnapshot, { device });
  if (!snapshot) return;
  snapshot.appliedRevision = appliedRevision;
  await tx.em.flush();
}
