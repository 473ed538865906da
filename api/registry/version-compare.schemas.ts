import type { ModelVersionOut } from './models.schemas.js';

/** Null: the side has no such metric, or it is not finite. */
export interface MetricPairOut {
  name: string;
  from: number | null;
  to: number | null;
  /** `to` minus `from`; null unless both are there. */
  change: number | null;
}

export interface ParamPairOut {
  name: string;
  from: string | null;
  to: string | null;
}

/** What a model takes and gives, as its `MLmodel` file says. */
export interface SignatureOut {
  inputs: unknown;
  outputs: unknown;
}

export interface SignaturePairOut {
  from: SignatureOut | null;
  to: SignatureOut | null;
  is_same: boolean;
}

/** Null: neither the model's files nor its training data name them. */
export interface ClassPairOut {
  from: string[] | null;
  to: string[] | null;
  added: string[];
  removed: string[];
}

export interface FileSideOut {
  size_bytes: number;
  sha256: string;
}

export interface FilePairOut {
  /** Relative to the model folder. */
  path: string;
  change: 'added' | 'removed' | 'changed' | 'same';
  from: FileSideOut | null;
  to: FileSideOut | null;
}

export interface VersionCompareOut {
  name: string;
  from: ModelVersionOut;
  to: ModelVersionOut;
  metrics: MetricPairOut[];
  params: ParamPairOut[];
  signature: SignaturePairOut;
  classes: ClassPairOut;
  files: FilePairOut[];
}
