import type { DatasetOut, ShortText } from '../datasets/datasets.schemas.js';
import type { LineText } from '../http/routing/parameters.js';
import type { RemoteDatasetId, SourceId } from './external-sources.schemas.js';

/**
 * Seconds between scheduled syncs, from five minutes to 30 days; null: only when somebody asks.
 * @isInt
 * @minimum 300
 * @maximum 2592000
 */
export type SyncInterval = number;

/** Unknown keys are dropped. */
export interface SourceLink {
  source_id: SourceId;
  remote_dataset_id: RemoteDatasetId;
  /** Default null. */
  interval_s?: SyncInterval | null;
}

/** Unknown keys are dropped. */
export interface FromExternalCreate {
  source_id: SourceId;
  remote_dataset_id: RemoteDatasetId;
  /** Default: that of the remote dataset. */
  name?: LineText;
  /** Default: that of the remote dataset, or `image`. */
  modality?: ShortText;
  /** Default true. */
  sync_now?: boolean;
  /** Default null. */
  interval_s?: SyncInterval | null;
}

export interface LinkOut {
  dataset_id: string;
  /** False: the other fields of the link are null. */
  linked: boolean;
  source_id: string | null;
  source_name: string | null;
  source_enabled: boolean | null;
  remote_dataset_id: string | null;
  interval_s: number | null;
  linked_at: string | null;
  /** Account id. */
  linked_by: string | null;
  /** The sync that runs. */
  active_sync_id: string | null;
}

export interface FromExternalOut extends DatasetOut {
  /** The sync that was started; null without `sync_now`. */
  sync_id: string | null;
}
