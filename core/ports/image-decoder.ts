export interface ImageFacts {
  /** Pixels as stored, before EXIF orientation. */
  readonly width: number;
  readonly height: number;
}

export type ImageCheck = { readonly facts: ImageFacts; readonly problem: null } | { readonly facts: ImageFacts | null; readonly problem: string };

/** Decodes images of unknown origin: bounded in pixels, memory and number at a time. */
export interface ImageDecoder {
  /** Decodes the whole image. Never throws for bad bytes: says what is wrong with them. */
  check(bytes: Buffer): Promise<ImageCheck>;
  /** A small upright copy as WebP, at most `maxSide` pixels wide and high. @throws AppError unprocessable_entity for bad bytes */
  preview(bytes: Buffer, maxSide: number): Promise<Buffer>;
}
