import {
  AppError,
  ERROR_CODES,
  type ErrorCode,
  fieldError,
  notFound,
  unprocessable,
} from '../../core/errors/app-error.js';
import { type CappedPage, cappedWindow, readPlace, toCappedPage } from '../../core/paging/capped-page.js';
import { type StdParams, toListQuery } from '../../core/paging/page.js';
import { isUuid } from '../../core/security/ids.js';
import { requireDataset, requireListedDataset } from '../../models/datasets/catalog/dataset-list.queries.js';
import { MAX_ARCHIVE_BYTES } from '../../models/datasets/uploads/archive.rules.js';
import { assertNoSync, lockDataset } from '../../models/datasets/catalog/dataset-change.commands.js';
import { addUploadedFile } from '../../models/datasets/files/dataset-file.commands.js';
import type { NewFile } from '../../models/datasets/files/new-file.types.js';
import { deleteFile } from '../../models/datasets/files/delete-file.commands.js';
import { type FileRow, findFile, listFiles } from '../../models/datasets/files/dataset-file.queries.js';
import {
  FILE_SORT_KEYS,
  type FileFilters,
  type FileSort,
} from '../../models/datasets/files/file-list.types.js';
import { fileMatch, isWhole } from '../../models/datasets/files/file-match.rules.js';
import { newObjectKey, openArchiveUpload } from '../../models/datasets/uploads/dataset-upload.commands.js';
import { findUpload } from '../../models/datasets/uploads/dataset-upload.queries.js';
import type { UploadResult } from '../../models/datasets/catalog/dataset.types.js';
import { requireFilePath } from '../../models/datasets/files/file-path.rules.js';
import { recognizeFile } from '../../formats/files/file-type.js';
import {
  ANY_MULTIPART,
  giveUpObjects,
  recordOrphanedObjects,
} from '../../models/objects/orphaned-object.commands.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import type { BodyLimit } from '../http/bodies/body-limit.js';
import type { StoredFile, UploadTarget } from '../http/bodies/multipart-storage.js';
import type { Caller } from '../http/routing/request-context.js';

const DATASET_ID = /^(?!drafts$)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const GIB = 1024 ** 3;
/** What one form may bring; beyond this an upload session. */
const MAX_FILE_BYTES = 5 * GIB;
/** How long an archive's request waits for its unpacking. */
const UNPACK_WITHIN_MS = 15 * 60_000;

/** What the file of a form may have. */
export const formLimit = (isArchive: boolean): BodyLimit =>
  isArchive
    ? {
        maxBytes: MAX_ARCHIVE_BYTES,
        tooLarge: 'The archive is larger than 1 GiB; upload it by a session (POST .../uploads).',
      }
    : {
        maxBytes: MAX_FILE_BYTES,
        tooLarge: 'The file is larger than 5 GiB; upload it by a session (POST .../uploads).',
      };

/** Files of a dataset, one by one and by archive. */
export class DatasetFilesService {
  constructor(
    private readonly db: Database,
    private readonly states: StateWaits,
  ) {}

  async list(
    caller: Caller,
    datasetId: string,
    filters: FileFilters,
    params: StdParams & { readonly after?: string },
  ): Promise<CappedPage<FileRow>> {
    const query = toListQuery(params, FILE_SORT_KEYS);
    const place = readPlace(params, isFilePlace);
    const after = place && { value: place[1], id: place[2] };
    if (place && place[0] !== query.sort)
      throw unprocessable([fieldError(['query', 'after'], `is of a list sorted by ${place[0]}`)]);
    const match = fileMatch(query.q, filters);
    const window = cappedWindow(query, after !== null, isWhole(match));
    const found = await this.db.inTenant(caller.tenant.tenantId, async (tx) =>
      listFiles(tx, await requireListedDataset(tx, datasetId), match, query, { ...window, after }),
    );
    return toCappedPage(query, window, found, (row) => [
      query.sort,
      { path: row.path, size_bytes: row.sizeBytes, created_at: row.createdAtUs }[query.sort],
      row.id,
    ]);
  }

