import { AppError, conflict, notFound } from '../../core/errors/app-error.js';
import type { MultipartStore, ObjectStore, PartInfo } from '../../core/ports/object-store.js';
import type { ChunkRow, UploadRow } from '../../models/datasets/uploads/dataset-upload.queries.js';
import { inParallel } from '../../core/load/in-parallel.js';
import { readAll } from '../../models/objects/object-reader.js';

/** Small chunks are packed into parts of at least this much. */
const PART_BYTES = 8 * 1024 * 1024;
const READ_AHEAD = 8;

export interface JoinDeps {
  readonly objects: ObjectStore & MultipartStore;
  /** Keeps the id of the multipart upload for a repeat and answers the one that counts; null when the session is gone. */
  readonly keepMultipart: (id: string) => Promise<string | null>;
  readonly signal: AbortSignal;
}

/** Makes one object of a session's chunks. Idempotent: a repeat finds what is there and goes on. */
export async function joinChunks(
  deps: JoinDeps,
  upload: UploadRow,
  chunks: readonly ChunkRow[],
): Promise<void> {
  const there = await deps.objects.head(upload.objectKey);
  if (there?.sizeBytes !== upload.sizeBytes) await join(deps, upload, chunks);
  // An attempt that was cut off before its id was kept left an upload of its own, perhaps just before this one.
  await deps.objects.abortMultipart(upload.objectKey, null);
}

async function join(deps: JoinDeps, upload: UploadRow, chunks: readonly ChunkRow[]): Promise<void> {
  if (upload.sizeBytes === 0)
    await deps.objects.put(upload.objectKey, Buffer.alloc(0), 0, { signal: deps.signal });
  else if (chunks.every((chunk) => chunk.objectKey === null))
    await completeParts(deps, upload, upload.multipartId ?? '', chunks.map(toPart));
  else await packChunks(deps, upload, chunks);
}

const toPart = (chunk: ChunkRow): PartInfo => ({
  partNumber: chunk.index + 1,
  etag: chunk.etag,
  sizeBytes: chunk.sizeBytes,
});

async function completeParts(
  deps: JoinDeps,
  upload: UploadRow,
  multipartId: string,
  parts: readonly PartInfo[],
): Promise<void> {
  try {
    await deps.objects.completeMultipart(upload.objectKey, multipartId, parts);
  } catch (error) {
    // An attempt that was cut off may have joined them already.
    if (
      error instanceof AppError &&
      error.code === 'not_found' &&
      (await deps.objects.head(upload.objectKey))?.sizeBytes === upload.sizeBytes
    )
      return;
    if (error instanceof AppError && error.code === 'not_found')
      throw conflict('The parts of the upload are no longer in the store.');
    if ((error as { code?: unknown }).code === 'InvalidPart')
      throw conflict(
        'A chunk was sent again with different bytes while the session was being completed, so it is unclear which counts.',
      );
    throw error;
  }
}

/** Small chunks become larger parts: a part is always made of the same chunks' bytes, so a repeat may send it again. */
async function packChunks(deps: JoinDeps, upload: UploadRow, chunks: readonly ChunkRow[]): Promise<void> {
  const perPart = Math.ceil(PART_BYTES / upload.chunkBytes);
  const multipartId = upload.multipartId ?? (await beginMultipart(deps, upload.objectKey));
  const parts: PartInfo[] = [];
  for (let at = 0; at < chunks.length; at += perPart) {
    const pieces = await inParallel(chunks.slice(at, at + perPart), READ_AHEAD, async (chunk) =>
      readAll(await deps.objects.get(chunk.objectKey ?? '', { signal: deps.signal }), chunk.sizeBytes),
    );
    const body = Buffer.concat(pieces);
    parts.push(
      await deps.objects.putPart(
        upload.objectKey,
        multipartId,
        at / perPart + 1,
        body,
        body.length,
        deps.signal,
      ),
    );
  }
  await completeParts(deps, upload, multipartId, parts);
}

async function beginMultipart(deps: JoinDeps, key: string): Promise<string> {
  const kept = await deps.keepMultipart(await deps.objects.createMultipart(key));
  if (kept !== null) return kept;
  await deps.objects.abortMultipart(key, null);
  throw notFound('Upload session');
}
