import { conflict, notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import type { Actor } from '../audit/audit.types.js';
import { type LockedDataset, lockDataset } from '../datasets/dataset-change.commands.js';
import { dispatch } from '../orm/dispatch.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { assertCancelable, assertDeletable } from './dataset-sync.rules.js';
import { lockSync, type SyncRow } from './dataset-sync.repository.js';
import type { SyncTrigger } from './dataset-sync.types.js';
import { syncStart, syncWorkflowId } from './dataset-sync-work.types.js';

/** Where a dataset's files come from. */
export interface SyncOrigin {
  readonly sourceId: string;
  /** The id people use for the source. */
  readonly sourceKey: string;
  readonly sourceName: string;
  readonly isEnabled: boolean;
  readonly remoteDatasetId: string;
}

const targetOf = (dataset: { readonly key: string; readonly name: string }) => ({ kind: 'dataset', id: dataset.key, label: dataset.name });

/**
 * Starts a sync of a locked dataset from its linked source. From here on uploads are refused until it ends.
 * @returns the id of the sync
 * @throws AppError conflict while another one is active, an upload is being assembled or the source is disabled
 */
export async function startSync(tx: TenantTransaction, actor: Actor, dataset: LockedDataset, origin: SyncOrigin, trigger: SyncTrigger): Promise<string> {
  const id = await writeSync(tx, actor, dataset, origin, trigger);
  await audit(tx, tx.tenantId, actor, { action: 'dataset.sync_start', target: targetOf(dataset), detail: { sync_id: id, source: origin.sourceKey, trigger } });
  return id;
}

/** The rows alone: the caller writes the audit row that tells why. @throws AppError as startSync does */
export async function writeSync(tx: TenantTransaction, actor: Actor, dataset: LockedDataset, origin: SyncOrigin, trigger: SyncTrigger): Promise<string> {
  if (dataset.active_sync_id !== null) throw conflict('A sync of this dataset runs already; wait for its end or cancel it.', { sync_id: dataset.active_sync_id });
  if (!origin.isEnabled) throw conflict('The source of this dataset is disabled; enable it first.', { source_id: origin.sourceKey });
  await assertNoAssembly(tx, dataset.id);
  const [row] = await tx.query<{ id: string }>(
    `insert into dataset_sync (tenant_id, dataset_id, source_id, source_key, source_name, remote_dataset_id, trigger, status_message, created_by, created_by_email)
     values ($1, $2, $3, $4, $5, $6, $7, 'Waiting for a worker.', $8, $9) returning id`,
    [tx.tenantId, dataset.id, origin.sourceId, origin.sourceKey, origin.sourceName, origin.remoteDatasetId, trigger, actor.id, actor.email],
  );
  const { id } = row as { id: string };
  await tx.execute('update dataset set active_sync_id = $3, updated_at = now() where tenant_id = $1 and id = $2', [tx.tenantId, dataset.id, id]);
  await tx.execute('update dataset_source set last_sync_at = now() where tenant_id = $1 and dataset_id = $2', [tx.tenantId, dataset.id]);
  await dispatch(tx, { kind: 'start', start: syncStart({ tenantId: tx.tenantId, syncId: id }) });
  return id;
}

/** What an accepted `:complete` promised must not fail because a sync came in between. */
async function assertNoAssembly(tx: TenantTransaction, datasetId: string): Promise<void> {
  const [upload] = await tx.query<{ id: string }>("select id from dataset_upload where tenant_id = $1 and dataset_id = $2 and state = 'assembling' limit 1", [
    tx.tenantId,
    datasetId,
  ]);
  if (upload) throw conflict('An upload to this dataset is being assembled; start the sync once it is done.', { upload_id: upload.id });
}

/**
 * Writes the wish; the workflow carries it out. Asking again changes nothing.
 * @throws AppError not_found, conflict when the sync has ended
 */
export async function cancelSync(tx: TenantTransaction, actor: Actor, datasetKey: string, syncId: string): Promise<void> {
  const sync = await requireLocked(tx, datasetKey, syncId);
  assertCancelable(sync.status);
  if (sync.cancel_asked_at !== null) return;
  await tx.execute("update dataset_sync set cancel_asked_at = now(), status_message = 'Canceling.', updated_at = now() where tenant_id = $1 and id = $2", [tx.tenantId, syncId]);
  await audit(tx, tx.tenantId, actor, { action: 'dataset.sync_cancel', target: { kind: 'dataset', id: datasetKey, label: sync.dataset_name }, detail: { sync_id: syncId } });
  await dispatch(tx, { kind: 'cancel', tenantId: tx.tenantId, workflowId: syncWorkflowId({ tenantId: tx.tenantId, syncId }) });
}

/**
 * Removes a sync that has ended from the history; the files it brought stay.
 * @throws AppError not_found, conflict while it is active
 */
export async function deleteSync(tx: TenantTransaction, actor: Actor, datasetKey: string, syncId: string): Promise<void> {
  const sync = await requireLocked(tx, datasetKey, syncId);
  assertDeletable(sync.status);
  await tx.execute('delete from dataset_sync where tenant_id = $1 and id = $2', [tx.tenantId, syncId]);
  await audit(tx, tx.tenantId, actor, { action: 'dataset.sync_delete', target: { kind: 'dataset', id: datasetKey, label: sync.dataset_name }, detail: { sync_id: syncId } });
}

async function requireLocked(tx: TenantTransaction, datasetKey: string, syncId: string): Promise<SyncRow> {
  await lockDataset(tx, datasetKey);
  const sync = await lockSync(tx, syncId);
  if (!sync || sync.dataset_key !== datasetKey) throw notFound('Sync');
  return sync;
}
