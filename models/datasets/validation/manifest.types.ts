import type { Split } from '../../../formats/annotations/annotation.types.js';
import type { FileKind } from '../catalog/dataset.types.js';

/** One file of a frozen dataset. */
export interface ManifestFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  /** Object key of the bytes. */
  readonly key: string;
  readonly kind: FileKind;
  /** Class of an image: its class folder. Absent for files without one. */
  readonly label?: string;
  /** Part of the dataset that an image is in. Absent where nothing names one. */
  readonly split?: Split;
  /** Pixels of an image as stored (before EXIF orientation). */
  readonly width?: number;
  readonly height?: number;
}

/**
 * The canonical manifest: what a FROZEN dataset holds, as one immutable JSON object of the store, one file a line. Files
 * are sorted by path in code-unit order of UTF-8. `digest` is the sha256 over the lines of `digestLine`.
 */
export interface Manifest {
  readonly digest: string;
  readonly files: readonly ManifestFile[];
}
