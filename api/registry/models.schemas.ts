import type { DataDigest } from '../http/routing/parameters.js';

/**
 * 1 to 128 printable characters without `/`, `:` and `%`.
 * @minLength 1
 * @maxLength 128
 */
export type ModelName = string;

/**
 * @isInt
 * @minimum 1
 * @maximum 2147483647
 */
export type VersionNumber = number;

/** Versions of a model by stage, highest first. */
export interface StageMatrix {
  production: number[];
  staging: number[];
  archived: number[];
  none: number[];
}

export interface ModelOut {
  name: string;
  version_count: number;
  /** Null when every version was deleted. */
  latest_version: number | null;
  stages: StageMatrix;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface ModelPage {
  items: ModelOut[];
  total: number;
  page: number;
  page_size: number;
}

/** Versions in each stage, and all models and versions. */
export interface ModelSummaryOut {
  models: number;
  versions: number;
  production: number;
  staging: number;
  archived: number;
  none: number;
}

export interface ModelVersionOut {
  name: string;
  version: number;
  stage: 'None' | 'Staging' | 'Production' | 'Archived';
  run_id: string;
  /** Experiment of the tracker. */
  experiment_id: string | null;
  /** Training experiment that made it; null for runs logged from outside. */
  training_experiment_id: string | null;
  dataset_id: string | null;
  /** sha256 of the frozen dataset's manifest. */
  dataset_digest: string | null;
  task: string | null;
  framework: string | null;
  /** SPDX identifier of the licence that its framework puts it under; null where that asks for nothing. */
  licence: string | null;
  /** Last value of each metric of the run. */
  metrics: Record<string, number | null>;
  size_bytes: number;
  /** Null until the version's image is READY. */
  image_ref: string | null;
  description: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface LineageTrainingOut {
  id: string;
  /** Null, as the status, once it is deleted. */
  name: string | null;
  status: string | null;
}

/** The version that a training began with. */
export interface LineageBaseOut {
  model_name: string;
  version: number;
  /** SHA-256 of the file with its weights, in hexadecimal digits. */
  sha256: string;
  /** Null once it is deleted. */
  stage: 'None' | 'Staging' | 'Production' | 'Archived' | null;
}

/** A version whose training began with the one that is read. */
export interface LineageDerivedOut {
  model_name: string;
  version: number;
  stage: 'None' | 'Staging' | 'Production' | 'Archived';
}

export interface LineageRunOut {
  run_id: string;
  /** Null, as the status, once it is deleted. */
  name: string | null;
  status: string | null;
}

export interface LineageEndpointOut {
  name: string;
  status: string;
}

export interface LineageDeploymentOut {
  id: string;
  status: string;
  created_at: string;
}

export interface LineageDeviceOut {
  device_id: string;
  installed_at: string;
}

/** From the data over training and run to what serves the version, and to the devices that have it. */
export interface LineageOut {
  dataset_id: string | null;
  dataset_digest: string | null;
  /** Null for runs logged from outside. */
  training: LineageTrainingOut | null;
  /** Null: its training began with no version of a model, or it is not known. */
  base: LineageBaseOut | null;
  run: LineageRunOut;
  image_ref: string | null;
  endpoints: LineageEndpointOut[];
  /** Newest first; at most 50 are listed. */
  deployments: LineageDeploymentOut[];
  deployments_total: number;
  /** Those that say that they have it installed; at most 50 are listed. */
  devices: LineageDeviceOut[];
  devices_total: number;
  /** Versions whose training began with this one, newest first; at most 50 are listed. */
  derived: LineageDerivedOut[];
  derived_total: number;
}

export interface ModelVersionDetail extends ModelVersionOut {
  lineage: LineageOut;
}

export interface ModelVersionPage {
  items: ModelVersionOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface StageChange {
  /** `Archived`, `Staging` or `None`; Production is reached by promotion. */
  stage: 'Archived' | 'Staging' | 'None';
}

export interface StageChangeOut {
  version: number;
  from_stage: 'None' | 'Staging' | 'Production' | 'Archived';
  to_stage: 'None' | 'Staging' | 'Production' | 'Archived';
  reason: string | null;
  /** Null: the platform itself. */
  actor_id: string | null;
  actor_name: string | null;
  /** The promotion that moved it, or null. */
  promotion_id: string | null;
  at: string;
}

export interface ProductionOut {
  version: number;
  since: string;
}

export interface StageHistoryOut {
  /** Changes up to `at`, newest first; at most 1,000 are listed. */
  items: StageChangeOut[];
  total: number;
  /** The time that was asked for, or now. */
  at: string;
  /** Who was in Production at that time; null: no version was. */
  production: ProductionOut | null;
}

/** Parameters of the model list. */
export interface ModelListQuery {
  /** Only models with a version that was made from data with this digest. */
  dataset_digest?: DataDigest;
  /** True: only models with a version in Production; false: only models without. */
  production?: boolean;
  /**
   * @isInt
   * @minimum 1
   * @maximum 10000000
   */
  page?: number;
  /**
   * @isInt
   * @minimum 1
   * @maximum 200
   */
  page_size?: number;
  /**
   * Part of the name.
   * @maxLength 200
   */
  q?: string;
  /**
   * One of name, created_at, updated_at, latest_version, version_count.
   * @maxLength 64
   */
  sort?: string;
  order?: 'asc' | 'desc';
}

export interface VersionListQuery {
  /** Only versions that were made from data with this digest. */
  dataset_digest?: DataDigest;
  /**
   * @isInt
   * @minimum 1
   * @maximum 10000000
   */
  page?: number;
  /**
   * @isInt
   * @minimum 1
   * @maximum 200
   */
  page_size?: number;
}
