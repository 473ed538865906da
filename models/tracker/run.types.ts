export const RUN_STATUSES = ['RUNNING', 'SCHEDULED', 'FINISHED', 'FAILED', 'KILLED'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export type RunEnd = Extract<RunStatus, 'FINISHED' | 'FAILED' | 'KILLED'>;

/** One value of a metric. `ts` is in milliseconds since 1970; `value` may be NaN or infinite. */
export interface MetricPoint {
  readonly key: string;
  readonly step: number;
  readonly ts: number;
  readonly value: number;
}

export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

/** What one log-batch call brings. */
export interface RunBatch {
  readonly metrics: readonly MetricPoint[];
  readonly params: readonly KeyValue[];
  readonly tags: readonly KeyValue[];
}

/** A run as it is listed. `row` is the short id that metric rows carry; it never leaves the platform. */
export interface RunSummary {
  readonly row: number;
  /** 32 hex digits. */
  readonly runId: string;
  readonly name: string;
  readonly experimentId: number;
  readonly experimentName: string;
  readonly project: string;
  readonly status: RunStatus;
  /** Training experiment whose attempt owns the run; null for runs made by other clients. */
  readonly trainingId: string | null;
  readonly trainingAttempt: number | null;
  readonly isJobOpen: boolean;
  readonly createdBy: string | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The value that a run is judged by; it may be NaN or infinite. */
export interface MainMetric {
  readonly name: string;
  readonly value: number;
}

/** A run as it stands in a list, with the value that it is judged by. */
export interface JudgedRun extends RunSummary {
  readonly mainMetric: MainMetric | null;
}

export interface RunDetail extends RunSummary {
  readonly params: Readonly<Record<string, string>>;
  /** Latest value of each metric: of the highest step, then the latest time, then the largest value. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly tags: Readonly<Record<string, string>>;
}

/** A file below the artifact root of a run. */
export interface RunArtifact {
  /** Relative to the root, parts separated by `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly objectKey: string;
}

/** One entry of a listed directory. */
export interface ArtifactEntry {
  readonly path: string;
  readonly isDir: boolean;
  /** A directory has the sum of its files. */
  readonly sizeBytes: number;
}
