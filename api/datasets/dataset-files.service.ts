import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, ERROR_CODES, type ErrorCode, fieldError, notFound, unprocessable } from '../../core/errors/app-error.js';
import { type Page, type StdParams, toListQuery, toPage } from '../../core/paging/page.js';
import type { TenantId } from '../../core/security/ids.js';
import { requireDataset } from '../../models/datasets/dataset-catalog.repository.js';
import { MAX_ARCHIVE_BYTES } from '../../models/datasets/archive.rules.js';
import { assertNoSync, lockDataset } from '../../models/datasets/dataset-change.commands.js';
import { addUploadedFiles, deleteFile, type NewFile } from '../../models/datasets/dataset-file.commands.js';
import { type FileRow, findFile, findFiles, listFiles } from '../../models/datasets/dataset-file.repository.js';
import { FILE_SORT_KEYS, type FileFilters } from '../../models/datasets/file-list.types.js';
import { FileListMemory } from '../../models/datasets/file-list-memory.js';
import { newObjectKey, openArchiveUpload } from '../../models/datasets/dataset-upload.commands.js';
import { findUpload } from '../../models/datasets/dataset-upload.repository.js';
import type { UploadResult } from '../../models/datasets/dataset.types.js';
import { isInTheWay, requireFilePath } from '../../models/datasets/file-path.rules.js';
import { recognizeFile } from '../../models/datasets/file-type.rules.js';
import { adoptObjects, ANY_MULTIPART, giveUpObjects, noteLooseObjects } from '../../models/objects/loose-object.repository.js';
import type { Database } from '../../models/orm/database.js';
import type { StoredFile, UploadTarget } from '../http/multipart-storage.js';
import type { Caller } from '../http/request-context.js';
import { JointRounds } from './joint-work.js';
import { NotedKeys } from './noted-keys.js';

const DATASET_ID = /^(?!drafts$)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const GIB = 1024 ** 3;
/** What one form may bring; beyond this an upload session. */
const MAX_FILE_BYTES = 5 * GIB;
/** How long an archive's request waits for its unpacking. */
const UNPACK_WITHIN_MS = 15 * 60_000;
const POLL_MS = 100;

/** Files of a dataset, one by one and by archive. */
export class DatasetFilesService {
  private readonly lists = new FileListMemory();
  private readonly keys = new NotedKeys();
  /** Files of one dataset change its row one after the other; those that come at once share a transaction. */
  private readonly additions = new JointRounds<NewFile, FileRow>();

  constructor(private readonly db: Database) {}

