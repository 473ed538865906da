import { conflict } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import { type Actor, SYSTEM_ACTOR } from '../audit/audit.types.js';
import { bookFileChange, type LockedDataset, lockDatasetById } from '../datasets/dataset-change.commands.js';
import { deleteDataset } from '../datasets/dataset.commands.js';
import { messages } from '../notifications/messages.rules.js';
import { notify } from '../notifications/notify.commands.js';
import { allowLongStatements } from '../orm/long-statements.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { assertTransition, isActive, outcomeMessage, PATH_CONFLICT, refusalOf, TOO_LARGE } from './dataset-sync.rules.js';
import { findSourceById } from './external-source.repository.js';
import { addFindings, findSyncById, lockSync, type SyncRow } from './dataset-sync.repository.js';
import type { SyncAmount, SyncPlan, SyncStatus } from './dataset-sync.types.js';
import type { SyncEnding, SyncInput } from './dataset-sync-work.types.js';
import { type ActionAmount, compareEntries, countActions, countRemoved, deleteEntries, firstPaths, freeEntryObjects } from './sync-entry.repository.js';

/** The sync's work begins. Idempotent. @returns null when it has ended or gone */
export async function beginSync(tx: TenantTransaction, input: SyncInput): Promise<SyncRow | null> {
  const sync = await lockSync(tx, input.syncId);
  if (!sync || !isActive(sync.status)) return null;
  if (sync.status === 'running') return sync;
  assertTransition(sync.status, 'running');
  await tx.execute(
    "update dataset_sync set status = 'running', started_at = now(), status_message = case when cancel_asked_at is null then 'Reading the manifest.' else status_message end, updated_at = now() where tenant_id = $1 and id = $2",
    [tx.tenantId, sync.id],
  );
  return { ...sync, status: 'running' };
}

/** Forgets what an earlier attempt wrote of the manifest. */
export async function restartPlan(tx: TenantTransaction, sync: SyncRow): Promise<void> {
  await deleteEntries(tx, sync.id);
  await tx.execute("update dataset_sync set errors = '[]', error_count = 0, warnings = '[]', warning_count = 0, updated_at = now() where tenant_id = $1 and id = $2", [
    tx.tenantId,
    sync.id,
  ]);
}

/**
 * Compares the written manifest with the dataset and keeps the plan.
 * @throws AppError conflict when an empty manifest would remove everything
 */
export async function storePlan(tx: TenantTransaction, sync: SyncRow): Promise<SyncPlan> {
  await allowLongStatements(tx);
  await compareEntries(tx, sync.id, sync.dataset_id);
  const amounts = await countActions(tx, sync.id);
  const of = (action: ActionAmount['action']): SyncAmount => {
    const found = amounts.find((amount) => amount.action === action);
    return { files: found?.files ?? 0, bytes: found?.bytes ?? 0 };
  };
  const usable = (['add', 'change', 'same', 'keep', 'outgrown'] as const).reduce((sum, action) => sum + of(action).files, 0);
  const refused = ((await lockSync(tx, sync.id))?.error_count ?? 0) + of('clash').files + of('too_large').files;
  const unnamed = await countRemoved(tx, sync.id, sync.dataset_id);
  const refusal = refusalOf({ usable, refused, removed: unnamed.files });
  if (refusal !== null && refused === 0) throw conflict(refusal);
  // Where every entry is refused, the sync ends as failed once its findings are kept, and removes nothing.
  const plan: SyncPlan = { add: of('add'), change: of('change'), remove: refusal === null ? unnamed : { files: 0, bytes: 0 }, unchanged: of('same'), keep: of('keep') };
  const findings = async (action: ActionAmount['action'], { code, message }: { code: string; message: string }) => ({
    count: of(action).files,
    listed: of(action).files === 0 ? [] : (await firstPaths(tx, sync.id, action)).map((path) => ({ path, code, message })),
  });
  await addFindings(tx, sync.id, 'error', await findings('clash', PATH_CONFLICT));
  await addFindings(tx, sync.id, 'error', await findings('too_large', TOO_LARGE));
  await addFindings(tx, sync.id, 'warning', await findings('outgrown', { code: 'kept_earlier', message: `${TOO_LARGE.message} The one that an earlier sync brought stays.` }));
  await addFindings(
    tx,
    sync.id,
    'warning',
    await findings('keep', { code: 'kept_upload', message: 'A file uploaded here has other bytes; it stays. Delete it to take that of the source.' }),
  );
  await tx.execute(
    `update dataset_sync set plan = $3, files_total = $4, bytes_total = $5, copy_started_at = now(), updated_at = now(),
       status_message = case when cancel_asked_at is null then 'Copying.' else status_message end where tenant_id = $1 and id = $2`,
    [tx.tenantId, sync.id, JSON.stringify(plan), plan.add.files + plan.change.files, plan.add.bytes + plan.change.bytes],
  );
  return plan;
}

