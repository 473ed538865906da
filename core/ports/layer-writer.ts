import type { Readable } from 'node:stream';

/** A regular file of an image layer. */
export interface LayerMember {
  /** Relative, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Hex digest that the bytes must have. */
  readonly sha256: string;
  open(signal: AbortSignal): Promise<Readable>;
}

export interface LayerFile {
  /** `sha256:<hex>` of the compressed bytes. */
  readonly digest: string;
  readonly size: number;
  /** `sha256:<hex>` of the tar before compression. */
  readonly diffId: string;
}

/**
 * Writes an OCI layer (tar+gzip) to the file `target`. The same members give the same bytes, in whatever order they come.
 * @throws AppError bad_gateway when a member's bytes do not have its digest
 */
export type LayerWriter = (
  target: string,
  members: readonly LayerMember[],
  signal: AbortSignal,
) => Promise<LayerFile>;
