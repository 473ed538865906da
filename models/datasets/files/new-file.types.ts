import type { FileKind } from '../catalog/dataset.types.js';

/** A file whose bytes are in the store under a recorded key. */
export interface NewFile {
  /** As `checkFilePath` answers it. */
  readonly path: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly objectKey: string;
  readonly mediaType: string;
  readonly kind: FileKind;
}
