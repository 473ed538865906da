import type { PageNumber, PageSize, SearchText } from '../http/routing/parameters.js';
import type { MainMetricOut } from '../tracker/runs.schemas.js';
import type { ExperimentStatus } from './training.schemas.js';

export interface StepOut {
  key: string;
  title: string;
  status: 'pending' | 'running' | 'done' | 'failed' | 'skipped';
  /** From 0 to 1. */
  progress: number;
  message: string;
  /** Why it does not train yet, as a stable code; null when nothing is in the way. */
  reason:
    | 'worker'
    | 'checking'
    | 'starting'
    | 'no_host'
    | 'no_runtime'
    | 'no_isolation'
    | 'memory_limit'
    | 'memory'
    | 'turn'
    | null;
  /** Counted from 1 among the trainings that wait for a host; null when it does not wait for one. */
  queue_position: number | null;
  /** When the step is expected to begin; null when it has begun or cannot be estimated. */
  predicted_start_at: string | null;
  /** When the step is expected to end; null when it has ended or cannot be estimated. */
  eta: string | null;
  started_at: string | null;
  finished_at: string | null;
}

interface ExperimentFields {
  id: string;
  name: string;
  task: string;
  framework: string;
  model: string;
  dataset_id: string;
  /** Digest of the frozen data it is trained from. */
  dataset_digest: string;
  status: ExperimentStatus;
  /** What is under way, or why it ended. */
  status_message: string;
  /** From 0 to 1. */
  progress: number;
  gpu: number;
  preset: string | null;
  attempt: number;
  tracker_run_id: string;
  started_at: string | null;
  finished_at: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface ExperimentDetailOut extends ExperimentFields {
  /** The config as it runs: every default filled in. */
  config: Record<string, unknown>;
  steps: StepOut[];
}

/** An experiment in a list. */
export interface ExperimentOut extends ExperimentFields {
  /** Latest value that its run is judged by; null before the first metric. */
  main_metric: MainMetricOut | null;
}

export interface ExperimentPage {
  items: ExperimentOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface ExperimentListQuery {
  /** Empty: all */
  status?: '' | 'QUEUED' | 'PREPARING' | 'RUNNING' | 'FINALIZING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED';
  page?: PageNumber;
  page_size?: PageSize;
  q?: SearchText;
  /**
   * created_at (default, newest first), name, status, started_at, finished_at or progress
   * @maxLength 64
   */
  sort?: string;
  order?: 'asc' | 'desc';
}

export interface StepList {
  items: StepOut[];
  total: number;
  attempt: number;
}

export interface CurvePointOut {
  step: number;
  /** Null stands for NaN and infinity. */
  value: number | null;
  at: string;
}

export interface CurveOut {
  key: string;
  points: CurvePointOut[];
  /** Whether points are left out. */
  sampled: boolean;
  /** Points that there are. */
  total: number;
}

export interface ExperimentMetricsOut {
  experiment_id: string;
  run_id: string;
  /** Points of one series at most; longer ones are reduced to the first, last, least and greatest value of each part, and every NaN. */
  max_points: number;
  /** Every metric of the run. */
  keys: string[];
  items: CurveOut[];
  total: number;
}

export interface ExperimentRetry {
  /**
   * False: from the start, whatever checkpoint there is
   * @default true
   */
  resume?: boolean;
}

export interface ExperimentDeletedOut {
  status: string;
  message: string;
  id: string;
}
