export const EDGE_UPLOAD_STATES = ['open', 'assembling', 'done', 'failed'] as const;
/** Those of the session; one that has expired has failed. */
export type EdgeUploadState = (typeof EDGE_UPLOAD_STATES)[number];

export interface EdgeUploadRow {
  readonly id: string;
  readonly filename: string;
  readonly kind: string;
  readonly meta: Record<string, unknown>;
  readonly datasetKey: string;
  readonly sizeBytes: number;
  readonly chunkBytes: number;
  readonly chunkCount: number;
  readonly receivedChunks: number;
  readonly state: EdgeUploadState;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
