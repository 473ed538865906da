import type { FileId } from './dataset-files.schemas.js';

/**
 * 1 to 100 ids of files, separated by commas.
 * @maxLength 3699
 * @pattern ^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?:,[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}){0,99}$ must be 1 to 100 UUIDs separated by commas
 */
export type FileIdList = string;

export interface ImageObjectOut {
  /** Null for a class number that nothing names. */
  label: string | null;
  /** Left, top, right and bottom in pixels of the upright image. */
  box: number[];
  has_outline: boolean;
  has_keypoints: boolean;
  crowd: boolean;
}

export interface ObjectSourceOut {
  file_id: FileId;
  path: string;
  size_bytes: number;
  format: 'coco' | 'voc' | 'yolo';
  /** Place in the list `images` of a COCO file, from 0; 0 in the other formats, whose files speak of one image. */
  entry: number;
  /**
   * The entry states the size of an image as it is stored, lying: its places in the file are in stored pixels. Boxes here are
   * turned upright, as training turns them.
   */
  turned: boolean;
  /**
   * For each object of the entry, in the order of its file, its place in the image's `objects`, from 0; null for one that
   * is left out there.
   */
  objects: Array<number | null>;
}

export interface AnnotatedImageOut {
  file_id: FileId;
  /** Pixels of the upright image; null while it is not read. */
  width: number | null;
  /** Pixels of the upright image; null while it is not read. */
  height: number | null;
  /** The first 500. What several files say of one class and box is one object. */
  objects: ImageObjectOut[];
  /** True count of objects. */
  object_count: number;
  /** The annotation files that speak of the image, by path. */
  sources: ObjectSourceOut[];
}

export interface ImageAnnotationsOut {
  /** In the order asked for, without files that the dataset does not have. */
  items: AnnotatedImageOut[];
  /** Points of an object and numbers of a point in YOLO labels (`kpt_shape`); null where no configuration states them. */
  keypoint_shape: number[] | null;
}
