import type { AnnotationFileKind, Box } from '../../../../formats/annotations/annotation.types.js';

/** What one annotation file says of one image. */
export interface ImageEntry {
  readonly fileId: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly kind: AnnotationFileKind;
  /** Place in the list `images` of a COCO file, from 0 on; files of other formats have one entry. */
  readonly seq: number;
  /**
   * EXIF orientation by which its places are to be turned, since it states the size of an image as stored; 0 where it is not
   * known, null where its places are those of the upright image.
   */
  readonly turn: number | null;
  /** All that it lists. */
  readonly count: number;
  /** The first ones, see `packObjects`. */
  readonly objects: Uint8Array;
}

/** An image with what annotation files say of it, files by path. */
export interface ImageWithEntries {
  readonly imageId: string;
  /** Upright; null while it is not read. */
  readonly width: number | null;
  readonly height: number | null;
  readonly entries: readonly ImageEntry[];
}

/** An object of an image for people. */
export interface ImageObject {
  /** Null for a class number that nothing names. */
  readonly label: string | null;
  /** Left, top, right, bottom in pixels of the upright image. */
  readonly box: Box;
  readonly hasOutline: boolean;
  readonly hasKeypoints: boolean;
  readonly isCrowd: boolean;
}

/** An annotation file that speaks of an image. */
export interface ObjectSource {
  readonly fileId: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly kind: AnnotationFileKind;
  /** Place in the list `images` of a COCO file, from 0 on; otherwise 0. */
  readonly entry: number;
  /** The file states places in stored pixels, which are turned. */
  readonly isTurned: boolean;
  /** Where each object of the entry, in the order of the file, stands among those of the image; null: it is left out there. */
  readonly objects: ReadonlyArray<number | null>;
}

export interface AnnotatedImage {
  readonly imageId: string;
  /** Upright; null while it is not read. */
  readonly width: number | null;
  readonly height: number | null;
  readonly objects: readonly ImageObject[];
  /** All, also those that are left out. */
  readonly total: number;
  readonly sources: readonly ObjectSource[];
}
