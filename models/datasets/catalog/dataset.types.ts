import type { AnnotationFormat, Split } from '../../../formats/annotations/annotation.types.js';

export const DATASET_STATUSES = ['DRAFT', 'VALIDATING', 'FROZEN', 'FAILED'] as const;
export type DatasetStatus = (typeof DATASET_STATUSES)[number];

export const VALIDATION_STATUSES = ['PENDING', 'RUNNING', 'PASSED', 'FAILED'] as const;
export type ValidationStatus = (typeof VALIDATION_STATUSES)[number];

export const FILE_STATUSES = ['pending', 'valid', 'invalid'] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];

export const FILE_KINDS = ['image', 'annotation', 'tabular', 'other'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export const FILE_ORIGINS = ['upload', 'sync'] as const;
export type FileOrigin = (typeof FILE_ORIGINS)[number];

export const UPLOAD_STATES = ['open', 'assembling', 'done', 'failed', 'expired'] as const;
export type UploadState = (typeof UPLOAD_STATES)[number];

/** One finding of a validation. `file_id` is null for findings about the dataset as a whole. */
export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly file_id?: string | null;
}

/** Report of the last validation, as it is stored and shown. */
export interface ValidationReport {
  readonly checked_at?: string;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly stats: Readonly<Record<string, unknown>>;
}

/** A class of a classification dataset: the class folder of its images, and how many there are. */
export interface ClassCount {
  readonly name: string;
  readonly count: number;
}

/** The first classes by name, and how many there are: any folder of images is a class. */
export interface CountedClasses {
  readonly shown: readonly ClassCount[];
  readonly total: number;
}

/** Classes by the task of training that a dataset's annotations serve; counts of images for classification, of objects otherwise. */
export type TaskClasses = Readonly<Record<string, readonly ClassCount[]>>;

export type SplitCounts = Readonly<Partial<Record<Split, number>>>;

/** A dataset as training sees it: frozen, with the immutable manifest it is staged from. */
export interface FrozenDataset {
  /** Row id; `key` is the id people use. */
  readonly id: string;
  readonly key: string;
  readonly name: string;
  /** What training holds (`holdDatasetVersion`), so that its objects outlive later changes and deletion. */
  readonly versionId: string;
  /** sha256 of the canonical manifest; recorded as lineage. */
  readonly digest: string;
  /** Object key of the manifest (see manifest.types.ts). */
  readonly manifestKey: string;
  /** By name; counts of valid images. */
  readonly classes: readonly ClassCount[];
  /** How its images are annotated; null for versions older than this figure. */
  readonly format: AnnotationFormat | null;
  readonly tasks: TaskClasses;
  /** Images by the part that their folders name; empty where none does. */
  readonly splits: SplitCounts;
  readonly classesInParts: ClassesInParts;
  /** Images of the same bytes as another one, and images of val and test whose bytes are also in train. */
  readonly copies: { readonly images: number; readonly leaked: number };
  /** How many images the annotation files annotate, and how many they name that are not there. */
  readonly named: NamedImages;
  readonly fileCount: number;
  readonly sizeBytes: number;
}

/** The largest classes by part, at most `MAX_CLASSES_IN_PARTS`, as the validation counted; null where it did not. */
export interface ClassesInParts {
  /** Images by part and class folder. */
  readonly images: Readonly<Partial<Record<Split | 'none', PartOfClasses>>> | null;
  /** Objects that annotation files know. */
  readonly objects: ReadonlyArray<{ readonly name: string; readonly train: number }> | null;
}

interface PartOfClasses {
  readonly classes: Readonly<Record<string, number>>;
}

/** The report of a validation counts so many classes in parts, the largest first. */
export const MAX_CLASSES_IN_PARTS = 1000;

/** What a validation found of the images that annotations name. */
export interface NamedImages {
  readonly found: number;
  readonly missing: number;
  /** The first that are missing, each after its annotation file. */
  readonly examples: readonly string[];
}

/** What a list says of a frozen dataset. */
export interface TrainableDataset {
  /** The id people use. */
  readonly key: string;
  readonly name: string;
  readonly digest: string;
  readonly fileCount: number;
  readonly sizeBytes: number;
  /** Classes of the task with the most of them. */
  readonly classCount: number;
}

/** Why a member of an archive becomes no file. */
export type LeftOutReason = 'folder' | 'desktop_file';
export type LeftOut = Readonly<Partial<Record<LeftOutReason, number>>>;

/** What an archive or an upload session brought into a dataset. */
export interface UploadResult {
  readonly created: number;
  /** Files that were there already with the same bytes. */
  readonly skipped: number;
  readonly file_ids: readonly string[];
  readonly errors: ReadonlyArray<{ readonly path: string; readonly code: string; readonly message: string }>;
  /** Members of the archive that became no file, by reason; absent from results older than this figure. */
  readonly left_out?: LeftOut;
}

/** Files that a report speaks of. */
export interface CountedFiles {
  readonly count: number;
  /** The first by path. */
  readonly examples: readonly string[];
}
