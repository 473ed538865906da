import type { ValidationReport, ValidationStatus } from './dataset.types.js';

interface CountedDataset {
  readonly fileCount: number;
  readonly validationStatus: ValidationStatus;
  readonly validation: ValidationReport | null;
  readonly tableRows: number | null;
  readonly declaredRecords: number;
}

/** Validated as it is now: what the report counted is true of its files. */
export const isChecked = (row: Pick<CountedDataset, 'fileCount' | 'validationStatus'>): boolean =>
  row.fileCount > 0 && row.validationStatus === 'PASSED';

/** Images, else rows of tables, else files; what its maker declared as long as it has no file. */
export function recordCount(row: CountedDataset): number {
  if (row.fileCount === 0) return row.declaredRecords;
  const images = isChecked(row) ? row.validation?.stats?.images : undefined;
  if (typeof images === 'number' && images > 0) return images;
  return (isChecked(row) ? row.tableRows : null) ?? row.fileCount;
}
