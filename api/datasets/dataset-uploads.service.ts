import { AppError, conflict, notFound } from '../../core/errors/app-error.js';
import type { MultipartStore, ObjectStore } from '../../core/ports/object-store.js';
import type { TenantId } from '../../core/security/ids.js';
import { requireDataset } from '../../models/datasets/catalog/dataset-list.queries.js';
import {
  assertOpen,
  assertReplaceable,
  checkChunkSize,
  planChunks,
  receivedChunks,
  replacedChunks,
} from '../../models/datasets/uploads/chunk.rules.js';
import { assertNoSync } from '../../models/datasets/catalog/dataset-change.commands.js';
import {
  completeUpload,
  newObjectKey,
  openUpload,
  recordChunk,
  takeBackChunks,
} from '../../models/datasets/uploads/dataset-upload.commands.js';
import {
  findUpload,
  findChunk,
  listChunks,
  receivedIndexes,
  type UploadRow,
} from '../../models/datasets/uploads/dataset-upload.queries.js';
import { requireFilePath } from '../../models/datasets/files/file-path.rules.js';
import {
  ANY_MULTIPART,
  giveUpObjects,
  LAST_WRITES_S,
  recordOrphanedObjects,
} from '../../models/objects/orphaned-object.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { TenantTransaction } from '../../models/orm/transaction.js';
import type { ChunkBody, Uploader, UploadRequest, UploadSessions, UploadState } from './upload-sessions.js';

/** Resumable uploads in chunks, which go to the store as they come. */
export class DatasetUploadsService implements UploadSessions {
  constructor(
    private readonly db: Database,
    private readonly objects: ObjectStore & MultipartStore,
  ) {}

  async open(caller: Uploader, datasetId: string, request: UploadRequest): Promise<UploadState> {
    const path = requireFilePath(request.filename, ['body', 'filename']);
    const { tenantId } = caller.tenant;
    const dataset = await this.db.inTenant(tenantId, (tx) => requireDataset(tx, datasetId));
    assertNoSync(dataset);
    const plan = planChunks(request.size, request.chunkSize);
    const objectKey = newObjectKey(tenantId, 'dataset');
    const multipartId = plan.isMultipart ? await this.beginMultipart(tenantId, objectKey) : null;
    return this.db.inTenant(tenantId, async (tx) => {
      const uploadId = await openUpload(tx, caller.actor, datasetId, {
        path,
        sizeBytes: request.size,
        sha256: request.sha256?.toLowerCase() ?? null,
        plan,
        objectKey,
        multipartId,
      });
      return this.state(tx, datasetId, uploadId);
    });
  }

  /** Recorded first: a crash before the session is stored must not leave an upload that nobody ends. */
  private async beginMultipart(tenantId: TenantId, key: string): Promise<string> {
    await this.db.inTenant(tenantId, (tx) =>
      recordOrphanedObjects(tx, [{ key, multipartId: ANY_MULTIPART }]),
    );
    return this.objects.createMultipart(key);
  }

  read(caller: Uploader, datasetId: string, uploadId: string): Promise<UploadState> {
    return this.db.inTenant(caller.tenant.tenantId, (tx) => this.state(tx, datasetId, uploadId));
  }

