/** @pattern ^[0-9a-f]{32}$ must be 32 lower-case hexadecimal digits */
export type RunId = string;

/** @maxLength 512 */
export type ArtifactPath = string;

/** The latest value of the metric that a run is judged by. */
export interface MainMetricOut {
  name: string;
  /** Null stands for NaN and infinity. */
  value: number | null;
}

export interface TreeRunOut {
  run_id: string;
  name: string;
  status: string;
  started_at: string | null;
  finished_at: string | null;
  /** Latest value that the run is judged by; null before the first metric. */
  main_metric: MainMetricOut | null;
}

export interface TreeExperimentOut {
  /** Decimal, as the tracker counts them. */
  id: string;
  name: string;
  /** Runs that it has in all, whether they are shown here or not. */
  run_count: number;
  runs: TreeRunOut[];
}

export interface TreeProjectOut {
  name: string;
  experiments: TreeExperimentOut[];
}

/** Projects with their experiments, and the latest runs in them. */
export interface ExperimentTreeOut {
  items: TreeProjectOut[];
  /** Runs of the tenant in all, or those that were looked for; at most `max_runs` of them are shown. */
  total: number;
  max_runs: number;
}

export interface RegisteredVersionOut {
  name: string;
  version: number;
}

export interface RunOut {
  run_id: string;
  name: string;
  experiment_id: string;
  experiment_name: string;
  project: string;
  status: 'RUNNING' | 'SCHEDULED' | 'FINISHED' | 'FAILED' | 'KILLED';
  params: Record<string, string>;
  /** Last value of each metric; null stands for NaN and infinity. */
  metrics: Record<string, number | null>;
  tags: Record<string, string>;
  artifact_root: string;
  /** Training experiment whose attempt the run is, or null. */
  training_experiment_id: string | null;
  started_at: string | null;
  finished_at: string | null;
  registered_versions: RegisteredVersionOut[];
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface MetricPointOut {
  step: number;
  /** Null stands for NaN and infinity. */
  value: number | null;
  at: string;
}

export interface MetricSeriesOut {
  run_id: string;
  name: string;
  points: MetricPointOut[];
  max_points: number;
  /** Whether points are left out. */
  sampled: boolean;
  /** Points that there are. */
  total: number;
}

export interface ArtifactEntryOut {
  /** Relative to the root of the run. */
  path: string;
  name: string;
  is_dir: boolean;
  /** A directory has the sum of its files. */
  size_bytes: number;
}

export interface ArtifactListOut {
  run_id: string;
  artifact_root: string;
  path: string;
  items: ArtifactEntryOut[];
  /** True count; at most 1,000 are listed. */
  total: number;
}

export interface RegisterRequest {
  /**
   * 1 to 128 printable characters without `/`, `:` and `%`
   * @minLength 1
   * @maxLength 128
   * @pattern ^(?![\s\u200b-\u200d\u2060\u2800\u3164]*$)(?:[^/:%\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])+$ must be printable and without '/', ':' and '%'
   */
  model_name: string;
}

export interface RegisteredModelOut {
  name: string;
  version: number;
  stage: string;
  run_id: string;
  /** Id of the experiment in the tracker. */
  experiment_id: string | null;
  training_experiment_id: string | null;
  dataset_id: string | null;
  task: string | null;
  framework: string | null;
  /** SPDX identifier of the licence that its framework puts it under; null where that asks for nothing. */
  licence: string | null;
  metrics: Record<string, number | null>;
  size_bytes: number;
  description: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}
