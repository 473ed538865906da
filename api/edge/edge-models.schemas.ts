export interface EdgeModelOut {
  name: string;
  version_count: number;
  latest_version: number | null;
  /** The version in Production; null: none is. */
  production_version: number | null;
}

export interface EdgeModelsOut {
  items: EdgeModelOut[];
  total: number;
}

export interface EdgeModelFileOut {
  /** Relative to the model folder. */
  path: string;
  size_bytes: number;
  sha256: string;
}

export interface EdgeModelVersionOut {
  name: string;
  version: number;
  stage: string;
  task: string | null;
  framework: string | null;
  licence: string | null;
  metrics: { [name: string]: number };
  size_bytes: number;
  image_ref: string | null;
  files: EdgeModelFileOut[];
  created_at: string;
}

export interface EdgeModelVersionsOut {
  items: EdgeModelVersionOut[];
  total: number;
}

/**
 * Relative to the model folder.
 * @minLength 1
 * @maxLength 512
 */
export type ModelFilePath = string;

export interface ContainerPullOut {
  model: string;
  version: number;
  /** `<registry host>/<tenant code>/<model>@sha256:...` */
  image_ref: string;
  digest: string;
  size_bytes: number;
}
