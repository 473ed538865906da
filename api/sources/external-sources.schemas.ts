import type { LineText, PageNumber, PageSize } from '../http/routing/parameters.js';

/**
 * Id of an external source, made from its name.
 * @pattern ^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$ must be 1 to 128 letters, digits, '.', '_' or '-', beginning with a letter or digit
 */
export type SourceId = string;

/**
 * Root of the three remote endpoints, https or http, without query and credentials.
 * @minLength 1
 * @maxLength 2000
 */
export type BaseUrl = string;

/**
 * Sent to the source as bearer. Never shown again; reads show asterisks.
 * @pattern ^[!-~]+$ must be printable ASCII without spaces
 * @minLength 1
 * @maxLength 4096
 */
export type SourceToken = string;

/** @maxLength 2000 */
export type SourceDescription = string;

/** Unknown keys are dropped. */
export interface SourceCreate {
  name: LineText;
  base_url: BaseUrl;
  token?: SourceToken | null;
  description?: SourceDescription;
  /** Default true. */
  enabled?: boolean;
}

/** Unknown keys are dropped. What is absent stays. */
export interface SourceUpdate {
  name?: LineText;
  /** Another server than before needs its token with it. */
  base_url?: BaseUrl;
  /** Null takes it away; the asterisks of a read leave it as it is. */
  token?: SourceToken | null;
  description?: SourceDescription;
  enabled?: boolean;
}

export interface SourceOut {
  id: string;
  name: string;
  base_url: string;
  /** Asterisks when one is set. */
  token: string | null;
  description: string;
  /** False: nothing is read from it, except by a test. */
  enabled: boolean;
  /** Datasets that are linked to it. */
  dataset_count: number;
  created_at: string;
  updated_at: string;
  /** Account id. */
  created_by: string | null;
}

export interface SourceListOut {
  items: SourceOut[];
  total: number;
}

export interface RemoteDatasetOut {
  id: string;
  name: string;
  modality: string | null;
  updated_at: string | null;
  file_count: number | null;
  size_bytes: number | null;
}

export interface SourceTestOut {
  status: 'ok' | 'failed';
  /** What was found, or what failed. */
  message: string;
  /** Null when all is well. */
  reason:
    | 'address'
    | 'name'
    | 'refused'
    | 'connection'
    | 'tls'
    | 'timeout'
    | 'credentials'
    | 'missing'
    | 'busy'
    | 'redirect'
    | 'shape'
    | 'limit'
    | 'platform'
    | null;
  /** What to do about it. */
  next_step: string | null;
  /** Milliseconds until the answer was read or the try was given up. */
  latency_ms: number;
  /** Datasets the source lists. */
  total: number | null;
  /** The entry that was fetched; null when the source lists none. */
  sample: RemoteDatasetOut | null;
}

export interface RemoteDatasetQuery {
  /**
   * Only datasets that changed since then.
   * @maxLength 64
   * @format date-time
   */
  updated_after?: string;
  page?: PageNumber;
  /** Default 50. */
  page_size?: PageSize;
}

export interface RemoteDatasetPage {
  items: RemoteDatasetOut[];
  total: number;
  page: number;
  page_size: number;
}

/**
 * Id of a dataset at its source, as the source writes it.
 * @minLength 1
 * @maxLength 512
 * @pattern ^(?![\s\u200b-\u200d\u2060\u2800\u3164]*$)(?:[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])+$ must be one line of visible text, without control characters and characters that turn the direction of writing
 */
export type RemoteDatasetId = string;

export interface RemoteFileOut {
  path: string;
  size_bytes: number;
  sha256: string;
}

/** An entry of a manifest that cannot become a file. */
export interface ManifestProblemOut {
  /** Its place in the manifest, from 0. */
  entry: number;
  path: string | null;
  code: string;
  message: string;
}

export interface PreviewAmountOut {
  files: number;
  /** Size of the remote files; of the local ones where files would be removed. */
  size_bytes: number;
  /** The first paths, at most ten. */
  examples: string[];
}

export interface SyncPreviewOut {
  dataset_id: string;
  add: PreviewAmountOut;
  /** An earlier sync brought them with other bytes. */
  change: PreviewAmountOut;
  /** An earlier sync brought them, and the source has them no longer. */
  remove: PreviewAmountOut;
  unchanged: PreviewAmountOut;
  /** Uploaded here with other bytes than those of the source: they stay. */
  keep: PreviewAmountOut;
  /** Why a sync would end as failed and change nothing, as with a manifest that is empty or of which no entry can be taken; null when it would go. */
  refusal: string | null;
}

export interface RemoteManifestOut {
  source_id: string;
  remote_dataset_id: string;
  file_count: number;
  size_bytes: number;
  /** The first 1,000, in the order of the source. */
  files: RemoteFileOut[];
  problem_count: number;
  /** The first 50. */
  problems: ManifestProblemOut[];
  /** Null without dataset_id. */
  preview: SyncPreviewOut | null;
}
