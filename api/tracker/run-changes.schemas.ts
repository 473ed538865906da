import type { RunOut } from './runs.schemas.js';

/**
 * 1 to 50 run ids, separated by commas.
 * @maxLength 1649
 * @pattern ^[0-9a-f]{32}(?:,[0-9a-f]{32}){0,49}$ must be 1 to 50 run ids of 32 lower-case hexadecimal digits, separated by commas
 */
export type RunIdList = string;

/**
 * Decimal, as the tracker counts them.
 * @maxLength 15
 * @pattern ^[0-9]{1,15}$ must be a decimal number
 */
export type TrackerExperimentId = string;

/** One name with the value of each run, in the order of `runs`; null where a run has none. */
export interface ComparedTextOut {
  name: string;
  values: Array<string | null>;
  differs: boolean;
}

/** Last values; null also stands for NaN and infinity. */
export interface ComparedMetricOut {
  name: string;
  values: Array<number | null>;
  differs: boolean;
}

export interface RunCompareOut {
  /** In the order of the request; an id that is repeated is answered once. */
  runs: RunOut[];
  params: ComparedTextOut[];
  metrics: ComparedMetricOut[];
  tags: ComparedTextOut[];
}

/** One line with something to be seen in it, without a slash: `project/name` is what clients of the tracker call it. */
export interface ExperimentCreate {
  /**
   * @minLength 1
   * @maxLength 500
   * @pattern ^(?![\s\u200b-\u200d\u2060\u2800\u3164]*$)(?:[^/\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])+$ must be one line of visible text without '/'
   */
  name: string;
  /**
   * @minLength 1
   * @maxLength 250
   * @pattern ^(?![\s\u200b-\u200d\u2060\u2800\u3164]*$)(?:[^/\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])+$ must be one line of visible text without '/'
   */
  project: string;
}

export interface TrackerExperimentOut {
  id: string;
  name: string;
  project: string;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}
