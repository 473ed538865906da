export interface UsageItemOut {
  kind: string;
  /** Id of the training experiment. */
  experiment_id: string;
  name: string | null;
  status: string | null;
  task: string | null;
  framework: string | null;
  model: string | null;
  tracker_run_id: string | null;
  /** Digest of the dataset as the run uses it. */
  digest: string;
  created_at: string;
}

/** A model version that was made from the dataset. */
export interface MadeVersionOut {
  model_name: string;
  version: number;
  stage: string;
  /** Digest of the dataset as it was used; null when unknown. */
  dataset_digest: string | null;
  run_id: string;
  /** Null for runs logged from outside. */
  training_experiment_id: string | null;
  /** Names of the endpoints that serve it. */
  endpoints: string[];
  /** Devices that have it installed; at most 10 are listed. */
  devices: string[];
  devices_total: number;
}

/** Another dataset with a version of the same files: a copy, or the one that this is a copy of. */
export interface SameDataOut {
  dataset_id: string;
  name: string;
  /** What both have, or had. */
  digest: string;
  /** True: the other dataset holds these data now. */
  is_current: boolean;
}

export interface UsageOut {
  items: UsageItemOut[];
  total: number;
  /** Newest first; at most 1,000 are listed. */
  model_versions: MadeVersionOut[];
  model_versions_total: number;
  /** Other datasets whose data are or were the same, by id; at most 100 are listed. */
  same_data: SameDataOut[];
  same_data_total: number;
}
