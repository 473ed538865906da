import type { TenantTransaction } from '../../orm/transaction.js';
import type { ChunkRow } from './dataset-upload.queries.js';

export async function writeChunk(tx: TenantTransaction, uploadId: string, chunk: ChunkRow): Promise<void> {
  await tx.execute(
    `-- hot: with every chunk
     insert into dataset_upload_chunk (tenant_id, upload_id, index, size_bytes, etag, object_key)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id, upload_id, index) do update set size_bytes = excluded.size_bytes,
       etag = excluded.etag, object_key = excluded.object_key, at = now()`,
    [tx.tenantId, uploadId, chunk.index, chunk.sizeBytes, chunk.etag, chunk.objectKey],
  );
}

/** @param replacedBytes of a part that was sent again */
export async function touchUpload(
  tx: TenantTransaction,
  uploadId: string,
  replacedBytes: number,
): Promise<void> {
  await tx.execute(
    `-- hot: with every chunk
     update dataset_upload set touched_at = now(), replaced_bytes = replaced_bytes + $3
     where tenant_id = $1 and id = $2`,
    [tx.tenantId, uploadId, replacedBytes],
  );
}

/** Removes those of the chunks that are still the same. */
export async function removeChunks(
  tx: TenantTransaction,
  uploadId: string,
  chunks: readonly { readonly index: number; readonly etag: string }[],
): Promise<void> {
  await tx.execute(
    `-- bulk: up to all chunks of a session
     delete from dataset_upload_chunk c using unnest($3::int[], $4::text[]) as gone (index, etag)
     where c.tenant_id = $1 and c.upload_id = $2 and c.index = gone.index and c.etag = gone.etag`,
    [tx.tenantId, uploadId, chunks.map(({ index }) => index), chunks.map(({ etag }) => etag)],
  );
}

/** Removes all chunks of a session. @returns keys of those that are objects of their own */
export async function takeChunks(tx: TenantTransaction, uploadId: string): Promise<string[]> {
  const chunks = await tx.rows<{ objectKey: string | null }>(
    `-- bulk: all chunks of a session
     delete from dataset_upload_chunk where tenant_id = $1 and upload_id = $2 returning object_key`,
    [tx.tenantId, uploadId],
  );
  return chunks.flatMap(({ objectKey }) => (objectKey === null ? [] : [objectKey]));
}
