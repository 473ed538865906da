import type { DatasetUploadOut } from '../datasets/dataset-uploads.schemas.js';
import type { DatasetId } from '../datasets/datasets.schemas.js';
import type { PageNumber, PageSize } from '../http/routing/parameters.js';

export type EdgeUploadStateName = 'open' | 'assembling' | 'done' | 'failed';

/**
 * @minLength 1
 * @maxLength 64
 * @pattern ^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$ must be 1 to 64 letters, digits, '.', '_' or '-'
 */
export type UploadKindText = string;

export interface UploadInit {
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
  /** `file` when left out. */
  kind?: UploadKindText | null;
  /** Where it goes; a frozen one gets a new draft beside it. Without one, a dataset of the device's own. */
  dataset_id?: DatasetId | null;
  /** Kept as it comes, at most 16 KiB of JSON. */
  meta?: { [key: string]: unknown };
}

export interface EdgeUploadOut extends DatasetUploadOut {
  kind: string;
  meta: { [key: string]: unknown };
}

export interface TransferOut {
  upload_id: string;
  filename: string;
  kind: string;
  meta: { [key: string]: unknown };
  dataset_id: string;
  size: number;
  chunk_size: number;
  chunk_count: number;
  /** How many chunks there are; 0 once it is over. */
  received: number;
  state: EdgeUploadStateName;
  error: string | null;
  created_at: string;
  updated_at: string;
}

export interface TransferPage {
  items: TransferOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface TransferQuery {
  state?: EdgeUploadStateName;
  page?: PageNumber;
  page_size?: PageSize;
}
