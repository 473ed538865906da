export interface ExportResultOut {
  format: string;
  available: boolean;
  /** Why not; null when available. */
  reason: string | null;
  /** Among the artifacts of the run. */
  path: string | null;
  sha256: string | null;
  /** Largest difference between its answers and those of the trained model. */
  max_difference: number | null;
  /** A format that differs by more is not kept. */
  tolerance: number | null;
  compared_images: number | null;
}

export interface ExportOut {
  id: string;
  experiment_id: string;
  /** Run that keeps the result, below `export/`. */
  run_id: string;
  formats: string[];
  /** SPDX identifier of the licence that its framework puts the model under; null where that asks for nothing. */
  licence: string | null;
  status: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED';
  /** What is under way, or why it ended. */
  status_message: string;
  /** Empty until its program has reported. */
  results: ExportResultOut[];
  started_at: string | null;
  finished_at: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface ExportList {
  items: ExportOut[];
  total: number;
}
