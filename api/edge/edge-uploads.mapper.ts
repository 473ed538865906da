import type { EdgeUploadRow } from '../../models/edge/uploads/edge-upload.types.js';
import { toUploadOut } from '../datasets/datasets.mapper.js';
import type { EdgeUploadOut, TransferOut } from './edge-uploads.schemas.js';
import type { DeviceUpload } from './edge-uploads.service.js';

export const toEdgeUploadOut = ({ upload, received, kind, meta }: DeviceUpload): EdgeUploadOut => ({
  ...toUploadOut(upload, received),
  kind,
  meta,
});

export const toTransferOut = (row: EdgeUploadRow): TransferOut => ({
  upload_id: row.id,
  filename: row.filename,
  kind: row.kind,
  meta: row.meta,
  dataset_id: row.datasetKey,
  size: row.sizeBytes,
  chunk_size: row.chunkBytes,
  chunk_count: row.chunkCount,
  received: row.receivedChunks,
  state: row.state,
  error: row.error,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});
