/** A run that is to be removed. */
export interface LockedRun {
  readonly row: number;
  readonly runId: string;
  readonly isActive: boolean;
}

/** A model version that was made from one of the runs, or that has a file of one. */
export interface RunUser {
  readonly runId: string;
  readonly modelName: string;
  readonly version: number;
}
