import type { DataDigest, LineText } from '../http/routing/parameters.js';
import type { DatasetStatus, ValidationStatus } from '../../models/datasets/catalog/dataset.types.js';

/**
 * Id of a dataset, chosen by the client or made from the name.
 * @pattern ^(?!drafts$)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$ must be 1 to 128 letters, digits, '.', '_' or '-', beginning with a letter or digit, and not the word drafts
 */
export type DatasetId = string;

/**
 * @minLength 1
 * @maxLength 64
 * @pattern ^(?![\s\u200b-\u200d\u2060\u2800\u3164]*$)(?:[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])+$ must be one line of visible text, without control characters and characters that turn the direction of writing
 */
export type ShortText = string;

export interface FindingBody {
  /** @maxLength 128 */
  code: string;
  /** @maxLength 4096 */
  message: string;
  /** @maxLength 128 */
  file_id?: string | null;
  [key: string]: unknown;
}

export interface ValidationBody {
  /**
   * Date and time of ISO 8601.
   * @maxLength 64
   * @pattern ^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?$ must be a time such as 2026-01-31T08:00:00Z
   */
  checked_at?: string;
  /** @maxItems 1000 */
  errors?: FindingBody[];
  /** @maxItems 1000 */
  warnings?: FindingBody[];
  stats?: Record<string, unknown>;
  [key: string]: unknown;
}

/** A column of tabular data. */
export interface VariableBody {
  name: LineText;
  /**
   * @minLength 1
   * @maxLength 64
   */
  dtype: string;
  /** @maxLength 64 */
  unit?: string | null;
  /** Default true. */
  nullable?: boolean;
  /** @maxLength 2000 */
  description?: string | null;
  [key: string]: unknown;
}

/** Unknown keys are dropped. */
export interface DatasetCreate {
  id: DatasetId;
  name: LineText;
  /** Default `upload`. */
  source?: ShortText;
  /** @maxLength 64 */
  schema_version?: string | null;
  /**
   * Records of a catalog entry whose bytes are not held here; files replace it.
   * @isInt
   * @minimum 0
   * @maximum 9007199254740991
   */
  record_count?: number;
  /**
   * @isInt
   * @minimum 0
   * @maximum 9007199254740991
   */
  size_bytes?: number;
  /** Default `images`. */
  format?: ShortText;
  /** @maxItems 1000 */
  key_fields?: Array<Record<string, unknown>>;
  /**
   * Stored, never fetched.
   * @maxLength 2048
   */
  storage_uri?: string | null;
  /** Default `PENDING`. */
  validation_status?: ValidationStatus;
  validation?: ValidationBody | null;
  /** @maxItems 1000 */
  variables?: VariableBody[];
}

/** Unknown keys are dropped. */
export interface DraftCreate {
  name: LineText;
  /** Default `image`. */
  modality?: ShortText;
  /** Default `upload`. */
  source?: ShortText;
}

/** Unknown keys are dropped. */
export interface DatasetUpdate {
  name?: LineText;
  source?: ShortText;
  modality?: ShortText;
}

export interface DatasetListQuery {
  source?: ShortText;
  status?: DatasetStatus;
  /**
   * Id of an external source.
   * @maxLength 128
   */
  external_source?: string;
  /** Only datasets that hold data with this digest, or held them when something was made from them. */
  digest?: DataDigest;
  /**
   * @isInt
   * @minimum 1
   * @maximum 10000000
   */
  page?: number;
  /**
   * Default 50.
   * @isInt
   * @minimum 1
   * @maximum 200
   */
  page_size?: number;
  /**
   * Part of the id or the name.
   * @maxLength 200
   */
  q?: string;
  /**
   * One of name, id, created_at, updated_at, status, size_bytes, file_count.
   * @maxLength 64
   */
  sort?: string;
  order?: 'asc' | 'desc';
}

export interface ClassCountOut {
  name: string;
  count: number;
}

export interface DatasetOut {
  id: string;
  name: string;
  modality: string;
  source: string;
  external_source: string | null;
  schema_version: string | null;
  record_count: number;
  size_bytes: number;
  file_count: number;
  /** As given; `images` and `tabular` follow what the dataset holds once it is FROZEN. */
  format: string;
  key_fields: Array<Record<string, unknown>>;
  variables: Array<Record<string, unknown>>;
  storage_uri: string | null;
  status: DatasetStatus;
  validation_status: ValidationStatus;
  /** Report of the last validation. */
  validation: Record<string, unknown> | null;
  /** Files read by the validation under way. */
  validation_progress: { checked: number; total: number };
  /** sha256 of the canonical manifest; null unless FROZEN. */
  digest: string | null;
  /** How its images are annotated, found by the validation: images (not at all), class_folders, coco, voc or yolo; null unless FROZEN. */
  annotation_format: string | null;
  /** Tasks of training that its annotations serve; empty unless FROZEN. */
  tasks: string[];
  created_at: string;
  updated_at: string;
  /** Account id. */
  created_by: string | null;
}

export interface DatasetPage {
  items: DatasetOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface FileSummaryOut {
  kind: string;
  status: string;
  files: number;
  size_bytes: number;
}

export interface DatasetDetailOut extends DatasetOut {
  /** What the ids of its validations' workflows hold: it is never given to another dataset, as `id` may be after a deletion. */
  uid: string;
  /** What the dataset holds now, and what it froze. */
  manifest: {
    digest: string | null;
    frozen_at: string | null;
    files: FileSummaryOut[];
    /** Images by class, a folder of their path: the first 1,000 classes by name. Invalid images do not count. */
    classes: ClassCountOut[];
    /** How many classes there are. */
    class_count: number;
    /** The first 1,000 classes by name for each task: images for classification, objects otherwise. */
    tasks: Record<string, ClassCountOut[]>;
    /** How many classes there are for each task. */
    task_class_counts: Record<string, number>;
  };
}

export interface SampleRowOut {
  file_id: string;
  path: string;
  kind: string;
  label: string | null;
  width: number | null;
  height: number | null;
  size_bytes: number;
  /** Relative address of the bytes. */
  content_url: string;
  /** Relative address of a small copy; null for files that are no images. */
  preview_url: string | null;
}

/** A row of a table: a value for each of the sample's columns. */
export interface TableRowOut {
  [column: string]: unknown;
}

export interface SampleVariableOut {
  name: string;
  /** As the rows show it, or as a Parquet file states it. */
  dtype: string;
  nullable: boolean;
}

/** The table that a sample's rows come from. */
export interface SampleTableOut {
  file_id: string;
  path: string;
  format: 'csv' | 'tsv' | 'jsonl' | 'parquet';
  variables: SampleVariableOut[];
  /** Bytes read from the object store for this answer. */
  bytes_read: number;
}

export interface SampleOut {
  dataset_id: string;
  /** What the rows are: files, or rows of a table. */
  kind: 'files' | 'table';
  columns: string[];
  rows: Array<SampleRowOut | TableRowOut>;
  /** Files of the whole dataset, or rows of the whole table; null if counting would need the whole file. */
  total: number | null;
  /** Null unless the rows are those of a table. */
  table: SampleTableOut | null;
  /** What was left out, and why. */
  notes: string[];
}
