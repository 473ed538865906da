import type { UploadState } from '../../models/datasets/catalog/dataset.types.js';
import type { UploadResultOut } from './dataset-files.schemas.js';

/** @pattern ^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$ must be a UUID */
export type UploadId = string;

/** Unknown keys are dropped. */
export interface DatasetUploadInit {
  /**
   * Path inside the dataset; folders are parted by `/`.
   * @minLength 1
   * @maxLength 512
   */
  filename: string;
  /**
   * Bytes of the whole.
   * @isInt
   * @minimum 0
   * @maximum 5497558138880
   */
  size: number;
  /**
   * Sha256 of the whole file, hex; checked at the end.
   * @pattern ^[0-9a-fA-F]{64}$ must be 64 hexadecimal digits
   */
  sha256?: string | null;
  /**
   * Default 32 MiB. Raised only to stay within 10,000 chunks.
   * @isInt
   * @minimum 65536
   * @maximum 1073741824
   */
  chunk_size?: number | null;
}

export interface DatasetUploadOut {
  upload_id: string;
  dataset_id: string;
  filename: string;
  size: number;
  sha256: string | null;
  chunk_size: number;
  chunk_count: number;
  /** Indexes of the chunks received, in order. */
  received: number[];
  state: UploadState;
  /** Null until done. */
  result: UploadResultOut | null;
  /** Null unless failed. */
  error: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface ChunkOut {
  upload_id: string;
  index: number;
  size: number;
}
