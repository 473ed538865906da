export const LOGGED_MODEL_STATUSES = ['PENDING', 'READY', 'UPLOAD_FAILED'] as const;
export type LoggedModelStatus = (typeof LOGGED_MODEL_STATUSES)[number];

type Texts = Readonly<Record<string, string>>;

/** A value that a run measured of a model. `ts` is in milliseconds since 1970; the names are empty without a dataset. */
export interface ModelMetric {
  readonly key: string;
  readonly value: number;
  readonly ts: number;
  readonly step: number;
  readonly runId: string;
  readonly datasetName: string;
  readonly datasetDigest: string;
}

/** The same as a run sends it. */
export type MeasuredModel = Omit<ModelMetric, 'runId'> & { readonly modelId: string };

export interface LoggedModelRow {
  /** The short id; it never leaves the platform. */
  readonly row: number;
  readonly modelId: string;
  readonly experimentId: number;
  readonly sourceRunId: string | null;
  readonly name: string;
  readonly modelType: string | null;
  readonly status: LoggedModelStatus;
  readonly lifecycle: 'active' | 'deleted';
  readonly params: Texts;
  readonly tags: Texts;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface LoggedModelDetail extends LoggedModelRow {
  readonly metrics: readonly ModelMetric[];
}
