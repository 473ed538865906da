import type { ArtifactEntryOut } from '../tracker/runs.schemas.js';

export interface CheckpointOut {
  attempt: number;
  run_id: string;
  /** Below the artifacts of its run. */
  path: string;
  /** Finished epochs; null where the training program did not say. */
  epoch: number | null;
  size_bytes: number;
  sha256: string;
  /** Measured in that epoch; null stands for NaN and infinity. */
  metrics: Record<string, number | null>;
  /** Whether a retry would go on from it. */
  resumable: boolean;
  stored_at: string;
}

export interface CheckpointList {
  items: CheckpointOut[];
  total: number;
}

export interface ExperimentArtifactList {
  experiment_id: string;
  /** Run of the current attempt. */
  run_id: string;
  path: string;
  items: ArtifactEntryOut[];
  /** True count; at most 1,000 are listed. */
  total: number;
}

export interface AttemptOut {
  attempt: number;
  run_id: string;
  status: string;
  started_at: string | null;
}

/** Where the tracker has the run of the current attempt. */
export interface TrackerLinkOut {
  experiment_id: string;
  attempt: number;
  run_id: string;
  /** Experiment of the tracker, decimal; null when the run was deleted. */
  tracker_experiment_id: string | null;
  /** `p/e` is experiment e of project p. */
  tracker_experiment_name: string | null;
  /** For MLFLOW_TRACKING_URI, with a tracker token in MLFLOW_TRACKING_TOKEN. */
  tracking_uri: string;
  /** The run as the tracker answers it; takes a tracker token. */
  url: string;
  /** For MLflow's clients: its artifacts. */
  artifact_uri: string;
  /** The run of this API. */
  api_url: string;
  /** Attempts whose run is there, the newest first, at most 100. */
  attempts: AttemptOut[];
}
