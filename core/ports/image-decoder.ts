/** Raised where hash or tones are made in another way: likenesses of different versions are never compared. */
export const LIKENESS_VERSION = 2;

/** What an image looks like, to be compared with others. */
export interface Likeness {
  /** Difference hash of 64 bits as a signed integer in decimal digits. */
  readonly hash: string;
  /** Red, green and blue of a copy of 9 x 8 pixels: different pictures may have near hashes. */
  readonly tones: Uint8Array;
}

export interface ImageFacts {
  /** Pixels as stored, before EXIF orientation. */
  readonly width: number;
  readonly height: number;
  /** As EXIF has it, from 1 to 8; 1 where it says nothing. From 5 on width and height change places upright. */
  readonly orientation: number;
  /** Likeness of the upright image; null for images too small or too plain to be compared. */
  readonly likeness: Likeness | null;
}

export type ImageCheck =
  | { readonly facts: ImageFacts; readonly problem: null }
  | { readonly facts: Omit<ImageFacts, 'likeness'> | null; readonly problem: string };

/** Decodes images of unknown origin: bounded in pixels, memory, time and number at a time, apart from the caller's process. */
export interface ImageDecoder {
  /**
   * Decodes the whole image. Never throws for bad bytes: says what is wrong with them.
   * @throws AppError service_unavailable when the machine is too busy to decode it
   */
  check(bytes: Buffer): Promise<ImageCheck>;
  /**
   * A small upright copy as WebP, at most `maxSide` pixels wide and high.
   * @param read called once a decoder is free, so that those who wait hold no bytes; called again for another attempt
   * @throws AppError unprocessable_entity for bad bytes, service_unavailable when the machine is too busy to decode it
   */
  preview(read: () => Promise<Buffer>, maxSide: number): Promise<Buffer>;
}
