import type { Readable } from 'node:stream';

/** A file with weights that trainings may begin with, and the sha256 that the operator states beside it. */
export interface StatedWeights {
  /** Absolute. */
  readonly path: string;
  /** 64 lower-case hex digits; whether the file has it is checked when it is used. */
  readonly sha256: string;
}

/** Weights that the operator placed for models of the catalog. */
export interface OperatorWeights {
  /** Null where nothing is placed for the model, or nothing with its sha256. */
  find(framework: string, model: string): Promise<StatedWeights | null>;
  /** The bytes. @throws AppError conflict when the file cannot be read (any more) */
  open(weights: StatedWeights): Promise<Readable>;
}
