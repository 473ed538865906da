import type { KeyValue, MetricPoint, RunStatus } from '../run.types.js';

/** A dataset as a client described it, and for what the run used it. */
export interface DatasetInput {
  readonly name: string;
  readonly digest: string;
  readonly sourceType: string;
  readonly source: string;
  readonly schema: string | null;
  readonly profile: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

export interface RunModelLink {
  readonly modelId: string;
  readonly direction: 'input' | 'output';
  readonly step: number;
}

/** A run with all that MLflow's protocol shows of it. */
export interface RunRecord {
  readonly row: number;
  readonly runId: string;
  readonly name: string;
  readonly experimentId: number;
  readonly status: RunStatus;
  readonly lifecycle: 'active' | 'deleted';
  readonly createdBy: string | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** The latest of each, by name. */
  readonly metrics: readonly MetricPoint[];
  readonly params: readonly KeyValue[];
  readonly tags: readonly KeyValue[];
  readonly datasets: readonly DatasetInput[];
  readonly models: readonly RunModelLink[];
}