  async list(caller: Caller, datasetId: string, filters: FileFilters, params: StdParams): Promise<Page<FileRow>> {
    const query = toListQuery(params, FILE_SORT_KEYS);
    const { items, total } = await this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await requireDataset(tx, datasetId);
      return listFiles(tx, dataset, filters, query, this.lists);
    });
    return toPage(query, items, total);
  }

  /** Asked before the bytes of a form file are taken. */
  async beginUpload(caller: Caller, datasetId: string, isArchive: boolean): Promise<UploadTarget> {
    if (!DATASET_ID.test(datasetId)) throw unprocessable([fieldError(['path', 'dataset_id'], `must match ${DATASET_ID.source}`)]);
    const { tenantId } = caller.tenant;
    const key = await this.keys.take(`${tenantId}/${datasetId}`, {
      note: (count) => this.note(tenantId, datasetId, count),
      forget: (keys) => this.db.inTenant(tenantId, (tx) => adoptObjects(tx, keys)),
    });
    return isArchive
      ? { key, maxBytes: MAX_ARCHIVE_BYTES, tooLarge: 'The archive is larger than 1 GiB; upload it by a session (POST .../uploads).' }
      : { key, maxBytes: MAX_FILE_BYTES, tooLarge: 'The file is larger than 5 GiB; upload it by a session (POST .../uploads).' };
  }

  async discardUpload(caller: Caller, key: string, inS: number): Promise<void> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => giveUpObjects(tx, [key], inS));
  }

  add(caller: Caller, datasetId: string, file: StoredFile): Promise<FileRow> {
    return this.orDiscard(caller, file, () => {
      const path = requireFilePath(file.originalname, ['body', 'file', 'filename']);
      const { sha256, sizeBytes, objectKey } = file;
      const added: NewFile = { path, sha256, sizeBytes, objectKey, ...recognizeFile(file.head, path) };
      const { tenantId } = caller.tenant;
      return this.additions.add(`${tenantId}/${datasetId}/${caller.actor.id}/${caller.actor.ip}`, added, {
        run: (files) => this.addAll(caller, datasetId, files),
        fits: (files, next) =>
          !isInTheWay(
            next.path,
            files.map((other) => other.path),
          ),
      });
    });
  }

  private async note(tenantId: TenantId, datasetId: string, count: number): Promise<string[]> {
    const keys = Array.from({ length: count }, () => newObjectKey(tenantId, 'dataset'));
    await this.db.inTenant(tenantId, async (tx) => {
      assertNoSync(await requireDataset(tx, datasetId));
      await noteLooseObjects(
        tx,
        keys.map((key) => ({ key, multipartId: ANY_MULTIPART })),
      );
    });
    return keys;
  }

  private addAll(caller: Caller, datasetId: string, files: readonly NewFile[]): Promise<Array<FileRow | Error>> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
      const dataset = await lockDataset(tx, datasetId);
      assertNoSync(dataset);
      const added = await addUploadedFiles(tx, caller.actor, dataset, files);
      const rows = await findFiles(
        tx,
        added.filter((one) => typeof one === 'string'),
      );
      return added.map((one) => (typeof one === 'string' ? requireFile(rows.get(one) ?? null) : one));
    });
  }

  /**
   * Unpacks an archive by durable work and waits for its end.
   * @param gone when the client leaves, the work goes on without anybody waiting
   */
  async addArchive(caller: Caller, datasetId: string, file: StoredFile, gone: AbortSignal): Promise<UploadResult> {
    const uploadId = await this.orDiscard(caller, file, () =>
      this.db.inTenant(caller.tenant.tenantId, async (tx) =>
        openArchiveUpload(tx, caller.actor, await lockDataset(tx, datasetId), {
          path: file.originalname.slice(0, 512) || 'archive.zip',
          sizeBytes: file.sizeBytes,
          sha256: file.sha256,
          objectKey: file.objectKey,
        }),
      ),
    );
    for (const until = Date.now() + UNPACK_WITHIN_MS; Date.now() < until && !gone.aborted; await sleep(POLL_MS)) {
      const upload = await this.db.inTenant(caller.tenant.tenantId, (tx) => findUpload(tx, datasetId, uploadId));
      if (!upload) throw notFound('Dataset');
      if (upload.state === 'done') return upload.result as UploadResult;
      if (upload.state === 'failed') throw unpackingError(errorCode(upload.error_code), upload.error ?? 'The archive could not be unpacked.');
    }
    throw new AppError('gateway_timeout', `The archive is still being unpacked; GET /api/v1/datasets/${datasetId}/uploads/${uploadId} tells when it is done.`, {
      upload_id: uploadId,
    });
  }

  read(caller: Caller, datasetId: string, fileId: string): Promise<FileRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) => requireFile(await findFile(tx, datasetId, fileId)));
  }

  async delete(caller: Caller, datasetId: string, fileId: string, force: boolean): Promise<void> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => deleteFile(tx, caller.actor, datasetId, fileId, force));
  }

  private async orDiscard<T>(caller: Caller, file: StoredFile, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.discardUpload(caller, file.objectKey, 0).catch(() => undefined);
      throw error;
    }
  }
}

function requireFile(file: FileRow | null): FileRow {
  if (!file) throw notFound('File');
  return file;
}

const errorCode = (code: string | null): ErrorCode => ERROR_CODES.find((known) => known === code) ?? 'internal_error';

/** A refused archive names the form field, like every 422. */
const unpackingError = (code: ErrorCode, message: string): AppError =>
  code === 'unprocessable_entity' ? unprocessable([fieldError(['body', 'file'], message)], message) : new AppError(code, message);
