import type { ExportRow } from '../../../models/training/export/export.queries.js';
import type { ExportOut } from './export.schemas.js';

export const toExportOut = (row: ExportRow): ExportOut => ({
  id: row.id,
  experiment_id: row.experimentId,
  run_id: row.trackerRunId,
  formats: [...row.formats],
  licence: row.licence,
  status: row.status,
  status_message: row.statusMessage,
  results: row.results.map((result) => ({
    format: result.format,
    available: result.available,
    reason: result.reason,
    path: result.file === null ? null : `export/${result.file}`,
    sha256: result.sha256,
    max_difference: result.maxDifference,
    tolerance: result.tolerance,
    compared_images: result.comparedImages,
  })),
  started_at: row.startedAt?.toISOString() ?? null,
  finished_at: row.finishedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  created_by: row.createdBy,
});
