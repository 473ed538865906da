import type { ValidationReport, ValidationStatus } from './dataset.types.js';

export interface NewDataset {
  readonly key: string;
  readonly name: string;
  readonly modality: string;
  readonly source?: string;
  readonly schemaVersion: string | null;
  readonly recordCount: number;
  readonly sizeBytes: number;
  readonly format: string;
  readonly keyFields: ReadonlyArray<Record<string, unknown>>;
  readonly variables: readonly unknown[];
  readonly storageUri: string | null;
  readonly validationStatus: ValidationStatus;
  readonly validation: ValidationReport | null;
}
