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
