import { randomUUID } from 'node:crypto';
import { conflict, type ErrorCode, notFound } from '../../core/errors/app-error.js';
import { audit } from '../audit/audit.commands.js';
import { type Actor, SYSTEM_ACTOR } from '../audit/audit.types.js';
import { adoptObjects, ANY_MULTIPART, freeObjects, LAST_JOIN_S, type LooseObject, noteLooseObjects } from '../objects/loose-object.repository.js';
import { dispatch } from '../orm/dispatch.js';
import { allowLongStatements } from '../orm/long-statements.js';
import type { TenantTransaction } from '../orm/transaction.js';
import { chainEtags, type WholeHash } from './chunk-chain.js';
import { assertOpen, closedMessage, type ChunkPlan, missingChunks } from './chunk.rules.js';
import type { UploadResult } from './dataset.types.js';
import { assertNoSync, type LockedDataset, lockDataset, lockDatasetById } from './dataset-change.commands.js';
import { addFiles, type NewFile } from './dataset-file.commands.js';
import { findUploadById, listChunks, lockUpload, receivedIndexes, type UploadRow } from './dataset-upload.repository.js';
import { uploadStart } from './dataset-work.types.js';

/** A session to be opened; the key of a multipart upload is noted. */
export interface NewUpload {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly plan: ChunkPlan;
  readonly objectKey: string;
  readonly multipartId: string | null;
}

/**
 * Opens a session on a dataset, under its lock: it may have been deleted or begun a sync since the request was looked at.
 * @returns its id
 * @throws AppError not_found, conflict while a sync runs
 */
