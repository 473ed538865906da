/**
 * What an experiment is to do, complete: every default is filled in. Wire names,
 * because the snapshot is what people read back.
 */
export interface ExperimentConfig {
  readonly task: string;
  readonly framework: string;
  readonly model: string;
  readonly pretrained: {
    readonly enabled: boolean;
    readonly source: 'catalog' | 'model' | 'url';
    readonly model_name: string | null;
    readonly version: number | null;
    readonly url: string | null;
    /** Sha256 of the weights; null where it trains from scratch, and in configs of earlier releases. */
    readonly sha256: string | null;
  };
  readonly dataset_id: string;
  readonly cache_dataset: boolean;
  /** Empty: all classes. */
  readonly classes: readonly string[];
  readonly split: {
    readonly mode: 'ratio' | 'existing';
    readonly train: number;
    readonly val: number;
    readonly test: number;
    readonly seed: number;
    readonly stratify: boolean;
  };
  /** YAML text; empty: the catalog's defaults. */
  readonly hyperparameters: string;
  readonly evaluation: {
    readonly enabled: boolean;
    readonly split: 'val' | 'test';
    readonly metrics: readonly string[];
    readonly conf: number;
    readonly iou: number;
  };
  readonly export: {
    readonly enabled: boolean;
    readonly formats: readonly string[];
    readonly image_size: number | null;
    readonly half: boolean;
    readonly dynamic: boolean;
  };
  readonly serving: {
    readonly build_image: boolean;
    readonly create_endpoint: boolean;
    readonly endpoint_name: string | null;
    readonly replicas: number;
    readonly gpu: number;
  };
  readonly runtime_variant: string | null;
  readonly runtime_image: string | null;
  readonly runtime_shared: boolean;
  readonly gpu: number;
  readonly experiment_name: string;
  readonly register_model: boolean;
  readonly register_model_name: string;
}

export const EXPERIMENT_STATUSES = [
  'QUEUED',
  'PREPARING',
  'RUNNING',
  'FINALIZING',
  'SUCCEEDED',
  'FAILED',
  'CANCELED',
] as const;
export type ExperimentStatus = (typeof EXPERIMENT_STATUSES)[number];
export type ExperimentEnd = Extract<ExperimentStatus, 'SUCCEEDED' | 'FAILED' | 'CANCELED'>;

export const STEP_STATUSES = ['pending', 'running', 'done', 'failed', 'skipped'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export const STEP_KEYS = ['prepare', 'train', 'finalize', 'register', 'image', 'endpoint'] as const;
export type StepKey = (typeof STEP_KEYS)[number];

export interface PlannedStep {
  readonly key: StepKey;
  readonly title: string;
}

export interface ExperimentStep extends PlannedStep {
  readonly status: StepStatus;
  /** From 0 to 1. */
  readonly progress: number;
  readonly message: string;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** One attempt of one experiment: what workflows and activities are about. */
export interface AttemptRef {
  readonly tenantId: string;
  readonly experimentId: string;
  readonly attempt: number;
}
