import { conflict } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { dispatchAll } from '../../outbox/dispatch.js';
import { allowLongStatements } from '../../orm/long-statements.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { Dataset } from './dataset.entity.js';
import { type LockedDataset, lockDataset } from './dataset-change.commands.js';
import { freeUploadsOf } from '../uploads/upload-removal.sql.js';
import { freeFilesOf } from './delete-dataset.sql.js';
import { type DatasetUsers, findUsersOfDataset, usersOut } from './dataset-usage.queries.js';
import { uploadWorkflowId, validationWorkflowId } from './dataset-work.types.js';
import { lockVersions, removeUnusedVersions } from './unused-versions.sql.js';

const target = (dataset: { key: string; name: string }) => ({
  kind: 'dataset',
  id: dataset.key,
  label: dataset.name,
});

/**
 * Removes the dataset, its files and its upload sessions. What people ask for goes through `deleteDatasetAfterSync`, which ends
 * a sync first; what other domains keep of its id goes with `deleteWithUses`. Objects go once the transaction is durable, except
 * those that held versions contain: they go with the last hold. The audit row says how many bytes go now and how many later.
 * @param ended the sync that was cancelled for it, with the bytes that it had stored and that go too
 * @throws AppError not_found; conflict while a sync runs, and naming the users when it is in use and `force` is false
 */
export async function deleteDataset(
  tx: TenantTransaction,
  actor: Actor,
  key: string,
  force: boolean,
  ended: { readonly id: string; readonly bytes: number } | null = null,
): Promise<void> {
  const dataset = await lockDataset(tx, key);
  if (dataset.activeSyncId !== null)
    throw conflict(
      'A sync of this dataset runs; cancel it first, or delete the dataset with force=true, which cancels it.',
      { sync_id: dataset.activeSyncId },
    );
  await allowLongStatements(tx);
  await usersOf(tx, dataset, force);
  await lockSessions(tx, dataset.id);
  await cancelWork(tx, dataset);
  const files = await freeFilesOf(tx, dataset.id, dataset.revision + 1);
  const uploads = await freeUploadsOf(tx, dataset.id);
  await tx.em.nativeDelete(Dataset, { id: dataset.id });
  const versions = await lockVersions(tx, dataset.id);
  // Endpoints that were given it meanwhile kept its row (`keepDataset`), runs a version: both were waited for, no more can come.
  const users = await usersOf(tx, dataset, force);
  await removeUnusedVersions(tx, versions);
  const freed = {
    freed_bytes: files.freed + uploads.bytes + (ended?.bytes ?? 0),
    held_bytes: files.held,
    canceled_uploads: uploads.sessions,
    canceled_sync: ended?.id ?? null,
  };
  await audit(tx, tx.tenantId, actor, {
    action: 'dataset.delete',
    target: target(dataset),
    detail: { files: dataset.fileCount, ...freed, force, ...usersOut(users) },
  });
}

/** @throws AppError conflict naming them, unless `force` */
async function usersOf(tx: TenantTransaction, dataset: LockedDataset, force: boolean): Promise<DatasetUsers> {
  const users = await findUsersOfDataset(tx, dataset);
  if (users.total > 0 && !force)
    throw conflict(
      'The dataset is used by training runs or endpoints; delete it with force=true to do it all the same.',
      usersOut(users),
    );
  return users;
}

const sessions = (tx: TenantTransaction, datasetId: string) =>
  tx.kysely
    .selectFrom('dataset_upload')
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('datasetId', '=', datasetId);

/** Chunks are acknowledged under their session's lock alone: the statements after this one see all that ever will be. */
async function lockSessions(tx: TenantTransaction, datasetId: string): Promise<void> {
  await sessions(tx, datasetId)
    .where('state', 'in', ['open', 'assembling'])
    .orderBy('id')
    .forUpdate()
    .execute();
}

async function cancelWork(tx: TenantTransaction, dataset: LockedDataset): Promise<void> {
  const ids: string[] = [];
  if (dataset.validationActive)
    ids.push(
      validationWorkflowId({
        tenantId: tx.tenantId,
        datasetId: dataset.id,
        attempt: dataset.validationAttempt,
      }),
    );
  const uploads = await sessions(tx, dataset.id).where('state', '=', 'assembling').execute();
  for (const upload of uploads) ids.push(uploadWorkflowId({ tenantId: tx.tenantId, uploadId: upload.id }));
  await dispatchAll(
    tx,
    ids.map((workflowId) => ({ kind: 'cancel', tenantId: tx.tenantId, workflowId })),
  );
}
