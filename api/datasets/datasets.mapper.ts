import type { NewDataset } from '../../models/datasets/catalog/new-dataset.types.js';
import type { DatasetRow, FileSummary } from '../../models/datasets/catalog/dataset-list.queries.js';
import type { FileRow } from '../../models/datasets/files/dataset-file.queries.js';
import type { UploadRow } from '../../models/datasets/uploads/dataset-upload.queries.js';
import { isChecked, recordCount } from '../../models/datasets/catalog/record-count.rules.js';
import type { MadeVersion } from '../../models/registry/lineage.queries.js';
import type { SameData, UsageRow } from '../../models/datasets/catalog/dataset-usage.queries.js';
import type { CountedClasses, UploadResult } from '../../models/datasets/catalog/dataset.types.js';
import type { FilesSample, RowsSample } from './dataset-sample.service.js';
import type { FileOut, UploadResultOut } from './dataset-files.schemas.js';
import type { DatasetUploadOut } from './dataset-uploads.schemas.js';
import type {
  DatasetCreate,
  DatasetDetailOut,
  DatasetOut,
  SampleOut,
  SampleRowOut,
} from './datasets.schemas.js';
import type { MadeVersionOut, SameDataOut, UsageItemOut } from './usage.schemas.js';

export function toDatasetOut(row: DatasetRow): DatasetOut {
  const hasFiles = row.fileCount > 0;
  return {
    id: row.key,
    name: row.name,
    modality: row.modality,
    source: row.source,
    external_source: row.externalSource,
    schema_version: row.schemaVersion,
    record_count: recordCount(row),
    size_bytes: hasFiles ? row.fileBytes : row.declaredBytes,
    file_count: row.fileCount,
    format: row.format,
    key_fields: [...row.keyFields],
    variables: [...(row.variables.length > 0 || !isChecked(row) ? row.variables : row.tableColumns)],
    storage_uri: row.storageUri,
    status: row.status,
    validation_status: row.validationStatus,
    validation: row.validation as unknown as Record<string, unknown> | null,
    validation_progress: { checked: Math.min(row.validationChecked, row.fileCount), total: row.fileCount },
    digest: row.digest,
    annotation_format: row.annotationFormat,
    tasks: row.taskNames ?? [],
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    created_by: row.createdBy,
  };
}

export function toDatasetDetailOut(
  row: DatasetRow,
  files: readonly FileSummary[],
  classes: CountedClasses,
  tasks: Readonly<Record<string, CountedClasses>>,
): DatasetDetailOut {
  const byTask = Object.entries(tasks);
  return {
    ...toDatasetOut(row),
    uid: row.id,
    manifest: {
      digest: row.digest,
      frozen_at: row.frozenAt?.toISOString() ?? null,
      files: files.map((entry) => ({
        kind: entry.kind,
        status: entry.status,
        files: entry.files,
        size_bytes: entry.bytes,
      })),
      classes: classes.shown.map(({ name, count }) => ({ name, count })),
      class_count: classes.total,
      tasks: Object.fromEntries(
        byTask.map(([task, { shown }]) => [task, shown.map(({ name, count }) => ({ name, count }))]),
      ),
      task_class_counts: Object.fromEntries(byTask.map(([task, { total }]) => [task, total])),
    },
  };
}

export const toFileOut = (row: FileRow, datasetId: string): FileOut => ({
  id: row.id,
  dataset_id: datasetId,
  path: row.path,
  status: row.status,
  reason: row.reason,
  kind: row.kind,
  origin: row.origin,
  media_type: row.mediaType,
  size_bytes: row.sizeBytes,
  sha256: row.sha256,
  label: row.label,
  width: row.width,
  height: row.height,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  created_by: row.createdBy,
});

function toSampleRowOut(row: FileRow, datasetId: string): SampleRowOut {
  const content = `/api/v1/datasets/${datasetId}/files/${row.id}/content`;
  const { path, kind, label, width, height, sizeBytes } = row;
  return {
    file_id: row.id,
    path,
    kind,
    label,
    width,
    height,
    size_bytes: sizeBytes,
    content_url: content,
    preview_url: kind === 'image' ? `${content}?variant=preview` : null,
  };
}

