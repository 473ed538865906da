import { randomUUID } from 'node:crypto';
import { conflict, notFound } from '../../../core/errors/app-error.js';
import type { Actor } from '../../audit/audit.types.js';
import { adoptObjects, freeObjects } from '../../objects/orphaned-object.commands.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { dispatch } from '../../outbox/dispatch.js';
import { assertNoSync, type LockedDataset, lockDataset } from '../catalog/dataset-change.commands.js';
import { DatasetUpload } from '../catalog/dataset.entity.js';
import { uploadStart } from '../catalog/dataset-work.types.js';
import { assertOpen, type ChunkPlan, closedMessage, missingChunks } from './chunk.rules.js';
import { findChunk, lockUpload, receivedIndexes } from './dataset-upload.queries.js';
import { removeChunks, touchUpload, writeChunk } from './dataset-upload.sql.js';

/** A session to be opened; the key of a multipart upload is recorded. */
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
export async function openUpload(
  tx: TenantTransaction,
  actor: Actor,
  datasetKey: string,
  upload: NewUpload,
): Promise<string> {
  const dataset = await lockDataset(tx, datasetKey);
  assertNoSync(dataset);
  const { plan, ...session } = upload;
  const { chunkBytes, chunkCount } = plan;
  const { id } = tx.em.create(DatasetUpload, {
    ...{ ...session, chunkBytes, chunkCount, id: randomUUID(), tenantId: tx.tenantId, datasetId: dataset.id },
    ...{ createdBy: actor.id, createdByEmail: actor.email },
  });
  await tx.em.flush();
  // From here the session owns what was begun for it.
  if (upload.multipartId !== null) await adoptObjects(tx, [upload.objectKey]);
  return id;
}

/** A session goes on into another dataset, whose lock the caller holds as that of the one before. */
export async function moveUpload(tx: TenantTransaction, uploadId: string, datasetId: string): Promise<void> {
  const session = await tx.em.findOneOrFail(DatasetUpload, { id: uploadId }, { refresh: true });
  Object.assign(session, { datasetId, updatedAt: new Date() });
  await tx.em.flush();
}

/** Hands a stored ZIP over to the work that unpacks it. @returns the id of the upload that shows how it goes */
export async function openArchiveUpload(
  tx: TenantTransaction,
  actor: Actor,
  dataset: LockedDataset,
  archive: { path: string; sizeBytes: number; sha256: string; objectKey: string },
): Promise<string> {
  assertNoSync(dataset);
  const { id } = tx.em.create(DatasetUpload, {
    ...{ ...archive, id: randomUUID(), tenantId: tx.tenantId, datasetId: dataset.id },
    ...{ isArchive: true, state: 'assembling', chunkBytes: Math.max(archive.sizeBytes, 1), chunkCount: 0 },
    ...{ createdBy: actor.id, createdByEmail: actor.email },
  });
  await tx.em.flush();
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
}

/**
 * Acknowledges a chunk whose bytes are in the store. The last acknowledged bytes of an index count.
 * @throws AppError conflict when the session was closed while the bytes came
 */
export async function recordChunk(
  tx: TenantTransaction,
  uploadId: string,
  chunk: ReceivedChunk,
): Promise<void> {
  const upload = await lockUpload(tx, uploadId);
  if (!upload) throw notFound('Upload session');
  assertOpen(upload.state, upload.error);
  const before = await findChunk(tx, uploadId, chunk.index);
  await writeChunk(tx, uploadId, chunk);
  const replacedBytes = before && chunk.objectKey === null ? chunk.sizeBytes : 0;
  await touchUpload(tx, uploadId, replacedBytes);
  if (chunk.objectKey !== null) await adoptObjects(tx, [chunk.objectKey]);
  if (before?.objectKey) await freeObjects(tx, [{ key: before.objectKey }]);
}

/**
 * Takes acknowledgements back whose bytes the store no longer has: these chunks are missing again. Those that were
 * acknowledged anew since they were looked at stay, and so do all of a session that is closed by now. Idempotent.
 */
export async function takeBackChunks(
  tx: TenantTransaction,
  uploadId: string,
  chunks: readonly { readonly index: number; readonly etag: string }[],
): Promise<void> {
  if ((await lockUpload(tx, uploadId))?.state !== 'open') return;
  await removeChunks(tx, uploadId, chunks);
}

/**
 * Closes a session that has all its chunks and starts its assembly. A repeat changes nothing.
 * @throws AppError conflict with `detail.missing`, or when the session failed or expired
 */
export async function completeUpload(
  tx: TenantTransaction,
  datasetKey: string,
  uploadId: string,
): Promise<void> {
  // A sync that starts meanwhile looks for assemblies under this lock: one of the two sees the other.
  const dataset = await lockDataset(tx, datasetKey);
  const upload = await lockUpload(tx, uploadId);
  if (!upload || upload.datasetKey !== datasetKey) throw notFound('Upload session');
  if (upload.state === 'assembling' || upload.state === 'done') return;
  if (upload.state !== 'open')
    throw conflict(closedMessage(upload.state, upload.error), { state: upload.state });
  assertNoSync(dataset);
  const missing = missingChunks(upload.chunkCount, await receivedIndexes(tx, uploadId));
  if (missing.length > 0)
    throw conflict(
      `${missing.length} of ${upload.chunkCount} chunks are missing; send them and complete again.`,
      { missing },
    );
  const now = new Date();
  const session = await tx.em.findOneOrFail(DatasetUpload, { id: uploadId }, { refresh: true });
  Object.assign(session, { state: 'assembling', touchedAt: now, updatedAt: now });
  await tx.em.flush();
  await dispatch(tx, { kind: 'start', start: uploadStart({ tenantId: tx.tenantId, uploadId }) });
}

/** `t/<tenant>/dataset/<uuid>`: keys never contain what people called something. */
export const newObjectKey = (
  tenantId: string,
  kind: 'dataset' | 'dataset-chunk' | 'dataset-preview',
): string => `t/${tenantId}/${kind}/${randomUUID()}`;

/** Keeps the multipart upload that joins small chunks, so that a repeat goes on with it. @returns the one that counts; null when the session is gone */
export async function keepMultipart(
  tx: TenantTransaction,
  uploadId: string,
  multipartId: string,
): Promise<string | null> {
  if (!(await lockUpload(tx, uploadId))) return null;
  const session = await tx.em.findOneOrFail(DatasetUpload, { id: uploadId }, { refresh: true });
  session.multipartId ??= multipartId;
  await tx.em.flush();
  return session.multipartId;
}
