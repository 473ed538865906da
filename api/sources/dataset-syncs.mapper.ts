import type { SyncDetailRow, SyncRow } from '../../models/sources/sync/dataset-sync.queries.js';
import type { SyncAmount } from '../../models/sources/sync/dataset-sync.types.js';
import type {
  DatasetSyncDetailOut,
  DatasetSyncOut,
  SyncAmountOut,
  SyncProgressOut,
} from './dataset-syncs.schemas.js';

const toAmount = ({ files, bytes }: SyncAmount): SyncAmountOut => ({ files, size_bytes: bytes });

export function toSyncOut(row: SyncRow): DatasetSyncOut {
  const { plan } = row;
  return {
    id: row.id,
    dataset_id: row.datasetKey,
    source_id: row.sourceKey,
    source_name: row.sourceName,
    remote_dataset_id: row.remoteDatasetId,
    trigger: row.trigger,
    status: row.status,
    status_message: row.statusMessage,
    progress: toProgress(row),
    plan: plan && {
      add: toAmount(plan.add),
      change: toAmount(plan.change),
      remove: toAmount(plan.remove),
      unchanged: toAmount(plan.unchanged),
      keep: toAmount(plan.keep),
    },
    warning_count: row.warningCount,
    error_count: row.errorCount,
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    created_by: row.createdBy,
  };
}

export const toSyncDetailOut = (row: SyncDetailRow): DatasetSyncDetailOut => ({
  ...toSyncOut(row),
  warnings: [...row.warnings],
  errors: [...row.errors],
});

function toProgress(row: SyncRow): SyncProgressOut {
  const copiedForS =
    row.copyStartedAt === null
      ? 0
      : ((row.finishedAt ?? row.updatedAt).getTime() - row.copyStartedAt.getTime()) / 1000;
  return {
    percent: percentOf(row),
    files_done: row.filesDone,
    files_total: row.filesTotal,
    bytes_done: row.bytesDone,
    bytes_total: row.bytesTotal,
    bytes_per_s: copiedForS > 0 ? Math.round(row.bytesDone / copiedForS) : null,
  };
}

function percentOf({ status, plan, bytesDone, bytesTotal, filesDone, filesTotal }: SyncRow): number {
  if (status === 'done') return 100;
  if (plan === null) return 0;
  const [done, total] = bytesTotal > 0 ? [bytesDone, bytesTotal] : [filesDone, filesTotal];
  // All bytes are copied before the files are visible.
  return total === 0 ? 99 : Math.min(99, Math.floor((100 * done) / total));
}
