export const IMAGE_STATUSES = ['BUILDING', 'READY', 'FAILED'] as const;
export type ImageStatus = (typeof IMAGE_STATUSES)[number];

export interface ImageRow {
  readonly id: string;
  readonly kind: 'model' | 'import';
  /** Null for images that are no model images. */
  readonly modelVersionId: string | null;
  readonly modelName: string | null;
  readonly modelVersion: number | null;
  /** The training whose model it holds; null for models that a client logged, and other images. */
  readonly trainingId: string | null;
  /** `<tenant code>/<name>`. */
  readonly repository: string;
  readonly tag: string | null;
  /** `sha256:<hex>`; null until READY. */
  readonly manifestDigest: string | null;
  readonly status: ImageStatus;
  readonly statusMessage: string | null;
  /** Runtime variant whose environment runs it; null until READY. */
  readonly runtime: string | null;
  readonly runtimeDigest: string | null;
  readonly sizeBytes: number;
  readonly attempt: number;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A blob as a manifest names it. */
export interface Descriptor {
  readonly mediaType: string;
  /** `sha256:<hex>`. */
  readonly digest: string;
  readonly size: number;
}

/** Where the bytes of a blob lie; the same place for every tenant that has it. */
export const blobKey = (digest: string): string => `blobs/${digest.replace(':', '/')}`;

/** `<registry host>/<tenant code>/<name>@sha256:...`, or null until the image is READY. */
export const imageRef = (
  registryHost: string,
  image: Pick<ImageRow, 'repository' | 'manifestDigest'>,
): string | null =>
  image.manifestDigest === null ? null : `${registryHost}/${image.repository}@${image.manifestDigest}`;
