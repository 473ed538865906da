import type { FileKind, FileOrigin, FileStatus } from '../../models/datasets/dataset.types.js';

/** @pattern ^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$ must be a UUID */
export type FileId = string;

export interface FileListQuery {
  status?: FileStatus;
  kind?: FileKind;
  origin?: FileOrigin;
  /**
   * @isInt
   * @minimum 1
   * @maximum 10000000
   */
  page?: number;
  /**
   * Default 50.
   * @isInt
   * @minimum 1
   * @maximum 200
   */
  page_size?: number;
  /**
   * Part of the path.
   * @maxLength 200
   */
  q?: string;
  /**
   * One of path, created_at, size_bytes.
   * @maxLength 64
   */
  sort?: string;
  order?: 'asc' | 'desc';
}

export interface FileOut {
  id: string;
  dataset_id: string;
  /** Unique within the dataset; a folder is the class of an image. */
  path: string;
  status: FileStatus;
  /** Why it is invalid, or what is remarkable about a valid one, such as a table without a row. */
  reason: string | null;
  kind: FileKind;
  origin: FileOrigin;
  /** By the bytes. */
  media_type: string;
  size_bytes: number;
  sha256: string;
  label: string | null;
  width: number | null;
  height: number | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface FilePage {
  items: FileOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface UploadErrorOut {
  path: string;
  code: string;
  message: string;
}

export interface UploadResultOut {
  created: number;
  /** Files that were there already with the same bytes. */
  skipped: number;
  /** Ids of the created files, the first 20,000. */
  file_ids: string[];
  errors: UploadErrorOut[];
}
