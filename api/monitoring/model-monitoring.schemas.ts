/**
 * An integer with `m`, `h` or `d`.
 * @maxLength 6
 * @pattern ^[1-9][0-9]{0,4}[mhd]$ must be an integer with m, h or d
 */
export type SpanText = string;

/**
 * `training`, or a version of the model.
 * @maxLength 10
 * @pattern ^(?:training|[1-9][0-9]{0,9})$ must be training or a version of the model
 */
export type BaselineText = string;

export interface PerformancePointOut {
  /** Beginning of the step. */
  at: string;
  version: number;
  /** Predictions that feedback judges. */
  sample_size: number;
  accuracy: number;
}

/** A version over the whole range. */
export interface VersionPerformanceOut {
  version: number;
  sample_size: number;
  accuracy: number;
  /** Wilson's score interval at 95 %. */
  low: number;
  high: number;
  /** True: the whole interval lies below the threshold; null: there is no threshold. */
  below_threshold: boolean | null;
}

export interface PerformanceOut {
  name: string;
  range: string;
  /** Seconds of each point. */
  step_s: number;
  /** Predictions within the range that feedback judges; 0: there is nothing to say yet. */
  sample_size: number;
  /** Feedback that cannot be compared with a prediction that is known here. */
  unmatched: number;
  test: 'wilson_interval';
  /** The tenant's KPI target `accuracy`; null where it has none. */
  threshold: number | null;
  versions: VersionPerformanceOut[];
  /** Oldest first; steps without feedback are left out. */
  points: PerformancePointOut[];
  /** Why there are no figures; null where there are some. */
  message: string | null;
}

export interface DistributionQuery {
  /** What is looked at; `label` is the predicted class. */
  feature?: 'label' | 'confidence' | 'latency_ms';
  baseline?: BaselineText;
  /**
   * The version that is looked at; by default the one in Production, or else the latest.
   * @isInt
   * @minimum 1
   * @maximum 2147483647
   */
  version?: number;
  range?: SpanText;
}

export interface DistributionBinOut {
  /** The label of a category; null for a range of numbers. */
  label: string | null;
  from: number | null;
  to: number | null;
  reference: number;
  current: number;
}

export interface DriftTestOut {
  test: 'chi_square' | 'kolmogorov_smirnov';
  /** Null while one of the samples is empty. */
  statistic: number | null;
  p_value: number | null;
  /** Below it the difference is more than chance explains. */
  threshold: number;
}

export interface PsiOut {
  /** Population stability index; null while one of the samples is empty. */
  value: number | null;
  threshold: number;
}

export interface DistributionOut {
  name: string;
  version: number;
  feature: string;
  baseline: string;
  range: string;
  /** Values of the version within the range that were compared, the latest 10,000 at most; 0: there is nothing to say yet. */
  sample_size: number;
  baseline_sample_size: number;
  bins: DistributionBinOut[];
  psi: PsiOut;
  test: DriftTestOut;
  /** True where both exceed their thresholds; null with fewer than 30 values on either side. */
  drifted: boolean | null;
  /** Why there is nothing to say; null where there is. */
  message: string | null;
}
