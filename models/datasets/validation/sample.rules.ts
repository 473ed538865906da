import type { TableFormat } from '../../../core/ports/table-reader.js';

/** Formats by which people say that a dataset is a table. */
const TABULAR_FORMATS: ReadonlySet<string> = new Set([
  'csv',
  'tsv',
  'json',
  'jsonl',
  'ndjson',
  'parquet',
  'table',
  'tabular',
]);

/** Whether people say by the modality that a dataset is a table. */
export const isTabular = (modality: string): boolean => modality.toLowerCase().startsWith('tab');

/**
 * What a sample of the dataset shows: files with pictures, or rows of a table. A table beside images describes them, so
 * the images are shown unless the dataset says that it is a table.
 */
export function sampleKind(dataset: {
  format: string;
  modality: string;
  hasImages: boolean;
  hasTables: boolean;
}): 'files' | 'table' {
  if (!dataset.hasTables) return 'files';
  const saysTable = TABULAR_FORMATS.has(dataset.format.toLowerCase()) || isTabular(dataset.modality);
  return saysTable || !dataset.hasImages ? 'table' : 'files';
}

const FORMAT_OF_TYPE: Readonly<Record<string, TableFormat>> = {
  'application/vnd.apache.parquet': 'parquet',
  'application/x-ndjson': 'jsonl',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
};

/** Null for what is no table. @param mediaType as recognised by the bytes */
export const tableFormat = (mediaType: string): TableFormat | null => FORMAT_OF_TYPE[mediaType] ?? null;
