import type { Actor } from '../audit/audit.types.js';
import { deleteDataset } from '../datasets/dataset.commands.js';
import { lockDataset } from '../datasets/dataset-change.commands.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { cancelSync } from './dataset-sync.commands.js';

/**
 * Deletes a dataset. One that is being synced goes with `force` alone, and only once nobody writes its objects any more: the wish is kept, the
 * sync is cancelled, and the transaction that ends the sync deletes the dataset.
 * @returns row id of the dataset that goes with the end of its sync; null when it is gone already
 * @throws AppError not_found; conflict naming the sync or the training runs that use it when `force` is false
 */
export async function removeDataset(tx: TenantTransaction, actor: Actor, key: string, force: boolean): Promise<string | null> {
  const dataset = await lockDataset(tx, key);
  if (dataset.active_sync_id === null || !force) {
    await deleteDataset(tx, actor, key, force);
    return null;
  }
  await cancelSync(tx, actor, key, dataset.active_sync_id);
  await tx.execute('update dataset_sync set delete_asked_by = coalesce(delete_asked_by, $3) where tenant_id = $1 and id = $2', [
    tx.tenantId,
    dataset.active_sync_id,
    JSON.stringify({ id: actor.id, email: actor.email, fullName: actor.fullName, ip: actor.ip } satisfies Actor),
  ]);
  return dataset.id;
}