  /** Asked before the bytes of a form file are taken. */
  async beginUpload(caller: Caller, datasetId: string, isArchive: boolean): Promise<UploadTarget> {
    if (!DATASET_ID.test(datasetId))
      throw unprocessable([fieldError(['path', 'dataset_id'], `must match ${DATASET_ID.source}`)]);
    const { tenantId } = caller.tenant;
    const key = newObjectKey(tenantId, 'dataset');
    await this.db.inTenant(tenantId, async (tx) => {
      assertNoSync(await requireDataset(tx, datasetId));
      await recordOrphanedObjects(tx, [{ key, multipartId: ANY_MULTIPART }]);
    });
    return { key, ...formLimit(isArchive) };
  }

  async discardUpload(caller: Caller, key: string, inS: number): Promise<void> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) => giveUpObjects(tx, [key], inS));
  }

  add(caller: Caller, datasetId: string, file: StoredFile): Promise<FileRow> {
    return this.orDiscard(caller, file, () => {
      const path = requireFilePath(file.originalname, ['body', 'file', 'filename']);
      const { sha256, sizeBytes, objectKey } = file;
      const added: NewFile = { path, sha256, sizeBytes, objectKey, ...recognizeFile(file.head, path) };
      return this.db.inTenant(caller.tenant.tenantId, async (tx) => {
        const dataset = await lockDataset(tx, datasetId);
        assertNoSync(dataset);
        return requireFile(
          await findFile(tx, datasetId, await addUploadedFile(tx, caller.actor, dataset, added)),
        );
      });
    });
  }

  /**
   * Unpacks an archive by durable work and waits for its end.
   * @param gone when the client leaves, the work goes on without anybody waiting
   */
  async addArchive(
    caller: Caller,
    datasetId: string,
    file: StoredFile,
    gone: AbortSignal,
  ): Promise<UploadResult> {
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
    const upload = await this.states.until(
      uploadId,
      () => this.db.inTenant(caller.tenant.tenantId, (tx) => findUpload(tx, datasetId, uploadId)),
      (row) => row === null || row.state === 'done' || row.state === 'failed',
      { signal: gone, withinMs: UNPACK_WITHIN_MS },
    );
    if (!upload) throw notFound('Dataset');
    if (upload.state === 'done') return upload.result as UploadResult;
    if (upload.state === 'failed')
      throw unpackingError(errorCode(upload.errorCode), upload.error ?? 'The archive could not be unpacked.');
    throw new AppError(
      'gateway_timeout',
      `The archive is still being unpacked; GET /api/v1/datasets/${datasetId}/uploads/${uploadId} reports when it is done.`,
      {
        upload_id: uploadId,
      },
    );
  }

  read(caller: Caller, datasetId: string, fileId: string): Promise<FileRow> {
    return this.db.inTenant(caller.tenant.tenantId, async (tx) =>
      requireFile(await findFile(tx, datasetId, fileId)),
    );
  }

  async delete(caller: Caller, datasetId: string, fileId: string, force: boolean): Promise<void> {
    await this.db.inTenant(caller.tenant.tenantId, (tx) =>
      deleteFile(tx, caller.actor, datasetId, fileId, force),
    );
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

type FilePlaceParts = [sort: FileSort, value: string | number, id: string];

const isFilePlace = (parts: unknown): parts is FilePlaceParts => {
  if (!Array.isArray(parts) || parts.length !== 3) return false;
  const [sort, value, id] = parts as unknown[];
  const isValue =
    sort === 'path' ? typeof value === 'string' && !value.includes('\0') : Number.isSafeInteger(value);
  return FILE_SORT_KEYS.some((key) => key === sort) && isValue && typeof id === 'string' && isUuid(id);
};

function requireFile(file: FileRow | null): FileRow {
  if (!file) throw notFound('File');
  return file;
}

const errorCode = (code: string | null): ErrorCode =>
  ERROR_CODES.find((known) => known === code) ?? 'internal_error';

/** A refused archive names the form field, like every 422. */
const unpackingError = (code: ErrorCode, message: string): AppError =>
  code === 'unprocessable_entity'
    ? unprocessable([fieldError(['body', 'file'], message)], message)
    : new AppError(code, message);
