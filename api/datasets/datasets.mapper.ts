import type { NewDataset } from '../../models/datasets/dataset.commands.js';
import type { DatasetRow, FileSummary } from '../../models/datasets/dataset-catalog.repository.js';
import type { FileRow } from '../../models/datasets/dataset-file.repository.js';
import type { UploadRow } from '../../models/datasets/dataset-upload.repository.js';
import type { UsageRow } from '../../models/datasets/dataset-usage.repository.js';
import type { CountedClasses, UploadResult } from '../../models/datasets/dataset.types.js';
import type { FilesSample, RowsSample } from './dataset-sample.service.js';
import type { FileOut, UploadResultOut } from './dataset-files.schemas.js';
import type { DatasetUploadOut } from './dataset-uploads.schemas.js';
import type { DatasetCreate, DatasetDetailOut, DatasetOut, SampleOut, SampleRowOut, UsageItemOut } from './datasets.schemas.js';

export function toDatasetOut(row: DatasetRow): DatasetOut {
  const hasFiles = row.file_count > 0;
  const isChecked = hasFiles && row.validation_status === 'PASSED';
  const images = isChecked ? row.validation?.stats?.images : undefined;
  const records = typeof images === 'number' && images > 0 ? images : isChecked ? row.table_rows : null;
  return {
    id: row.key,
    name: row.name,
    modality: row.modality,
    source: row.source,
    external_source: row.external_source,
    schema_version: row.schema_version,
    record_count: hasFiles ? (records ?? row.file_count) : row.declared_records,
    size_bytes: hasFiles ? row.file_bytes : row.declared_bytes,
    file_count: row.file_count,
    format: row.format,
    key_fields: row.key_fields,
    variables: row.variables.length > 0 || !isChecked ? row.variables : row.table_columns,
    storage_uri: row.storage_uri,
    status: row.status,
    validation_status: row.validation_status,
    validation: row.validation as unknown as Record<string, unknown> | null,
    validation_progress: { checked: Math.min(row.validation_checked, row.file_count), total: row.file_count },
    digest: row.digest,
    annotation_format: row.annotation_format,
    tasks: row.task_names ?? [],
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by: row.created_by,
  };
}

export function toDatasetDetailOut(row: DatasetRow, files: readonly FileSummary[], classes: CountedClasses, tasks: Readonly<Record<string, CountedClasses>>): DatasetDetailOut {
  const byTask = Object.entries(tasks);
  return {
    ...toDatasetOut(row),
    manifest: {
      digest: row.digest,
      frozen_at: row.frozen_at?.toISOString() ?? null,
      files: files.map((entry) => ({ kind: entry.kind, status: entry.status, files: entry.files, size_bytes: entry.bytes })),
      classes: classes.shown.map(({ name, count }) => ({ name, count })),
      class_count: classes.total,
      tasks: Object.fromEntries(byTask.map(([task, { shown }]) => [task, shown.map(({ name, count }) => ({ name, count }))])),
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
  media_type: row.media_type,
  size_bytes: row.size_bytes,
  sha256: row.sha256,
  label: row.label,
  width: row.width,
  height: row.height,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  created_by: row.created_by,
});

function toSampleRowOut(row: FileRow, datasetId: string): SampleRowOut {
  const content = `/api/v1/datasets/${datasetId}/files/${row.id}/content`;
  const { path, kind, label, width, height, size_bytes } = row;
  return { file_id: row.id, path, kind, label, width, height, size_bytes, content_url: content, preview_url: kind === 'image' ? `${content}?variant=preview` : null };
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
    rows: table?.sample.rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))) ?? [],
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
  const { name, status, task, framework, model, tracker_run_id, digest } = row;
  return { kind: row.holder_kind, experiment_id: row.holder_id, name, status, task, framework, model, tracker_run_id, digest, created_at: row.created_at.toISOString() };
}

export const toUploadOut = (row: UploadRow, received: number[]): DatasetUploadOut => ({
  upload_id: row.id,
  dataset_id: row.dataset_key,
  filename: row.path,
  size: row.size_bytes,
  sha256: row.sha256,
  chunk_size: row.chunk_bytes,
  chunk_count: row.chunk_count,
  received,
  state: row.state,
  result: row.result && toUploadResultOut(row.result),
  error: row.error,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  created_by: row.created_by,
});

export const toNewDataset = (body: DatasetCreate): NewDataset => ({
  key: body.id,
  name: body.name,
  modality: 'image',
  source: body.source ?? 'upload',
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
  validation: body.validation ? { ...body.validation, errors: body.validation.errors ?? [], warnings: body.validation.warnings ?? [], stats: body.validation.stats ?? {} } : null,
});

export const toUploadResultOut = (result: UploadResult): UploadResultOut => ({
  created: result.created,
  skipped: result.skipped,
  file_ids: [...result.file_ids],
  errors: [...result.errors],
});
