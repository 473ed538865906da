import type { SyncDetailRow, SyncRow } from '../../models/sources/dataset-sync.repository.js';
import type { SyncAmount } from '../../models/sources/dataset-sync.types.js';
import type { DatasetSyncDetailOut, DatasetSyncOut, SyncAmountOut, SyncProgressOut } from './dataset-syncs.schemas.js';

const toAmount = ({ files, bytes }: SyncAmount): SyncAmountOut => ({ files, size_bytes: bytes });

export function toSyncOut(row: SyncRow): DatasetSyncOut {
  const { plan } = row;
  return {
    id: row.id,
    dataset_id: row.dataset_key,
    source_id: row.source_key,
    source_name: row.source_name,
    remote_dataset_id: row.remote_dataset_id,
    trigger: row.trigger,
    status: row.status,
    status_message: row.status_message,
    progress: toProgress(row),
    plan: plan && { add: toAmount(plan.add), change: toAmount(plan.change), remove: toAmount(plan.remove), unchanged: toAmount(plan.unchanged), keep: toAmount(plan.keep) },
    warning_count: row.warning_count,
    error_count: row.error_count,
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by: row.created_by,
  };
}

export const toSyncDetailOut = (row: SyncDetailRow): DatasetSyncDetailOut => ({ ...toSyncOut(row), warnings: [...row.warnings], errors: [...row.errors] });

function toProgress(row: SyncRow): SyncProgressOut {
  const copiedForS = row.copy_started_at === null ? 0 : ((row.finished_at ?? row.updated_at).getTime() - row.copy_started_at.getTime()) / 1000;
  return {
    percent: percentOf(row),
    files_done: row.files_done,
    files_total: row.files_total,
    bytes_done: row.bytes_done,
    bytes_total: row.bytes_total,
    bytes_per_s: copiedForS > 0 ? Math.round(row.bytes_done / copiedForS) : null,
  };
}

function percentOf({ status, plan, bytes_done, bytes_total, files_done, files_total }: SyncRow): number {
  if (status === 'done') return 100;
  if (plan === null) return 0;
  const [done, total] = bytes_total > 0 ? [bytes_done, bytes_total] : [files_done, files_total];
  // All bytes are copied before the files are visible.
  return total === 0 ? 99 : Math.min(99, Math.floor((100 * done) / total));
}
