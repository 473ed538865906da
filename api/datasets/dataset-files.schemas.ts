import type { ImageFinding } from '../../models/datasets/annotations/report/image-marks.rules.js';
import type { FileKind, FileOrigin, FileStatus } from '../../models/datasets/catalog/dataset.types.js';

/** @pattern ^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$ must be a UUID */
export type FileId = string;

export interface FileListQuery {
  /**
   * The file with exactly this path; `q` looks for a part of it.
   * @maxLength 512
   */
  path?: string;
  status?: FileStatus;
  kind?: FileKind;
  origin?: FileOrigin;
  /** Images of this part of the dataset; `none`: of no part. */
  split?: 'train' | 'val' | 'test' | 'none';
  /**
   * Images of this class, or with an object of it, as the last validation read them.
   * @maxLength 512
   */
  class?: string;
  /** Images in which the last validation found this. The report counts and describes it. */
  finding?: ImageFinding;
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
   * Part of the path. The case of the letters A to Z is ignored, that of others is not.
   * @maxLength 200
   */
  q?: string;
  /**
   * One of path, created_at, size_bytes.
   * @maxLength 64
   */
  sort?: string;
  order?: 'asc' | 'desc';
  /**
   * `next` of the page before; without `page`.
   * @maxLength 8000
   */
  after?: string;
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
  /** Exact without `q` and filters, with them up to 10,000. */
  total: number;
  /** True: there are more matches than `total`. */
  total_capped: boolean;
  /** `after` of the page that follows; null: this is the last. */
  next: string | null;
  page: number;
  page_size: number;
}

export interface UploadErrorOut {
  path: string;
  code: string;
  message: string;
}

export interface LeftOutMembersOut {
  /** Entries of folders; the folders of files are part of their paths. */
  folder: number;
  /** What desktop systems leave behind: `__MACOSX`, `.DS_Store`, `Thumbs.db` and `desktop.ini`. */
  desktop_file: number;
}

export interface UploadResultOut {
  created: number;
  /** Files that were there already with the same bytes. */
  skipped: number;
  /** Ids of the created files, the first 20,000. */
  file_ids: string[];
  errors: UploadErrorOut[];
  /** Members of an archive that became no file. */
  left_out: LeftOutMembersOut;
}
