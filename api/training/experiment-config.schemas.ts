import type { TaskType } from './training.schemas.js';

/*
 * These shapes are closed: an unknown key answers 422 naming it and the nearest known one. The index signature lets the
 * key reach the check that does so; the published description states additionalProperties: false.
 */

/**
 * Name of a metric of the catalog.
 * @maxLength 64
 */
export type MetricName = string;

/**
 * Name of a class of the dataset.
 * @maxLength 512
 */
export type ClassName = string;

/** Weights that training begins with. */
export interface PretrainedConfig {
  /** Default: true where there are such weights. With false training begins from scratch */
  enabled?: boolean | null;
  source?: 'catalog' | 'model' | 'url' | null;
  /**
   * Model of the tenant: required with `model`
   * @minLength 1
   * @maxLength 128
   */
  model_name?: string | null;
  /**
   * Version of the model; absent: the newest
   * @isInt
   * @minimum 1
   * @maximum 2147483647
   */
  version?: number | null;
  /**
   * @minLength 1
   * @maxLength 2048
   */
  url?: string | null;
  /**
   * Sha256 of the weights: required with `url`; with `catalog` it is that of the operator's file, with `model` that of the version's
   * @pattern ^[0-9a-f]{64}$ must be 64 lower-case hex digits
   */
  sha256?: string | null;
  [key: string]: unknown;
}

/** With mode ratio, train, val and test add up to 1. */
export interface SplitConfig {
  mode?: 'ratio' | 'existing' | null;
  /**
   * @minimum 0
   * @maximum 1
   */
  train?: number | null;
  /**
   * @minimum 0
   * @maximum 1
   */
  val?: number | null;
  /**
   * @minimum 0
   * @maximum 1
   */
  test?: number | null;
  /**
   * @isInt
   * @minimum 0
   * @maximum 2147483647
   */
  seed?: number | null;
  stratify?: boolean | null;
  [key: string]: unknown;
}

export interface EvaluationConfig {
  enabled?: boolean | null;
  split?: 'val' | 'test' | null;
  /** @maxItems 50 */
  metrics?: MetricName[] | null;
  /**
   * @minimum 0
   * @maximum 1
   */
  conf?: number | null;
  /**
   * @minimum 0
   * @maximum 1
   */
  iou?: number | null;
  [key: string]: unknown;
}

export interface ExportConfig {
  enabled?: boolean | null;
  /** @maxItems 4 */
  formats?: Array<'onnx' | 'torchscript' | 'openvino' | 'tensorrt'> | null;
  /**
   * @isInt
   * @minimum 4
   * @maximum 8192
   */
  image_size?: number | null;
  half?: boolean | null;
  dynamic?: boolean | null;
  [key: string]: unknown;
}

export interface ServingConfig {
  build_image?: boolean | null;
  create_endpoint?: boolean | null;
  /**
   * @minLength 1
   * @maxLength 50
   * @pattern ^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$ must be 1 to 50 lower-case letters, digits or '-', with a letter or digit at both ends
   */
  endpoint_name?: string | null;
  /**
   * @isInt
   * @minimum 1
   * @maximum 32
   */
  replicas?: number | null;
  /**
   * @isInt
   * @minimum 0
   * @maximum 64
   */
  gpu?: number | null;
  [key: string]: unknown;
}

/** What an experiment decides beside its dataset. */
export interface ExperimentSettings {
  task: TaskType;
  /**
   * @minLength 1
   * @maxLength 64
   */
  framework: string;
  /**
   * @minLength 1
   * @maxLength 128
   */
  model: string;
  pretrained?: PretrainedConfig | null;
  cache_dataset?: boolean | null;
  /**
   * Empty: all classes
   * @maxItems 10000
   */
  classes?: ClassName[] | null;
  split?: SplitConfig | null;
  /**
   * YAML text; empty: the catalog's defaults
   * @maxLength 65536
   */
  hyperparameters?: string | null;
  evaluation?: EvaluationConfig | null;
  export?: ExportConfig | null;
  serving?: ServingConfig | null;
  /** @maxLength 128 */
  runtime_variant?: string | null;
  /** @maxLength 512 */
  runtime_image?: string | null;
  runtime_shared?: boolean | null;
  /**
   * GPU slots. Default 1; 0 where the installation has none. More than it has are refused
   * @isInt
   * @minimum 0
   * @maximum 64
   */
  gpu?: number | null;
  /**
   * Empty: made from model and time. `p/e` is experiment e of the tracker's project p. Letters and digits of every language,
   * `_`, `-`, `.`, spaces, and `/` between parts, which neither begin nor end with a space and are not `.` or `..`
   * @maxLength 200
   */
  experiment_name?: string | null;
  register_model?: boolean | null;
  /**
   * Empty: the experiment's name, of `p/e` the part behind the last slash, at most 128 characters of it
   * @maxLength 128
   */
  register_model_name?: string | null;
}

/** What is to be trained. Checked fully before anything starts; `experiments:validate` checks without starting. */
export interface ExperimentConfig extends ExperimentSettings {
  /** @pattern ^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$ must be 1 to 128 letters, digits, '.', '_' or '-', beginning with a letter or digit */
  dataset_id: string;
  [key: string]: unknown;
}

/** One thing that is wrong or worth knowing, with its place. */
export interface ConfigFinding {
  loc: Array<string | number>;
  msg: string;
  type: string;
}

export interface ConfigCheckOut {
  valid: boolean;
  errors: ConfigFinding[];
  warnings: ConfigFinding[];
}
