import { conflict } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import { type Actor, SYSTEM_ACTOR } from '../audit/audit.types.js';
import { bookFileChange, type LockedDataset, lockDatasetById } from '../datasets/dataset-change.commands.js';
import { deleteDataset } from '../datasets/dataset.commands.js';
import { messages } from '../notifications/messages.rules.js';
import { notify } from '../notifications/notify.commands.js';
import { allowLongStatements } from '../orm/long-statements.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { assertTransition, assertWanted, isActive, outcomeMessage, refusalOf } from './dataset-sync.rules.js';
import { findSourceById } from './external-source.repository.js';
import { findSyncById, lockSync, type SyncRow } from './dataset-sync.repository.js';
import type { SyncAmount, SyncStatus } from './dataset-sync.types.js';
import type { SyncEnding, SyncInput } from './dataset-sync-work.types.js';
import { trimHistory } from './sync-history.repository.js';
import { noteScheduleOutcome } from './sync-schedule.repository.js';
import { deleteEntries, freeEntryObjects } from './sync-entry.repository.js';
import { lockPlanning } from './sync-plan.commands.js';

/** The sync's work begins. Idempotent. @returns null when it has ended or gone @throws AppError conflict when somebody asked for its end */
export async function beginSync(tx: TenantTransaction, input: SyncInput): Promise<SyncRow | null> {
  const sync = await lockSync(tx, input.syncId);
  if (!sync || !isActive(sync.status)) return null;
  assertWanted(sync);
  if (sync.status === 'running') return sync;
  assertTransition(sync.status, 'running');
  await tx.execute(
    "update dataset_sync set status = 'running', started_at = now(), status_message = 'Reading the manifest.', updated_at = now() where tenant_id = $1 and id = $2",
    [tx.tenantId, sync.id],
  );
  return { ...sync, status: 'running' };
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
  // Whoever asked for a cancel was told that the dataset stays; a wish to delete it is one too.
  if (sync.cancel_asked_at !== null) return callOff(tx, both);
  const { copied: usable, stays } = await countTaken(tx, sync.id);
  const refusal = refusalOf({ usable: usable + stays, refused: sync.error_count, removed: 0 });
  if (sync.files_total > 0 && usable + stays === 0) return giveUp(tx, both, `None of ${sync.files_total} files could be copied; the errors say why.`);
  if (refusal !== null) return giveUp(tx, both, `${refusal} The errors say why.`);
  const removed = await removeFiles(tx, sync, dataset);
  const copied = await insertFiles(tx, sync, dataset);
  if (removed.all.files + copied.files > 0) await bookFileChange(tx, dataset, { files: copied.files - removed.all.files, bytes: copied.bytes - removed.all.bytes });
  await freeEntryObjects(tx, sync.id, 'failed');
  const message = outcomeMessage({ copied: copied.files, removed: removed.gone, failed: sync.error_count, kept: sync.warning_count });
  await close(tx, both, 'done', message, { copied: copied.files, removed: removed.gone, bytes: copied.bytes, errors: sync.error_count });
}

/** Entries that were copied, and those for which what is here stays. @throws AppError conflict while files are left */
async function countTaken(tx: TenantTransaction, syncId: string): Promise<{ copied: number; stays: number }> {
  const [row] = await tx.query<{ copied: number; open: number; stays: number }>(
    `select count(*) filter (where object_key is not null and state = 'copied') as copied,
       count(*) filter (where object_key is not null and state in ('planned', 'copying', 'later')) as open, count(*) filter (where action in ('same', 'keep', 'outgrown')) as stays
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
  // An attempt to plan that was given up may still write entries; nobody else is held up while it is waited for.
  await lockPlanning(tx, input.syncId);
  const both = await lockBoth(tx, input.syncId);
  if (!both) return;
  await allowLongStatements(tx);
  if (ending.status === 'failed' && both.sync.cancel_asked_at === null) return giveUp(tx, both, ending.message);
  await callOff(tx, both);
}

async function callOff(tx: TenantTransaction, both: { sync: SyncRow; dataset: LockedDataset }): Promise<void> {
  await freeEntryObjects(tx, both.sync.id, 'begun');
  const isDisabled = (await findSourceById(tx, both.sync.source_id))?.enabled === false;
  await close(tx, both, 'canceled', `Canceled${isDisabled ? ' since its source was disabled' : ''}; the dataset is unchanged.`, nothingDone(both.sync));
}

async function giveUp(tx: TenantTransaction, both: { sync: SyncRow; dataset: LockedDataset }, reason: string): Promise<void> {
  await freeEntryObjects(tx, both.sync.id, 'begun');
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
  await noteScheduleOutcome(tx, sync, status);
  await trimHistory(tx, dataset.id);
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
