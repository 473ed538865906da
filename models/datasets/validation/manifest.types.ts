import type {
  AnnotationClass,
  AnnotationFileKind,
  Split,
} from '../../../formats/annotations/annotation.types.js';
import type { FileKind } from '../catalog/dataset.types.js';

/** What an annotation file of the dataset's format is. A manifest without any was frozen before manifests said so, or has none. */
export interface ManifestAnnotation {
  readonly kind: AnnotationFileKind;
  /** Classes by the ids of its objects: a COCO file's own; those of all YOLO labels on the one file that names them. */
  readonly names?: readonly AnnotationClass[];
  /** Points of an object and numbers of a point, on the one YOLO configuration whose word counts. */
  readonly keypoint_shape?: readonly [number, number];
}

/**
 * What an annotation file says of an image: the file's path and the position in its list of images, 0 in files of one image.
 * `stored`: its places are in the stored pixels of an image that lies on its side.
 */
export type ManifestEntry = readonly [path: string, position: number, coordinates?: 'stored'];

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
  readonly annotation?: ManifestAnnotation;
  /** What the validation matched to an image. Absent where nothing was. */
  readonly entries?: readonly ManifestEntry[];
}

/**
 * The canonical manifest: what a FROZEN dataset holds, as one immutable JSON object of the store, one file a line. Files
 * are sorted by path in code-unit order of UTF-8. `digest` is the sha256 over the lines of `digestLine`.
 */
export interface Manifest {
  readonly digest: string;
  readonly files: readonly ManifestFile[];
}
