import { fieldError, unprocessable } from '../../core/errors/app-error.js';
import type { RemoteDataset } from '../../core/ports/remote-source.js';
import { parseInstant } from '../../core/time/parse-instant.js';
import type { SourceChanges } from '../../models/sources/catalog/external-source.commands.js';
import type { SourceRow } from '../../models/sources/catalog/external-source.queries.js';
import { MASKED_TOKEN } from '../../models/sources/catalog/external-source.rules.js';
import type { PreviewAmount } from '../../models/sources/sync/sync-preview.js';
import type {
  PreviewAmountOut,
  RemoteDatasetOut,
  RemoteDatasetQuery,
  RemoteManifestOut,
  SourceOut,
  SourceTestOut,
  SourceUpdate,
} from './external-sources.schemas.js';
import type { SourceTest } from './external-sources.service.js';
import type { RemoteManifest } from './manifest-summary.js';

export const toSourceOut = (row: SourceRow): SourceOut => ({
  id: row.key,
  name: row.name,
  base_url: row.baseUrl,
  token: row.sealedToken === null ? null : MASKED_TOKEN,
  description: row.description,
  enabled: row.enabled,
  dataset_count: row.datasetCount,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  created_by: row.createdBy,
});

export const toSourceChanges = ({
  name,
  base_url,
  token,
  description,
  enabled,
}: SourceUpdate): SourceChanges => ({ name, baseUrl: base_url, token, description, enabled });

/** @throws AppError unprocessable_entity for a bad date-time */
export function toRemoteQuery({ updated_after, ...page }: RemoteDatasetQuery): {
  page?: number;
  page_size?: number;
  updatedAfter: Date | null;
} {
  const updatedAfter =
    updated_after === undefined || updated_after === '' ? null : parseInstant(updated_after);
  if (updatedAfter === null && updated_after)
    throw unprocessable([
      fieldError(['query', 'updated_after'], 'must be an ISO 8601 date-time', 'datetime_parsing'),
    ]);
  return { ...page, updatedAfter };
}

export const toRemoteDatasetOut = (dataset: RemoteDataset): RemoteDatasetOut => ({
  id: dataset.id,
  name: dataset.name,
  modality: dataset.modality,
  updated_at: dataset.updatedAt?.toISOString() ?? null,
  file_count: dataset.fileCount,
  size_bytes: dataset.sizeBytes,
});

export const toSourceTestOut = ({
  failure,
  message,
  latencyMs,
  total,
  sample,
}: SourceTest): SourceTestOut => ({
  status: failure === null ? 'ok' : 'failed',
  message,
  reason: failure?.reason ?? null,
  next_step: failure?.next_step ?? null,
  latency_ms: Math.round(latencyMs),
  total,
  sample: sample && toRemoteDatasetOut(sample),
});

const toAmountOut = ({ files, bytes, examples }: PreviewAmount): PreviewAmountOut => ({
  files,
  size_bytes: bytes,
  examples,
});

export const toRemoteManifestOut = (
  sourceId: string,
  remoteDatasetId: string,
  datasetId: string | null,
  manifest: RemoteManifest,
): RemoteManifestOut => ({
  source_id: sourceId,
  remote_dataset_id: remoteDatasetId,
  file_count: manifest.fileCount,
  size_bytes: manifest.sizeBytes,
  files: manifest.files.map(({ localPath, sizeBytes, sha256 }) => ({
    path: localPath,
    size_bytes: sizeBytes,
    sha256,
  })),
  problem_count: manifest.problemCount,
  problems: manifest.problems.map(({ entry, path, code, message }) => ({ entry, path, code, message })),
  preview: manifest.preview && {
    dataset_id: datasetId ?? '',
    add: toAmountOut(manifest.preview.add),
    change: toAmountOut(manifest.preview.change),
    remove: toAmountOut(manifest.preview.remove),
    unchanged: toAmountOut(manifest.preview.unchanged),
    keep: toAmountOut(manifest.preview.keep),
    refusal: manifest.preview.refusal,
  },
});
