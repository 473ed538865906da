export const EXPORT_STATUSES = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];
export type ExportEndStatus = Extract<ExportStatus, 'SUCCEEDED' | 'FAILED' | 'CANCELED'>;

/** What became of one format (runtime contract, `export.json`). */
export interface ExportedFormat {
  readonly format: string;
  readonly available: boolean;
  /** Why it is not available. */
  readonly reason: string | null;
  /** Name below `export/` of the run's artifacts. */
  readonly file: string | null;
  readonly sha256: string | null;
  /** Largest difference between its answers and those of the trained model. */
  readonly maxDifference: number | null;
  /** More than this is not kept. */
  readonly tolerance: number | null;
  readonly comparedImages: number | null;
}