export async function openUpload(tx: TenantTransaction, actor: Actor, datasetKey: string, upload: NewUpload): Promise<string> {
  const dataset = await lockDataset(tx, datasetKey);
  assertNoSync(dataset);
  const [row] = await tx.query<{ id: string }>(
    `insert into dataset_upload (tenant_id, dataset_id, path, size_bytes, sha256, chunk_bytes, chunk_count, object_key, multipart_id, created_by, created_by_email)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
    [
      tx.tenantId,
      dataset.id,
      upload.path,
      upload.sizeBytes,
      upload.sha256,
      upload.plan.chunkBytes,
      upload.plan.chunkCount,
      upload.objectKey,
      upload.multipartId,
      actor.id,
      actor.email,
    ],
  );
  // From here the session owns what was begun for it.
  if (upload.multipartId !== null) await adoptObjects(tx, [upload.objectKey]);
  return (row as { id: string }).id;
}

/** Hands a stored ZIP over to the work that unpacks it. @returns the id of the upload that tells how it goes */
export async function openArchiveUpload(
  tx: TenantTransaction,
  actor: Actor,
  dataset: LockedDataset,
  archive: { path: string; sizeBytes: number; sha256: string; objectKey: string },
): Promise<string> {
  assertNoSync(dataset);
  const [row] = await tx.query<{ id: string }>(
    `insert into dataset_upload (tenant_id, dataset_id, path, size_bytes, sha256, chunk_bytes, chunk_count, object_key, is_archive, state, created_by, created_by_email)
     values ($1, $2, $3, $4::bigint, $5, greatest($4::bigint, 1), 0, $6, true, 'assembling', $7, $8) returning id`,
    [tx.tenantId, dataset.id, archive.path, archive.sizeBytes, archive.sha256, archive.objectKey, actor.id, actor.email],
  );
  const { id } = row as { id: string };
  await adoptObjects(tx, [archive.objectKey]);
  await dispatch(tx, { kind: 'start', start: uploadStart({ tenantId: tx.tenantId, uploadId: id }) });
  return id;
}

export interface ReceivedChunk {
  readonly index: number;
  readonly sizeBytes: number;
  readonly etag: string;
  /** Null when the chunk is a part of the session's multipart upload. */
  readonly objectKey: string | null;
  /** Of all chunks together, where this is the last of a sequence in order; otherwise null. */
  readonly whole: WholeHash | null;
}

/**
 * Acknowledges a chunk whose bytes are in the store. The last acknowledged bytes of an index count.
 * @throws AppError conflict when the session was closed while the bytes came
 */
export async function recordChunk(tx: TenantTransaction, uploadId: string, chunk: ReceivedChunk): Promise<void> {
  const upload = await lockUpload(tx, uploadId);
  if (!upload) throw notFound('Upload session');
  assertOpen(upload.state, upload.error);
  const [before] = await tx.query<{ object_key: string | null }>('select object_key from dataset_upload_chunk where tenant_id = $1 and upload_id = $2 and index = $3', [
    tx.tenantId,
    uploadId,
    chunk.index,
  ]);
  await tx.execute(
    `insert into dataset_upload_chunk (tenant_id, upload_id, index, size_bytes, etag, object_key) values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id, upload_id, index) do update set size_bytes = excluded.size_bytes, etag = excluded.etag, object_key = excluded.object_key, at = now()`,
    [tx.tenantId, uploadId, chunk.index, chunk.sizeBytes, chunk.etag, chunk.objectKey],
  );
  // Any chunk that comes later makes the hash of the whole unknown again, and so does one that another process replaced.
  const isOfThese = chunk.whole !== null && chunk.whole.chain === chainEtags((await listChunks(tx, uploadId)).map(({ etag }) => etag));
  const replacedBytes = before && chunk.objectKey === null ? chunk.sizeBytes : 0;
  await tx.execute('update dataset_upload set touched_at = now(), computed_sha256 = $3, replaced_bytes = replaced_bytes + $4 where tenant_id = $1 and id = $2', [
    tx.tenantId,
    uploadId,
    isOfThese ? chunk.whole?.sha256 : null,
    replacedBytes,
  ]);
  if (chunk.objectKey !== null) await adoptObjects(tx, [chunk.objectKey]);
  if (before?.object_key) await freeObjects(tx, [{ key: before.object_key }]);
}

/**
 * Takes acknowledgements back whose bytes the store no longer has: these chunks are missing again. Those that were
 * acknowledged anew since they were looked at stay, and so do all of a session that is closed by now. Idempotent.
 */
export async function takeBackChunks(tx: TenantTransaction, uploadId: string, chunks: readonly { readonly index: number; readonly etag: string }[]): Promise<void> {
  if ((await lockUpload(tx, uploadId))?.state !== 'open') return;
  await tx.execute(
    'delete from dataset_upload_chunk c using unnest($3::int[], $4::text[]) as gone (index, etag) where c.tenant_id = $1 and c.upload_id = $2 and c.index = gone.index and c.etag = gone.etag',
    [tx.tenantId, uploadId, chunks.map(({ index }) => index), chunks.map(({ etag }) => etag)],
  );
}

/**
 * Closes a session that has all its chunks and starts its assembly. A repeat changes nothing.
 * @throws AppError conflict with `detail.missing`, or when the session failed or expired
 */
export async function completeUpload(tx: TenantTransaction, datasetKey: string, uploadId: string): Promise<void> {
  // A sync that starts meanwhile looks for assemblies under this lock: one of the two sees the other.
  const dataset = await lockDataset(tx, datasetKey);
  const upload = await lockUpload(tx, uploadId);
  if (!upload || upload.dataset_key !== datasetKey) throw notFound('Upload session');
  if (upload.state === 'assembling' || upload.state === 'done') return;
  if (upload.state !== 'open') throw conflict(closedMessage(upload.state, upload.error), { state: upload.state });
  assertNoSync(dataset);
  const missing = missingChunks(upload.chunk_count, await receivedIndexes(tx, uploadId));
  if (missing.length > 0) throw conflict(`${missing.length} of ${upload.chunk_count} chunks are missing; send them and complete again.`, { missing });
  await tx.execute("update dataset_upload set state = 'assembling', touched_at = now(), updated_at = now() where tenant_id = $1 and id = $2", [tx.tenantId, uploadId]);
  await dispatch(tx, { kind: 'start', start: uploadStart({ tenantId: tx.tenantId, uploadId }) });
}

/** Ids and errors beyond these are counted, not listed. */
const MAX_LISTED_IDS = 20_000;
const MAX_LISTED_ERRORS = 1000;

/**
 * Ends an assembly: the files become visible and the session done, in one transaction. Idempotent.
 * @param files objects of `NewFile`s are noted, except the session's own object
 * @throws AppError not_found when session or dataset were deleted meanwhile; conflict while a sync runs
 */
export async function finishUpload(tx: TenantTransaction, uploadId: string, files: readonly NewFile[]): Promise<UploadResult> {
  const seen = await findUploadById(tx, uploadId);
  // Dataset first, then session: the order of deletion, so that the two never wait for each other.
  const dataset = seen && (await lockDatasetById(tx, seen.dataset_id));
  const found = dataset && (await lockUpload(tx, uploadId));
  if (!found) throw notFound('Upload session');
  await allowLongStatements(tx);
  if (found.state === 'done') return found.result as UploadResult;
  if (found.state !== 'assembling') throw conflict(closedMessage(found.state, found.error));
  assertNoSync(dataset);
  // The session owned its object so far; from here it belongs to a file or to nobody.
  await noteLooseObjects(tx, [{ key: found.object_key }]);
  const added = await addFiles(tx, dataset, files, { id: found.created_by, origin: 'upload' });
  const becameFile = added.created.length === 1 && files[0]?.objectKey === found.object_key;
  if (!becameFile) await freeObjects(tx, [{ key: found.object_key }]);
  await freeObjects(tx, await takeChunks(tx, uploadId));
  const result: UploadResult = {
    created: added.created.length,
    skipped: added.skipped.length,
    file_ids: added.created.slice(0, MAX_LISTED_IDS).map(({ id }) => id),
    errors: added.errors.slice(0, MAX_LISTED_ERRORS),
  };
  await tx.execute("update dataset_upload set state = 'done', result = $3, updated_at = now() where tenant_id = $1 and id = $2", [tx.tenantId, uploadId, JSON.stringify(result)]);
  const detail = { upload_id: uploadId, filename: found.path, size_bytes: found.size_bytes, created: result.created, skipped: result.skipped, errors: added.errors.length };
  await audit(tx, tx.tenantId, actorOfUpload(found), { action: 'dataset.upload', target: { kind: 'dataset', id: dataset.key, label: dataset.name }, detail });
  return result;
}

/** Verdicts on the bytes as a whole: these were read, so the join had come to its end. */
const ON_BYTES: ReadonlySet<string> = new Set<ErrorCode>(['unprocessable_entity', 'payload_too_large']);

/** Ends an assembly that cannot succeed. Idempotent; a session that is done or gone stays as it is. */
export async function failUpload(tx: TenantTransaction, uploadId: string, reason: { code: string; message: string }): Promise<void> {
  const upload = await lockUpload(tx, uploadId);
  if (!upload || upload.state === 'done' || upload.state === 'failed' || upload.state === 'expired') return;
  await tx.execute("update dataset_upload set state = 'failed', error_code = $3, error = $4, updated_at = now() where tenant_id = $1 and id = $2", [
    tx.tenantId,
    uploadId,
    reason.code,
    reason.message,
  ]);
  // A process that was stopped may have begun a multipart upload whose id nobody kept, or left the store at the join.
  await freeObjects(tx, [{ key: upload.object_key, multipartId: ANY_MULTIPART }], upload.is_archive || ON_BYTES.has(reason.code) ? 0 : LAST_JOIN_S);
  await freeObjects(tx, await takeChunks(tx, uploadId));
  await audit(tx, tx.tenantId, actorOfUpload(upload), {
    action: 'dataset.upload',
    target: { kind: 'dataset', id: upload.dataset_key },
    outcome: 'failed',
    detail: { upload_id: uploadId, filename: upload.path, reason: reason.message },
  });
}

/** A session that is over needs its chunks no more. @returns the objects that were theirs */
async function takeChunks(tx: TenantTransaction, uploadId: string): Promise<LooseObject[]> {
  const chunks = await tx.query<{ object_key: string | null }>('delete from dataset_upload_chunk where tenant_id = $1 and upload_id = $2 returning object_key', [
    tx.tenantId,
    uploadId,
  ]);
  return chunks.flatMap(({ object_key }) => (object_key === null ? [] : [{ key: object_key }]));
}

function actorOfUpload(upload: UploadRow): Actor {
  return upload.created_by === null ? SYSTEM_ACTOR : { id: upload.created_by, email: upload.created_by_email, fullName: null, ip: null };
}

/** `t/<tenant>/dataset/<uuid>`: keys never tell what people called something. */
export const newObjectKey = (tenantId: string, kind: 'dataset' | 'dataset-chunk' | 'dataset-preview'): string => `t/${tenantId}/${kind}/${randomUUID()}`;
