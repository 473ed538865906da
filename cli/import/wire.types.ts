import type { KeyValue } from './import-job.js';

/** What this reads of MLflow's protocol. */
export interface WireExperiment {
  readonly experiment_id: string;
  readonly name: string;
  readonly tags?: readonly KeyValue[];
}

export interface WireMetric {
  readonly key: string;
  readonly value: number | string;
  readonly timestamp: number | string;
  readonly step?: number | string;
}

/** Metric of a logged model; histories do not name it. */
export interface WireModelMetric extends WireMetric {
  readonly run_id?: string;
  readonly dataset_name?: string;
  readonly dataset_digest?: string;
}

export interface WireRun {
  readonly info: {
    readonly run_id: string;
    readonly run_name?: string;
    readonly user_id?: string;
    readonly status: string;
    readonly lifecycle_stage?: string;
    readonly start_time?: number | string;
    readonly end_time?: number | string;
  };
  readonly data?: {
    readonly metrics?: readonly WireMetric[];
    readonly params?: readonly KeyValue[];
    readonly tags?: readonly KeyValue[];
  };
  readonly inputs?: {
    readonly dataset_inputs?: ReadonlyArray<object>;
    readonly model_inputs?: ReadonlyArray<{ readonly model_id: string }>;
  };
  readonly outputs?: {
    readonly model_outputs?: ReadonlyArray<{ readonly model_id: string; readonly step?: number | string }>;
  };
}

export interface WireLoggedModel {
  readonly info: {
    readonly model_id: string;
    readonly name: string;
    readonly model_type?: string;
    readonly source_run_id?: string;
    readonly status: string | number;
    readonly tags?: readonly KeyValue[];
  };
  readonly data?: {
    readonly params?: readonly KeyValue[];
    readonly metrics?: readonly WireModelMetric[];
  };
}

export interface WireModel {
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly KeyValue[];
  readonly aliases?: ReadonlyArray<{ readonly alias: string; readonly version: string }>;
}

export interface WireVersion {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly creation_timestamp?: number | string;
  readonly current_stage?: string;
  readonly source?: string;
  readonly run_id?: string;
  readonly model_id?: string;
  readonly tags?: readonly KeyValue[];
}

export interface WireFile {
  readonly path: string;
  readonly is_dir: boolean;
  readonly file_size?: number | string;
}