/** Both rows, the dataset's first as everywhere; null when the sync has ended or gone. */
async function lockBoth(tx: TenantTransaction, syncId: string): Promise<{ sync: SyncRow; dataset: LockedDataset } | null> {
  const seen = await findSyncById(tx, syncId);
  const dataset = seen && (await lockDatasetById(tx, seen.dataset_id));
  const sync = dataset && (await lockSync(tx, syncId));
  return sync && isActive(sync.status) ? { sync, dataset } : null;
}

/**
 * The copied files become visible and those that the source no longer has go, all in one transaction; the dataset
 * returns to DRAFT when anything changed. Idempotent.
 */
export async function finishSync(tx: TenantTransaction, input: SyncInput): Promise<void> {
  const both = await lockBoth(tx, input.syncId);
  if (!both) return;
  const { sync, dataset } = both;
  await allowLongStatements(tx);
  if (sync.delete_asked_by) return callOff(tx, both);
  const { copied: usable, stays } = await countTaken(tx, sync.id);
  const refusal = refusalOf({ usable: usable + stays, refused: sync.error_count, removed: 0 });
  if (sync.files_total > 0 && usable === 0) return giveUp(tx, both, `None of ${sync.files_total} files could be copied; the errors say why.`);
  if (refusal !== null) return giveUp(tx, both, `${refusal} The errors say why.`);
  const removed = await removeFiles(tx, sync, dataset);
  const copied = await insertFiles(tx, sync, dataset);
  if (removed.all.files + copied.files > 0) await bookFileChange(tx, dataset, { files: copied.files - removed.all.files, bytes: copied.bytes - removed.all.bytes });
  await freeEntryObjects(tx, sync.id, ['failed']);
  const message = outcomeMessage({ copied: copied.files, removed: removed.gone, failed: sync.error_count, kept: sync.warning_count });
  await close(tx, both, 'done', message, { copied: copied.files, removed: removed.gone, bytes: copied.bytes, errors: sync.error_count });
}

/** Entries that were copied, and those for which what is here stays. @throws AppError conflict while files are left */
async function countTaken(tx: TenantTransaction, syncId: string): Promise<{ copied: number; stays: number }> {
  const [row] = await tx.query<{ copied: number; open: number; stays: number }>(
    `select count(*) filter (where object_key is not null and state = 'copied') as copied,
       count(*) filter (where object_key is not null and state in ('planned', 'copying')) as open, count(*) filter (where action in ('same', 'keep', 'outgrown')) as stays
     from dataset_sync_entry where tenant_id = $1 and sync_id = $2`,
    [tx.tenantId, syncId],
  );
  if (row && row.open > 0) throw conflict('The sync has files left to be copied.');
  return row ?? { copied: 0, stays: 0 };
}

/** Files that changed or that the manifest no longer names; frozen versions that are held keep their objects. */
async function removeFiles(tx: TenantTransaction, sync: SyncRow, dataset: LockedDataset): Promise<{ all: SyncAmount; gone: number }> {
  const [row] = await tx.query<{ files: number; bytes: number; gone: number }>(
    `with gone as (
       delete from dataset_file f where f.tenant_id = $1 and f.dataset_id = $2 and f.origin = 'sync' and not exists (
         select 1 from dataset_sync_entry e where e.tenant_id = $1 and e.sync_id = $3 and e.path = f.path and not (e.action = 'change' and e.state = 'copied'))
       returning f.path, f.object_key, f.preview_key, f.size_bytes, f.added_revision),
     objects as (insert into loose_object (tenant_id, object_key, dataset_id, from_revision, to_revision, due_at) select $1, object_key, $2, added_revision, $4, now() from gone),
     previews as (insert into loose_object (tenant_id, object_key, due_at) select $1, preview_key, now() from gone where preview_key is not null)
     select count(*) as files, coalesce(sum(gone.size_bytes), 0)::bigint as bytes, count(*) filter (where e.path is null) as gone
     from gone left join dataset_sync_entry e on e.tenant_id = $1 and e.sync_id = $3 and e.path = gone.path`,
    [tx.tenantId, dataset.id, sync.id, dataset.revision + 1],
  );
  return { all: { files: row?.files ?? 0, bytes: row?.bytes ?? 0 }, gone: row?.gone ?? 0 };
}

