import type { TenantTransaction } from '../../orm/transaction.js';
import { Dataset } from './dataset.entity.js';

/** For whoever holds the dataset's lock. @param syncId the sync that holds its files from now on; null: none */
export const setActiveSync = (
  tx: TenantTransaction,
  datasetId: string,
  syncId: string | null,
): Promise<void> => change(tx, datasetId, { activeSyncId: syncId });

/** For whoever holds the dataset's lock. @param sourceKey the id people use for its source; null: it has none */
export const setExternalSource = (
  tx: TenantTransaction,
  datasetId: string,
  sourceKey: string | null,
): Promise<void> => change(tx, datasetId, { externalSource: sourceKey });

/** Reads the row anew: SQL text may have changed it in this transaction. */
async function change(
  tx: TenantTransaction,
  id: string,
  values: Pick<Partial<Dataset>, 'activeSyncId' | 'externalSource'>,
): Promise<void> {
  const dataset = await tx.em.findOneOrFail(Dataset, { id }, { refresh: true });
  Object.assign(dataset, values, { updatedAt: new Date() });
  await tx.em.flush();
}
