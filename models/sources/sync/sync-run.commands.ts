import { conflict } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import { type Actor, SYSTEM_ACTOR } from '../../audit/audit.types.js';
import {
  recordFileChange,
  type LockedDataset,
  lockDatasetById,
} from '../../datasets/catalog/dataset-change.commands.js';
import { setActiveSync } from '../../datasets/catalog/dataset-origin.commands.js';
import { messages } from '../../notifications/messages.rules.js';
import { notify } from '../../notifications/notify.commands.js';
import { allowLongStatements } from '../../orm/long-statements.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { DatasetSource } from '../catalog/external-source.entity.js';
import { findSourceById } from '../catalog/external-source.queries.js';
import { deleteWithUses } from './delete-dataset-after-sync.commands.js';
import type { DatasetSync } from './dataset-sync.entity.js';
import { findSyncById, type SyncRow } from './dataset-sync.queries.js';
import { assertTransition, assertWanted, isActive, outcomeMessage, refusalOf } from './dataset-sync.rules.js';
import type { SyncStatus } from './dataset-sync.types.js';
import type { SyncEnding, SyncInput } from './dataset-sync-work.types.js';
import { freeEntryObjects, insertFiles, removeFiles, trimHistory } from './sync-end.sql.js';
import { countOutcome } from './sync-entry.queries.js';
import { lockPlanning } from './sync-plan.commands.js';
import { deleteEntries } from './sync-plan.sql.js';
import { changeSync, lockSync } from './sync-row.commands.js';

/**
 * The sync's work begins. Idempotent.
 * @returns null when it has ended or gone
 * @throws AppError conflict when somebody asked for its end
 */
export async function beginSync(tx: TenantTransaction, input: SyncInput): Promise<SyncRow | null> {
  const sync = await lockSync(tx, input.syncId);
  if (!sync || !isActive(sync.status)) return null;
  assertWanted(sync);
  if (sync.status !== 'running') {
    assertTransition(sync.status, 'running');
    const statusMessage = 'Reading the manifest.';
    await changeSync(tx, sync, { status: 'running', startedAt: new Date(), statusMessage });
  }
  return findSyncById(tx, sync.id);
}

/** A sync that has not ended and its dataset, both locked. */
interface LockedPair {
  readonly sync: DatasetSync;
  readonly dataset: LockedDataset;
}

/** Both rows, the dataset's first as everywhere; null when the sync has ended or gone. */
async function lockBoth(tx: TenantTransaction, syncId: string): Promise<LockedPair | null> {
  const seen = await findSyncById(tx, syncId);
  const dataset = seen && (await lockDatasetById(tx, seen.datasetId));
  const sync = dataset && (await lockSync(tx, syncId));
  return sync && isActive(sync.status) ? { sync, dataset } : null;
}

/**
 * The copied files become visible and those that the source no longer has go, all in one transaction; the
 * dataset returns to DRAFT when anything changed. Idempotent.
 * @throws AppError conflict while files are left to be copied
 */
export async function finishSync(tx: TenantTransaction, input: SyncInput): Promise<void> {
  const both = await lockBoth(tx, input.syncId);
  if (!both) return;
  const { sync, dataset } = both;
  await allowLongStatements(tx);
  // The answer to a cancel says that the dataset stays; a wish to delete it is one too.
  if (sync.cancelAskedAt) return callOff(tx, both);
  const { copied: came, open, stays } = await countOutcome(tx, sync.id);
  if (open > 0) throw conflict('The sync has files left to be copied.');
  const usable = came + stays;
  const refusal = refusalOf({ usable, refused: sync.errorCount, removed: 0 });
  if (sync.filesTotal > 0 && usable === 0)
    return giveUp(tx, both, `None of ${sync.filesTotal} files could be copied; the errors say why.`);
  if (refusal !== null) return giveUp(tx, both, `${refusal} The errors say why.`);
  const next = {
    syncId: sync.id,
    datasetId: dataset.id,
    revision: dataset.revision + 1,
    createdBy: sync.createdBy ?? null,
  };
  const { all: removed, gone } = await removeFiles(tx, next);
  const copied = await insertFiles(tx, next);
  if (removed.files + copied.files > 0)
    await recordFileChange(tx, dataset, {
      files: copied.files - removed.files,
      bytes: copied.bytes - removed.bytes,
    });
  await freeEntryObjects(tx, sync.id, 'failed');
  const { errorCount: errors, warningCount: kept } = sync;
  const message = outcomeMessage({ copied: copied.files, removed: gone, failed: errors, kept });
  await close(tx, both, 'done', message, {
    copied: copied.files,
    removed: gone,
    bytes: copied.bytes,
    errors,
  });
}

