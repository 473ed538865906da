import type { TenantTransaction } from '../orm/transaction.js';
import { readableSince } from '../tenants/retention.repository.js';
import { SESSION_IDLE_DAYS } from './chunk.rules.js';
import type { UploadResult, UploadState } from './dataset.types.js';

export interface UploadRow {
  readonly id: string;
  readonly dataset_id: string;
  readonly dataset_key: string;
  readonly path: string;
  readonly size_bytes: number;
  readonly sha256: string | null;
  readonly computed_sha256: string | null;
  readonly chunk_bytes: number;
  readonly chunk_count: number;
  readonly state: UploadState;
  readonly object_key: string;
  readonly multipart_id: string | null;
  /** Of parts that were sent again. */
  readonly replaced_bytes: number;
  readonly is_archive: boolean;
  readonly result: UploadResult | null;
  readonly error_code: string | null;
  readonly error: string | null;
  readonly active_sync_id: string | null;
  readonly created_by: string | null;
  readonly created_by_email: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A session that was idle for too long counts as expired even before the housekeeping has come by. */
const COLUMNS = `u.id, u.dataset_id, d.key as dataset_key, u.path, u.size_bytes, u.sha256, u.computed_sha256, u.chunk_bytes, u.chunk_count,
  case when u.state = 'open' and u.touched_at < now() - interval '${SESSION_IDLE_DAYS} days' then 'expired' else u.state end as state,
  u.object_key, u.multipart_id, u.replaced_bytes, u.is_archive, u.result, u.error_code, u.error, d.active_sync_id, u.created_by, u.created_by_email, u.created_at, u.updated_at`;
/** Sessions that the tenant keeps no longer are not there, whether they are removed already or not. */
const FROM = `from dataset_upload u join dataset d on d.tenant_id = u.tenant_id and d.id = u.dataset_id where u.tenant_id = $1 and (u.state = 'assembling' or u.touched_at >= ${readableSince('$1', 'uploads')})`;

export async function findUpload(tx: TenantTransaction, datasetKey: string, uploadId: string): Promise<UploadRow | null> {
  return (await tx.query<UploadRow>(`select ${COLUMNS} ${FROM} and d.key = $2 and u.id = $3`, [tx.tenantId, datasetKey, uploadId]))[0] ?? null;
}

export async function findUploadById(tx: TenantTransaction, uploadId: string): Promise<UploadRow | null> {
  return (await tx.query<UploadRow>(`select ${COLUMNS} ${FROM} and u.id = $2`, [tx.tenantId, uploadId]))[0] ?? null;
}

/** Locks the session's row until the transaction ends. */
export async function lockUpload(tx: TenantTransaction, uploadId: string): Promise<UploadRow | null> {
  return (await tx.query<UploadRow>(`select ${COLUMNS} ${FROM} and u.id = $2 for no key update of u`, [tx.tenantId, uploadId]))[0] ?? null;
}

export interface ChunkRow {
  readonly index: number;
  readonly size_bytes: number;
  readonly etag: string;
  readonly object_key: string | null;
}

/** In order of their indexes. */
export async function listChunks(tx: TenantTransaction, uploadId: string): Promise<ChunkRow[]> {
  return tx.query<ChunkRow>('select index, size_bytes, etag, object_key from dataset_upload_chunk where tenant_id = $1 and upload_id = $2 order by index', [tx.tenantId, uploadId]);
}

export async function isReceived(tx: TenantTransaction, uploadId: string, index: number): Promise<boolean> {
  return (await tx.query('select 1 from dataset_upload_chunk where tenant_id = $1 and upload_id = $2 and index = $3', [tx.tenantId, uploadId, index])).length > 0;
}

export async function receivedIndexes(tx: TenantTransaction, uploadId: string): Promise<number[]> {
  const rows = await tx.query<{ index: number }>('select index from dataset_upload_chunk where tenant_id = $1 and upload_id = $2 order by index', [tx.tenantId, uploadId]);
  return rows.map((row) => row.index);
}

/** Keeps the multipart upload that joins small chunks, so that a repeat goes on with it. @returns the one that counts; null when the session is gone */
export async function keepMultipart(tx: TenantTransaction, uploadId: string, multipartId: string): Promise<string | null> {
  const rows = await tx.query<{ multipart_id: string }>(
    'update dataset_upload set multipart_id = coalesce(multipart_id, $3) where tenant_id = $1 and id = $2 returning multipart_id',
    [tx.tenantId, uploadId, multipartId],
  );
  return rows[0]?.multipart_id ?? null;
}
