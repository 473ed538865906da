export interface LaunchVariableOut {
  name: string;
  /** Null for secrets, and for what the host decides. */
  value: string | null;
  from: 'platform' | 'host' | 'secret';
}

export interface LaunchVolumeOut {
  /** Relative to the working directory. */
  path: string;
  kind: 'workspace' | 'file' | 'dataset' | 'object';
  description: string;
  read_only: boolean;
}

export interface LaunchPodOut {
  /** Its name with the orchestrator. */
  name: string;
  kind: 'job';
  /** Folder below docker/runtimes whose program runs. */
  runtime: string;
  entrypoint: string;
  args: string[];
  /** Who brought the program. */
  origin: 'platform' | 'tenant';
  memory_limit_bytes: number;
  /** Null: none. */
  timeout_s: number | null;
  gpu: number;
  /** As its host saw it last; null before it is asked for, and after it was removed. */
  status: string | null;
  message: string | null;
  started_at: string | null;
}

/** How the current attempt is launched, or would be; no value of a secret is in it. */
export interface LaunchOut {
  experiment_id: string;
  attempt: number;
  run_id: string;
  environment: LaunchVariableOut[];
  volumes: LaunchVolumeOut[];
  pod: LaunchPodOut;
  /** `config.json` of the working directory. */
  config: Record<string, unknown>;
}
