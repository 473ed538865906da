import type { TenantTransaction } from '../../orm/transaction.js';
import { Dataset } from './dataset.entity.js';

/** For whoever holds the dataset's lock. @param syncId the sync that holds its files from now on; null: none */
export async function setActiveSync(
  tx: TenantTransaction,
  datasetId: string,
  syncId: string | null,
): Promise<void> {
  await tx.em.nativeUpdate(Dataset, { id: datasetId }, { activeSyncId: syncId, updatedAt: new Date() });
}

/** For whoever holds the dataset's lock. @param sourceKey the id people use for its source; null: it has none */
export async function setExternalSource(
  tx: TenantTransaction,
  datasetId: string,
  sourceKey: string | null,
): Promise<void> {
  await tx.em.nativeUpdate(Dataset, { id: datasetId }, { externalSource: sourceKey, updatedAt: new Date() });
}