async function insertFiles(tx: TenantTransaction, sync: SyncRow, dataset: LockedDataset): Promise<SyncAmount> {
  const [row] = await tx.query<{ files: number; bytes: number }>(
    `with added as (
       insert into dataset_file (tenant_id, dataset_id, path, sha256, size_bytes, object_key, media_type, kind, label, origin, added_revision, created_by)
       select $1, $2, path, sha256, size_bytes, object_key, media_type, kind, case when kind = 'image' and path like '%/%' then split_part(path, '/', 1) end, 'sync', $4, $5
       from dataset_sync_entry where tenant_id = $1 and sync_id = $3 and state = 'copied' order by position returning size_bytes)
     select count(*) as files, coalesce(sum(size_bytes), 0)::bigint as bytes from added`,
    [tx.tenantId, dataset.id, sync.id, dataset.revision + 1, sync.created_by],
  );
  return row ?? { files: 0, bytes: 0 };
}

/** Ends a sync before its time: nothing it copied becomes visible, and what it stored is removed. A failure after somebody asked for a cancel is one. Idempotent. */
export async function endSync(tx: TenantTransaction, input: SyncInput, ending: SyncEnding): Promise<void> {
  const both = await lockBoth(tx, input.syncId);
  if (!both) return;
  await allowLongStatements(tx);
  if (ending.status === 'failed' && both.sync.cancel_asked_at === null) return giveUp(tx, both, ending.message);
  await callOff(tx, both);
}

async function callOff(tx: TenantTransaction, both: { sync: SyncRow; dataset: LockedDataset }): Promise<void> {
  await freeEntryObjects(tx, both.sync.id, ['copying', 'copied', 'failed']);
  const isDisabled = (await findSourceById(tx, both.sync.source_id))?.enabled === false;
  await close(tx, both, 'canceled', `Canceled${isDisabled ? ' since its source was disabled' : ''}; the dataset is unchanged.`, nothingDone(both.sync));
}

async function giveUp(tx: TenantTransaction, both: { sync: SyncRow; dataset: LockedDataset }, reason: string): Promise<void> {
  await freeEntryObjects(tx, both.sync.id, ['copying', 'copied', 'failed']);
  await close(tx, both, 'failed', `${reason} The dataset is unchanged.`, nothingDone(both.sync));
}

const nothingDone = (sync: SyncRow) => ({ copied: 0, removed: 0, bytes: 0, errors: sync.error_count });

async function close(
  tx: TenantTransaction,
  { sync, dataset }: { sync: SyncRow; dataset: LockedDataset },
  status: SyncStatus,
  message: string,
  detail: { copied: number; removed: number; bytes: number; errors: number },
): Promise<void> {
  assertTransition(sync.status, status);
  await deleteEntries(tx, sync.id);
  await tx.execute(
    `update dataset_sync set status = $3, status_message = $4, started_at = coalesce(started_at, now()), finished_at = now(), updated_at = now() where tenant_id = $1 and id = $2`,
    [tx.tenantId, sync.id, status, message],
  );
  await tx.execute('update dataset set active_sync_id = null, updated_at = now() where tenant_id = $1 and id = $2', [tx.tenantId, dataset.id]);
  if (status === 'failed') await notify(tx, tx.tenantId, messages.datasetSyncFailed({ id: dataset.key, name: dataset.name }, message, sync.created_by));
  await audit(tx, tx.tenantId, actorOf(sync), {
    action: `dataset.sync_${status}`,
    target: { kind: 'dataset', id: dataset.key, label: dataset.name },
    outcome: status === 'failed' ? 'failed' : 'success',
    detail: { sync_id: sync.id, source: sync.source_key, ...detail, ...(status === 'failed' ? { reason: message } : {}) },
  });
  if (sync.delete_asked_by) await deleteDataset(tx, sync.delete_asked_by, dataset.key, true, { id: sync.id, bytes: sync.bytes_done });
}

function actorOf(sync: SyncRow): Actor {
  return sync.created_by === null ? SYSTEM_ACTOR : { id: sync.created_by, email: sync.created_by_email, fullName: null, ip: null };
}