  /** Acknowledged only once the bytes are in the store and the row says so. */
  async putChunk(
    caller: Uploader,
    datasetId: string,
    uploadId: string,
    index: number,
    body: ChunkBody,
  ): Promise<{ size: number }> {
    const { tenantId } = caller.tenant;
    const chunkKey = newObjectKey(tenantId, 'dataset-chunk');
    const { upload, size } = await this.db.inTenant(tenantId, async (tx) => {
      const found = await requireUpload(tx, datasetId, uploadId);
      assertOpen(found.state, found.error);
      assertNoSync(found);
      const bytes = checkChunkSize(index, body.length, planOf(found));
      if (found.multipartId === null) await recordOrphanedObjects(tx, [{ key: chunkKey }]);
      else if (found.replacedBytes > 0 && (await findChunk(tx, found.id, index)) !== null)
        assertReplaceable(found.replacedBytes, found.sizeBytes);
      return { upload: found, size: bytes };
    });
    const stream = body.open();
    // A write that failed here may still come to its end in the store; one that was answered is over.
    let lingersS = LAST_WRITES_S;
    try {
      const isPart = upload.multipartId !== null;
      const { etag } = isPart
        ? await this.objects.putPart(upload.objectKey, upload.multipartId as string, index + 1, stream, size)
        : await this.objects.put(chunkKey, stream, size);
      lingersS = 0;
      const chunk = { index, sizeBytes: size, etag, objectKey: isPart ? null : chunkKey };
      await this.db.inTenant(tenantId, (tx) => recordChunk(tx, upload.id, chunk));
    } catch (error) {
      // A chunk of its own that nobody adopted may go; if its answer alone was lost, its row keeps it.
      if (upload.multipartId === null)
        await this.db
          .inTenant(tenantId, (tx) => giveUpObjects(tx, [chunkKey], lingersS))
          .catch(() => undefined);
      throw await this.reasonOf(caller, datasetId, upload, error);
    } finally {
      stream.destroy();
    }
    return { size };
  }

  async complete(caller: Uploader, datasetId: string, uploadId: string): Promise<UploadState> {
    await this.takeBackReplaced(caller.tenant.tenantId, datasetId, uploadId);
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      await completeUpload(tx, datasetId, uploadId);
      return this.state(tx, datasetId, uploadId);
    });
  }

  /** The parts of a session go when it ends: then its state is the reason, and no object that nobody asked for. */
  private async reasonOf(
    caller: Uploader,
    datasetId: string,
    { id, multipartId }: UploadRow,
    error: unknown,
  ): Promise<unknown> {
    if (multipartId === null || !(error instanceof AppError) || error.code !== 'not_found') return error;
    const found = await this.db.inTenant(caller.tenant.tenantId, (tx) => requireUpload(tx, datasetId, id));
    assertOpen(found.state, found.error);
    return conflict('The parts of this session are no longer in the store; open a new one.');
  }

  /** Asked while the session is open and its chunks can be sent again: once it is assembled, one that is lost costs all of them. */
  private async takeBackReplaced(tenantId: TenantId, datasetId: string, uploadId: string): Promise<void> {
    const { upload, chunks } = await this.db.inTenant(tenantId, async (tx) => ({
      upload: await requireUpload(tx, datasetId, uploadId),
      chunks: await listChunks(tx, uploadId),
    }));
    if (upload.state !== 'open' || upload.multipartId === null) return;
    const parts = await this.objects.listParts(upload.objectKey, upload.multipartId).catch(unlessItIsAway);
    const replaced = parts === null ? [] : replacedChunks(chunks, parts);
    if (replaced.length > 0) await this.db.inTenant(tenantId, (tx) => takeBackChunks(tx, uploadId, replaced));
  }

  private async state(tx: TenantTransaction, datasetId: string, uploadId: string): Promise<UploadState> {
    const upload = await requireUpload(tx, datasetId, uploadId);
    return {
      upload,
      received: receivedChunks(upload.state, upload.chunkCount, await receivedIndexes(tx, upload.id)),
    };
  }
}

async function requireUpload(tx: TenantTransaction, datasetId: string, uploadId: string): Promise<UploadRow> {
  const upload = await findUpload(tx, datasetId, uploadId);
  if (!upload) throw notFound('Upload session');
  return upload;
}

/** A finished upload's state says so; assembly retries while the store is unavailable. */
function unlessItIsAway(error: unknown): null {
  if (error instanceof AppError && (error.code === 'not_found' || error.code === 'service_unavailable'))
    return null;
  throw error;
}

const planOf = (upload: UploadRow) => ({
  sizeBytes: upload.sizeBytes,
  chunkBytes: upload.chunkBytes,
  chunkCount: upload.chunkCount,
});
