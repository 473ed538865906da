import type { DatasetStatus, FileKind, FileOrigin, FileStatus } from './dataset.types.js';

export interface FileFilters {
  readonly status?: FileStatus;
  readonly kind?: FileKind;
  readonly origin?: FileOrigin;
}

/** What a list needs to know of its dataset. */
export interface ListedDataset {
  readonly id: string;
  readonly revision: number;
  readonly status: DatasetStatus;
  /** The dataset's counter: the exact total where nothing is filtered. */
  readonly file_count: number;
}

export const FILE_SORT_KEYS = ['path', 'created_at', 'size_bytes'] as const;
export type FileSort = (typeof FILE_SORT_KEYS)[number];
