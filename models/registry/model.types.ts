export const STAGES = ['None', 'Staging', 'Production', 'Archived'] as const;
export type Stage = (typeof STAGES)[number];

/** A file of a model version; `path` is relative to the model folder, such as `MLmodel`. */
export interface ModelFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Hex digest of the bytes. */
  readonly sha256: string;
  readonly objectKey: string;
}

/** The registered version with whose weights a training began. */
export interface BaseVersion {
  readonly versionId: string;
  /** As it was called when the training was asked for. */
  readonly name: string;
  readonly version: number;
  /** SHA-256 of the file with the weights, in hexadecimal digits. */
  readonly sha256: string;
}

/** A class of the data that a version was trained with, and how many images or objects of it there are. */
export interface TrainingClass {
  readonly name: string;
  readonly count: number;
}

/** What a registered version says of its origin. */
export interface Lineage {
  /** 32 hex digits; empty for a model that was logged outside of runs. */
  readonly runId: string;
  /** Tracker experiment, a decimal string; null when unknown. */
  readonly experimentId: string | null;
  /** Training experiment whose attempt the run is; null for runs logged from outside. */
  readonly trainingExperimentId: string | null;
  /** The id people use. */
  readonly datasetKey: string | null;
  readonly datasetDigest: string | null;
  readonly task: string | null;
  readonly framework: string | null;
  /** SPDX identifier of the licence that its framework puts it under; null where that asks for nothing. */
  readonly licence: string | null;
  /** Null: its training began with no registered version, or it is not known. */
  readonly base: BaseVersion | null;
  /** Last value of each metric. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** The run with its lineage and the files it logged below `model/`. */
export interface RegisteredRun extends Lineage {
  /** Every artifact of the run whose path begins with `model/`, with that path relative to the run's root. */
  readonly modelFiles: readonly ModelFile[];
}

/** A registered version, as repositories answer it. */
export interface ModelVersionRow extends Lineage {
  readonly id: string;
  readonly modelId: string;
  readonly name: string;
  readonly version: number;
  readonly stage: Stage;
  readonly sizeBytes: number;
  readonly description: string | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A model with its versions by stage. */
export interface ModelRow {
  readonly id: string;
  readonly name: string;
  readonly versionCount: number;
  /** Highest version there is; null when all were deleted. */
  readonly latestVersion: number | null;
  readonly stages: Readonly<Record<Stage, readonly number[]>>;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
