import type { Readable } from 'node:stream';
import type { TenantId } from '../../core/security/ids.js';
import type { Actor } from '../../models/audit/audit.types.js';
import type { UploadRow } from '../../models/datasets/uploads/dataset-upload.queries.js';

export interface UploadState {
  readonly upload: UploadRow;
  readonly received: number[];
}

export interface UploadRequest {
  readonly filename: string;
  readonly size: number;
  readonly sha256: string | null;
  readonly chunkSize: number | null;
}

/** The bytes of a chunk, taken only once it is clear that they are wanted. */
export interface ChunkBody {
  /** As the request states it; null when it does not. */
  readonly length: number | null;
  open(): Readable;
}

/** Who uploads: a person or a device. */
export interface Uploader {
  readonly tenant: { readonly tenantId: TenantId };
  readonly actor: Actor;
}

/** Resumable uploads into a dataset, for whoever may write there. */
export interface UploadSessions {
  open(caller: Uploader, datasetId: string, request: UploadRequest): Promise<UploadState>;
  read(caller: Uploader, datasetId: string, uploadId: string): Promise<UploadState>;
  putChunk(
    caller: Uploader,
    datasetId: string,
    uploadId: string,
    index: number,
    body: ChunkBody,
  ): Promise<{ size: number }>;
  complete(caller: Uploader, datasetId: string, uploadId: string): Promise<UploadState>;
}
