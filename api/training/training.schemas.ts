import type { PageNumber, PageSize, SearchText, Uuid } from '../http/routing/parameters.js';

export type TaskType =
  | 'classification'
  | 'detection'
  | 'instance_segmentation'
  | 'semantic_segmentation'
  | 'pose'
  | 'obb';
export type ExperimentId = Uuid;
export type ExperimentStatus =
  | 'QUEUED'
  | 'PREPARING'
  | 'RUNNING'
  | 'FINALIZING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELED';

/** @pattern ^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$ must be 1 to 128 letters, digits, '.', '_' or '-', beginning with a letter or digit */
export type TrainableDatasetId = string;

/** @maxLength 64 */
export type FrameworkName = string;
/** @maxLength 128 */
export type TrainableModelName = string;

export interface TaskOut {
  name: TaskType;
  title: string;
  description: string;
  /** Whether this installation can train for it. */
  available: boolean;
  /** Why not; null when available. */
  reason: string | null;
}

export interface TaskList {
  items: TaskOut[];
  total: number;
}

export interface EnvironmentOut {
  size_gb: number;
  seconds: number;
}

export interface FrameworkOut {
  name: string;
  title: string;
  /** As `licence`. */
  license: string;
  /** SPDX identifier of the licence. */
  licence: string;
  homepage: string;
  needs_gpu: boolean;
  tasks: TaskType[];
  /** What evaluation.metrics may name. */
  metrics: string[];
  /** What making its environment takes, once on each host that trains with it; null where nothing is stated. */
  environment: EnvironmentOut | null;
  /** Whether this installation can train with it. */
  available: boolean;
  /** Why not; null when available. */
  reason: string | null;
}

export interface FrameworkList {
  items: FrameworkOut[];
  total: number;
}

export interface CatalogModelOut {
  name: string;
  title: string;
  description: string;
  framework: string;
  task: TaskType;
  default: boolean;
  /** Parameter count in millions. */
  parameters_m: number;
  /** Mean average precision as published, in percent; null where it does not apply. */
  map: number | null;
  /** SPDX identifier of the licence of its framework. */
  licence: string;
  /** What `pretrained.source` may be: `catalog` where the operator placed weights; empty: it trains from scratch alone. */
  pretrained_sources: Array<'catalog' | 'model' | 'url'>;
  available: boolean;
  reason: string | null;
}

export interface CatalogModelPage {
  items: CatalogModelOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface CatalogModelQuery {
  task: TaskType;
  /** Empty: all */
  framework?: FrameworkName;
  q?: SearchText;
  page?: PageNumber;
  page_size?: PageSize;
}

export interface TrainableDatasetOut {
  id: string;
  name: string;
  /** sha256 of the canonical manifest */
  digest: string;
  file_count: number;
  size_bytes: number;
  class_count: number;
}

export interface TrainableDatasetList {
  items: TrainableDatasetOut[];
  total: number;
}

export interface ClassOut {
  name: string;
  count: number;
}

export interface ClassList {
  items: ClassOut[];
  total: number;
  dataset_id: string;
  task: TaskType;
}
