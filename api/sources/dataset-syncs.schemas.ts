import type { PageNumber, PageSize } from '../http/routing/parameters.js';
import type { SyncStatus, SyncTrigger } from '../../models/sources/sync/dataset-sync.types.js';

export interface SyncAmountOut {
  files: number;
  size_bytes: number;
}

/** The manifest of the source compared with the dataset by path and sha256. */
export interface SyncPlanOut {
  add: SyncAmountOut;
  change: SyncAmountOut;
  /** Files of earlier syncs that the source no longer has. */
  remove: SyncAmountOut;
  unchanged: SyncAmountOut;
  /** Uploaded files whose bytes differ from those of the source: they stay. */
  keep: SyncAmountOut;
}

export interface SyncProgressOut {
  /** From 0 to 100, by bytes. */
  percent: number;
  files_done: number;
  files_total: number;
  bytes_done: number;
  bytes_total: number;
  /** Mean since copying began; null before. */
  bytes_per_s: number | null;
}

export interface DatasetSyncOut {
  id: string;
  dataset_id: string;
  /** The source as it was; it may have gone. */
  source_id: string;
  source_name: string;
  remote_dataset_id: string;
  trigger: SyncTrigger;
  status: SyncStatus;
  /** What is under way, or how it ended. */
  status_message: string | null;
  progress: SyncProgressOut;
  /** Null until the manifest was compared. */
  plan: SyncPlanOut | null;
  warning_count: number;
  error_count: number;
  started_at: string | null;
  finished_at: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

/** About one file; path is null where it concerns the whole. */
export interface SyncFindingOut {
  path: string | null;
  code: string;
  message: string;
}

export interface DatasetSyncDetailOut extends DatasetSyncOut {
  /** The first 200 of `warning_count`. */
  warnings: SyncFindingOut[];
  /** The first 200 of `error_count`: files that were not copied, each with the reason. */
  errors: SyncFindingOut[];
}

export interface DatasetSyncPage {
  items: DatasetSyncOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface SyncListQuery {
  page?: PageNumber;
  page_size?: PageSize;
}
