import type { Split } from '../../../formats/annotations/annotation.types.js';
import type { ImageFinding } from '../annotations/report/image-marks.rules.js';
import type { DatasetStatus, FileKind, FileOrigin, FileStatus } from '../catalog/dataset.types.js';

export interface FileFilters {
  /** All of it, as it is written. */
  readonly path?: string;
  readonly status?: FileStatus;
  readonly kind?: FileKind;
  readonly origin?: FileOrigin;
  /** `none`: no part. */
  readonly split?: Split | 'none';
  /** A class of the image's folder, or of an object in it. */
  readonly class?: string;
  readonly finding?: ImageFinding;
}

/** What a list needs to know of its dataset. */
export interface ListedDataset {
  readonly id: string;
  readonly revision: number;
  readonly status: DatasetStatus;
  /** The dataset's counter: the exact total where nothing is filtered. */
  readonly fileCount: number;
}

export const FILE_SORT_KEYS = ['path', 'created_at', 'size_bytes'] as const;
export type FileSort = (typeof FILE_SORT_KEYS)[number];

/** Where a list stands: behind this file. */
export interface FilePlace {
  /** Value of what the list is sorted by; microseconds of the epoch for a time. */
  readonly value: string | number;
  readonly id: string;
}

/** Part of a list. */
export interface FileWindow {
  readonly limit: number;
  readonly offset: number;
  readonly after: FilePlace | null;
}
