export interface ImageFacts {
  /** Pixels as stored, before EXIF orientation. */
  readonly width: number;
  readonly height: number;
  /** Difference hash of 64 bits as a signed integer in decimal digits; null for images too small or too plain to be told apart by it. */
  readonly perceptualHash: string | null;
}

export type ImageCheck = { readonly facts: ImageFacts; readonly problem: null } | { readonly facts: Omit<ImageFacts, 'perceptualHash'> | null; readonly problem: string };

/** Decodes images of unknown origin: bounded in pixels, memory, time and number at a time, apart from the caller's process. */
export interface ImageDecoder {
  /**
   * Decodes the whole image. Never throws for bad bytes: says what is wrong with them.
   * @throws AppError service_unavailable when the machine is too busy to tell
   */
  check(bytes: Buffer): Promise<ImageCheck>;
  /**
   * A small upright copy as WebP, at most `maxSide` pixels wide and high.
   * @param read called once a decoder is free, so that those who wait hold no bytes; called again for another attempt
   * @throws AppError unprocessable_entity for bad bytes, service_unavailable when the machine is too busy to tell
   */
  preview(read: () => Promise<Buffer>, maxSide: number): Promise<Buffer>;
}
