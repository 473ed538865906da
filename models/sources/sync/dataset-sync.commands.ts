import { randomUUID } from 'node:crypto';
import { conflict, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import type { Actor } from '../../audit/audit.types.js';
import { type LockedDataset, lockDataset } from '../../datasets/catalog/dataset-change.commands.js';
import { setActiveSync } from '../../datasets/catalog/dataset-origin.commands.js';
import { dispatch } from '../../outbox/dispatch.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { SyncOrigin } from '../catalog/dataset-link.queries.js';
import { DatasetSource } from '../catalog/external-source.entity.js';
import { DatasetSync } from './dataset-sync.entity.js';
import { findAssemblingUpload } from './dataset-sync.queries.js';
import { assertCancelable, assertDeletable } from './dataset-sync.rules.js';
import type { SyncTrigger } from './dataset-sync.types.js';
import { syncStart, syncWorkflowId } from './dataset-sync-work.types.js';
import { lockSync } from './sync-row.commands.js';

const targetOf = (dataset: { readonly key: string; readonly name: string }) => ({
  kind: 'dataset',
  id: dataset.key,
  label: dataset.name,
});

/**
 * Starts a sync of a locked dataset from its linked source. From here on uploads are refused until it ends.
 * @returns the id of the sync
 * @throws AppError conflict while another one is active, an upload is being assembled or the source is
 *   disabled
 */
export async function startSync(
  tx: TenantTransaction,
  actor: Actor,
  dataset: LockedDataset,
  origin: SyncOrigin,
  trigger: SyncTrigger,
): Promise<string> {
  const id = await writeSync(tx, actor, dataset, origin, trigger);
  await audit(tx, tx.tenantId, actor, {
    action: 'dataset.sync_start',
    target: targetOf(dataset),
    detail: { sync_id: id, source: origin.sourceKey, trigger },
  });
  return id;
}

/** The rows alone: the caller writes the audit row that says why. @throws AppError as startSync does */
export async function writeSync(
  tx: TenantTransaction,
  actor: Actor,
  dataset: LockedDataset,
  origin: SyncOrigin,
  trigger: SyncTrigger,
): Promise<string> {
  const { tenantId, em } = tx;
  if (dataset.activeSyncId !== null) {
    const detail = { sync_id: dataset.activeSyncId };
    throw conflict('A sync of this dataset runs already; wait for its end or cancel it.', detail);
  }
  const { isEnabled, ...source } = origin;
  if (!isEnabled)
    throw conflict('The source of this dataset is disabled; enable it first.', {
      source_id: origin.sourceKey,
    });
  await assertNoAssembly(tx, dataset.id);
  // Whoever changes the link holds the dataset's lock too.
  const link = await em.findOne(DatasetSource, { datasetId: dataset.id });
  if (link) link.lastSyncAt = new Date();
  const id = randomUUID();
  em.create(DatasetSync, {
    ...{ id, tenantId, datasetId: dataset.id, trigger, ...source },
    statusMessage: 'Waiting for a worker.',
    createdBy: actor.id,
    createdByEmail: actor.email,
  });
  await em.flush();
  await setActiveSync(tx, dataset.id, id);
  await dispatch(tx, { kind: 'start', start: syncStart({ tenantId, syncId: id }) });
  return id;
}

/** What an accepted `:complete` promised must not fail because a sync came in between. */
async function assertNoAssembly(tx: TenantTransaction, datasetId: string): Promise<void> {
  const upload = await findAssemblingUpload(tx, datasetId);
  if (upload === null) return;
  const message = 'An upload to this dataset is being assembled; start the sync once it is done.';
  throw conflict(message, { upload_id: upload });
}

/**
 * Writes the wish; the workflow brings it about. Asking again changes nothing.
 * @throws AppError not_found, conflict when the sync has ended
 */
export async function cancelSync(
  tx: TenantTransaction,
  actor: Actor,
  datasetKey: string,
  syncId: string,
): Promise<void> {
  const { dataset, sync } = await requireLocked(tx, datasetKey, syncId);
  assertCancelable(sync.status);
  if (sync.cancelAskedAt) return;
  const now = new Date();
  Object.assign(sync, { cancelAskedAt: now, statusMessage: 'Canceling.', updatedAt: now });
  await tx.em.flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'dataset.sync_cancel',
    target: targetOf(dataset),
    detail: { sync_id: syncId },
  });
  const workflowId = syncWorkflowId({ tenantId: tx.tenantId, syncId });
  await dispatch(tx, { kind: 'cancel', tenantId: tx.tenantId, workflowId });
}

/**
 * Removes a sync that has ended from the history; the files it brought stay.
 * @throws AppError not_found, conflict while it is active
 */
export async function deleteSync(
  tx: TenantTransaction,
  actor: Actor,
  datasetKey: string,
  syncId: string,
): Promise<void> {
  const { dataset, sync } = await requireLocked(tx, datasetKey, syncId);
  assertDeletable(sync.status);
  await tx.em.remove(sync).flush();
  await audit(tx, tx.tenantId, actor, {
    action: 'dataset.sync_delete',
    target: targetOf(dataset),
    detail: { sync_id: syncId },
  });
}

async function requireLocked(
  tx: TenantTransaction,
  datasetKey: string,
  syncId: string,
): Promise<{ dataset: LockedDataset; sync: DatasetSync }> {
  const dataset = await lockDataset(tx, datasetKey);
  const sync = await lockSync(tx, syncId);
  if (!sync || sync.datasetId !== dataset.id) throw notFound('Sync');
  return { dataset, sync };
}