const FILE_COLUMNS = ['path', 'kind', 'label', 'width', 'height', 'size_bytes'];

export function toSampleOut(found: FilesSample | RowsSample, datasetId: string): SampleOut {
  if (found.kind === 'files')
    return {
      dataset_id: datasetId,
      kind: 'files',
      columns: FILE_COLUMNS,
      rows: found.rows.map((row) => toSampleRowOut(row, datasetId)),
      total: found.total,
      table: null,
      notes: [],
    };
  const { table, notes, bytesRead } = found;
  const columns = table?.sample.columns.map(({ name }) => name) ?? [];
  return {
    dataset_id: datasetId,
    kind: 'table',
    columns,
    rows:
      table?.sample.rows.map((row) =>
        Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])),
      ) ?? [],
    total: table?.sample.totalRows ?? null,
    table: table && {
      file_id: table.file.id,
      path: table.file.path,
      format: table.format,
      variables: table.sample.columns.map((column) => ({ ...column })),
      bytes_read: bytesRead,
    },
    notes,
  };
}

export function toUsageItemOut(row: UsageRow): UsageItemOut {
  const { name, status, task, framework, model, trackerRunId, digest } = row;
  return {
    kind: row.holderKind,
    experiment_id: row.holderId,
    name,
    status,
    task,
    framework,
    model,
    tracker_run_id: trackerRunId,
    digest,
    created_at: row.createdAt.toISOString(),
  };
}

export const toMadeVersionOut = (made: MadeVersion): MadeVersionOut => ({
  model_name: made.modelName,
  version: made.version,
  stage: made.stage,
  dataset_digest: made.datasetDigest,
  run_id: made.runId,
  training_experiment_id: made.trainingExperimentId,
  endpoints: [...made.endpoints],
  devices: [...made.devices.keys],
  devices_total: made.devices.total,
});

export const toSameDataOut = ({ key, name, digest, isCurrent }: SameData): SameDataOut => ({
  dataset_id: key,
  name,
  digest,
  is_current: isCurrent,
});

export const toUploadOut = (row: UploadRow, received: number[]): DatasetUploadOut => ({
  upload_id: row.id,
  dataset_id: row.datasetKey,
  filename: row.path,
  size: row.sizeBytes,
  sha256: row.sha256,
  chunk_size: row.chunkBytes,
  chunk_count: row.chunkCount,
  received,
  state: row.state,
  result: row.result && toUploadResultOut(row.result),
  error: row.error,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  created_by: row.createdBy,
});

export const toNewDataset = (body: DatasetCreate): NewDataset => ({
  key: body.id,
  name: body.name,
  modality: 'image',
  source: body.source,
  schemaVersion: body.schema_version ?? null,
  recordCount: body.record_count ?? 0,
  sizeBytes: body.size_bytes ?? 0,
  format: body.format ?? 'images',
  keyFields: body.key_fields ?? [],
  variables: (body.variables ?? []).map((variable) => ({
    ...variable,
    unit: variable.unit ?? null,
    nullable: variable.nullable ?? true,
    description: variable.description ?? null,
  })),
  storageUri: body.storage_uri ?? null,
  validationStatus: body.validation_status ?? 'PENDING',
  validation: body.validation
    ? {
        ...body.validation,
        errors: body.validation.errors ?? [],
        warnings: body.validation.warnings ?? [],
        stats: body.validation.stats ?? {},
      }
    : null,
});

export const toUploadResultOut = (result: UploadResult): UploadResultOut => ({
  created: result.created,
  skipped: result.skipped,
  file_ids: [...result.file_ids],
  errors: [...result.errors],
  left_out: { folder: result.left_out?.folder ?? 0, desktop_file: result.left_out?.desktop_file ?? 0 },
});
