import type { Actor } from '../../audit/audit.types.js';
import { deleteDataset } from '../../datasets/catalog/delete-dataset.commands.js';
import { lockDataset } from '../../datasets/catalog/dataset-change.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { forgetValidationDataset } from '../../serving/validation-dataset.sql.js';
import { cancelSync } from './dataset-sync.commands.js';
import { changeSync, lockSync } from './sync-row.commands.js';

/**
 * Deletes a dataset, at once where no sync of it runs. One that is being synced goes with `force` alone, and only once
 * nobody writes its objects any more: the wish is kept, the sync is cancelled, and the transaction that ends the sync deletes
 * the dataset.
 * @returns row id of the dataset that goes with the end of its sync; null when it is gone already
 * @throws AppError not_found; conflict naming the sync or the training runs that use it when `force` is false
 */
export async function deleteDatasetAfterSync(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  force: boolean,
): Promise<string | null> {
  const dataset = await lockDataset(tx, key);
  if (dataset.activeSyncId === null || !force) {
    await deleteWithUses(tx, actor, key, force);
    return null;
  }
  await cancelSync(tx, actor, key, dataset.activeSyncId);
  const sync = await lockSync(tx, dataset.activeSyncId);
  const { id, email, fullName, ip } = actor;
  if (sync) await changeSync(tx, sync, { deleteAskedBy: sync.deleteAskedBy ?? { id, email, fullName, ip } });
  return dataset.id;
}

/** Deletes a dataset, and its id where endpoints keep it, which may be given to another one. Takes what `deleteDataset` takes. */
export async function deleteWithUses(...given: Parameters<typeof deleteDataset>): Promise<void> {
  const [tx, , key] = given;
  await deleteDataset(...given);
  await forgetValidationDataset(tx, key);
}
