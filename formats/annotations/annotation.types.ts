export const ANNOTATION_FILE_KINDS = [
  'coco',
  'voc',
  'yolo',
  'yolo_config',
  'yolo_names',
  'yolo_list',
] as const;
export type AnnotationFileKind = (typeof ANNOTATION_FILE_KINDS)[number];

/** How the images of a dataset are annotated, by its files; `images`: not at all. */
export type AnnotationFormat = 'images' | 'class_folders' | FileFormat;

/** Formats in which files speak of the images. */
export type FileFormat = 'coco' | 'voc' | 'yolo';

export type Split = 'train' | 'val' | 'test';

/** x and y of the upper left corner, width, height: pixels in COCO and VOC, parts of the image in YOLO. */
export type Box = readonly [x: number, y: number, width: number, height: number];

/** One annotated object. */
export interface ObjectFacts {
  /** Id of a class as its file counts them. */
  readonly classId: number;
  /** Bits of OBJECT_FLAGS. */
  readonly flags: number;
  /** Numbers after the class of a YOLO line; elsewhere 0. */
  readonly values: number;
  readonly box: Box;
  /** Extent of the outline; of a COCO mask, the pixels that its run lengths go over; as the box where there is neither. */
  readonly hull: Box;
}

export const OBJECT_FLAGS = { polygon: 1, mask: 2, keypoints: 4, crowd: 8, outlineOnly: 16 } as const;

/** What one image may have of them. */
export const MAX_OBJECTS_OF_IMAGE = 50_000;

/** What one file may list, and a frozen dataset have. */
export const MAX_CLASSES = 10_000;

/** What one annotation file says about one image. */
export interface AnnotationEntry {
  /** Paths without extension where the image may lie, best first. */
  readonly refs: readonly string[];
  /** The image as the file names it, without extension; a label file names its own path below `labels`. */
  readonly name: string;
  /** Extension as the file names it; null where it names none (YOLO). */
  readonly extension: string | null;
  readonly split: Split | null;
  /** Size of the image as the file claims it. */
  readonly width: number | null;
  readonly height: number | null;
  /** See `packObjects`. */
  readonly objects: Uint8Array;
}

export interface AnnotationClass {
  readonly id: number;
  readonly name: string;
}

/** A folder whose images a YOLO configuration puts into a part. */
export interface PartFolder {
  readonly split: Split;
  readonly folder: string;
  /** As the configuration writes it; several folders are where one name may lie. Not kept of configurations read long ago. */
  readonly name?: string;
  /** Named from the root of the machine that the configuration was written on: an ending of it is a folder of the dataset. */
  readonly isAbsolute?: boolean;
}

/** What one annotation file says. */
export interface AnnotationFacts {
  readonly kind: AnnotationFileKind;
  readonly classes: readonly AnnotationClass[];
  /** Points of an object and numbers of a point (YOLO `kpt_shape`). */
  readonly keypointShape: readonly [number, number] | null;
  /** Only a YOLO configuration has them. */
  readonly partFolders?: readonly PartFolder[];
  readonly imageCount: number;
  readonly objectCount: number;
  /** Objects of images that the file does not list. */
  readonly orphanCount: number;
  /** May be walked once; made as it is walked, so that large files do not stand in memory twice. */
  readonly entries: Iterable<AnnotationEntry>;
  /** What the entries keep in memory beyond what their counts stand for. */
  readonly heldBytes?: number;
}

/** `note`: what is remarkable about a file that can be used. */
export type AnnotationReading =
  | { readonly facts: AnnotationFacts; readonly problem: null; readonly note?: string }
  | { readonly facts: null; readonly problem: string };