/**
 * Ends a sync before its time: nothing it copied becomes visible, and what it stored is removed. A failure
 * after somebody asked for a cancel is one. Idempotent.
 */
export async function endSync(tx: TenantTransaction, input: SyncInput, ending: SyncEnding): Promise<void> {
  // An attempt to plan that was given up may still write entries; nobody else is held up while it is waited
  // for.
  await lockPlanning(tx, input.syncId);
  const both = await lockBoth(tx, input.syncId);
  if (!both) return;
  await allowLongStatements(tx);
  if (ending.status === 'failed' && !both.sync.cancelAskedAt) return giveUp(tx, both, ending.message);
  await callOff(tx, both);
}

async function callOff(tx: TenantTransaction, both: LockedPair): Promise<void> {
  await freeEntryObjects(tx, both.sync.id, 'begun');
  const isDisabled = (await findSourceById(tx, both.sync.sourceId))?.enabled === false;
  const reason = isDisabled ? ' since its source was disabled' : '';
  await close(tx, both, 'canceled', `Canceled${reason}; the dataset is unchanged.`, nothingDone(both.sync));
}

async function giveUp(tx: TenantTransaction, both: LockedPair, reason: string): Promise<void> {
  await freeEntryObjects(tx, both.sync.id, 'begun');
  await close(tx, both, 'failed', `${reason} The dataset is unchanged.`, nothingDone(both.sync));
}

const nothingDone = (sync: DatasetSync) => ({ copied: 0, removed: 0, bytes: 0, errors: sync.errorCount });

async function close(
  tx: TenantTransaction,
  { sync, dataset }: LockedPair,
  status: SyncStatus,
  message: string,
  detail: { copied: number; removed: number; bytes: number; errors: number },
): Promise<void> {
  assertTransition(sync.status, status);
  await deleteEntries(tx, sync.id);
  const now = new Date();
  const startedAt = sync.startedAt ?? now;
  Object.assign(sync, { status, statusMessage: message, startedAt, finishedAt: now, updatedAt: now });
  await countScheduleFailure(tx, sync);
  await tx.em.flush();
  await setActiveSync(tx, dataset.id, null);
  await trimHistory(tx, dataset.id);
  const failed = status === 'failed';
  const names = { id: dataset.key, name: dataset.name };
  if (failed)
    await notify(tx, tx.tenantId, messages.datasetSyncFailed(names, message, sync.createdBy ?? null));
  await audit(tx, tx.tenantId, actorOf(sync), {
    action: `dataset.sync_${status}`,
    target: { kind: 'dataset', id: dataset.key, label: dataset.name },
    outcome: failed ? 'failed' : 'success',
    detail: { sync_id: sync.id, source: sync.sourceKey, ...detail, ...(failed ? { reason: message } : {}) },
  });
  if (sync.deleteAskedBy)
    await deleteWithUses(tx, sync.deleteAskedBy, dataset.key, true, { id: sync.id, bytes: sync.bytesDone });
}

/**
 * How often the schedule of a dataset failed in a row; a sync that anybody started and that is done ends the
 * row.
 */
async function countScheduleFailure(
  tx: TenantTransaction,
  { datasetId, status, trigger }: DatasetSync,
): Promise<void> {
  const isFailure = status === 'failed' && trigger === 'schedule';
  const link = isFailure || status === 'done' ? await tx.em.findOne(DatasetSource, { datasetId }) : null;
  if (link) link.failuresInRow = isFailure ? link.failuresInRow + 1 : 0;
}

function actorOf({ createdBy, createdByEmail }: DatasetSync): Actor {
  return createdBy
    ? { id: createdBy, email: createdByEmail ?? null, fullName: null, ip: null }
    : SYSTEM_ACTOR;
}
