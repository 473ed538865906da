import { conflict, type ErrorCode, notFound } from '../../../core/errors/app-error.js';
import { audit } from '../../audit/audit.commands.js';
import { type Actor, SYSTEM_ACTOR } from '../../audit/audit.types.js';
import {
  ANY_MULTIPART,
  freeObjects,
  LAST_JOIN_S,
  recordOrphanedObjects,
} from '../../objects/orphaned-object.commands.js';
import { allowLongStatements } from '../../orm/long-statements.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { assertNoSync, lockDatasetById } from '../catalog/dataset-change.commands.js';
import { DatasetUpload } from '../catalog/dataset.entity.js';
import type { LeftOut, UploadResult } from '../catalog/dataset.types.js';
import { addFiles } from '../files/dataset-file.commands.js';
import type { NewFile } from '../files/new-file.types.js';
import { closedMessage } from './chunk.rules.js';
import { findUploadById, lockUpload, type UploadRow } from './dataset-upload.queries.js';
import { takeChunks } from './dataset-upload.sql.js';

/** Ids and errors beyond these are counted, not listed. */
const MAX_LISTED_IDS = 20_000;
const MAX_LISTED_ERRORS = 1000;

/**
 * Ends an assembly: the files become visible and the session done, in one transaction. Idempotent.
 * @param files objects of `NewFile`s are recorded, except the session's own object
 * @param leftOut members of the archive that became no file
 * @throws AppError not_found when session or dataset were deleted meanwhile; conflict while a sync runs
 */
export async function finishUpload(
  tx: TenantTransaction,
  uploadId: string,
  files: readonly NewFile[],
  leftOut: LeftOut = {},
): Promise<UploadResult> {
  const seen = await findUploadById(tx, uploadId);
  // Dataset first, then session: the order of deletion, so that the two never wait for each other.
  const dataset = seen && (await lockDatasetById(tx, seen.datasetId));
  const found = dataset && (await lockUpload(tx, uploadId));
  if (!found) throw notFound('Upload session');
  await allowLongStatements(tx);
  if (found.state === 'done') return found.result as UploadResult;
  if (found.state !== 'assembling') throw conflict(closedMessage(found.state, found.error));
  assertNoSync(dataset);
  // The session owned its object so far; from here it belongs to a file or to nobody.
  await recordOrphanedObjects(tx, [{ key: found.objectKey }]);
  const added = await addFiles(tx, dataset, files, { id: found.createdBy, origin: 'upload' });
  const becameFile = added.created.length === 1 && files[0]?.objectKey === found.objectKey;
  if (!becameFile) await freeObjects(tx, [{ key: found.objectKey }]);
  await freeChunks(tx, uploadId);
  const result: UploadResult = {
    created: added.created.length,
    skipped: added.skipped.length,
    file_ids: added.created.slice(0, MAX_LISTED_IDS).map(({ id }) => id),
    errors: added.errors.slice(0, MAX_LISTED_ERRORS),
    left_out: leftOut,
  };
  await change(tx, uploadId, { state: 'done', result });
  const detail = {
    upload_id: uploadId,
    filename: found.path,
    size_bytes: found.sizeBytes,
    created: result.created,
    skipped: result.skipped,
    errors: added.errors.length,
  };
  await audit(tx, tx.tenantId, actorOfUpload(found), {
    action: 'dataset.upload',
    target: { kind: 'dataset', id: dataset.key, label: dataset.name },
    detail,
  });
  return result;
}

/** Verdicts on the bytes as a whole: these were read, so the join had come to its end. */
const ON_BYTES: ReadonlySet<string> = new Set<ErrorCode>(['unprocessable_entity', 'payload_too_large']);

/** Ends an assembly that cannot succeed. Idempotent; a session that is done or gone stays as it is. */
export async function failUpload(
  tx: TenantTransaction,
  uploadId: string,
  reason: { code: string; message: string },
): Promise<void> {
  const upload = await lockUpload(tx, uploadId);
  if (!upload || upload.state === 'done' || upload.state === 'failed' || upload.state === 'expired') return;
  await change(tx, uploadId, { state: 'failed', errorCode: reason.code, error: reason.message });
  // A process that was stopped may have begun a multipart upload whose id nobody kept, or left the store at the join.
  await freeObjects(
    tx,
    [{ key: upload.objectKey, multipartId: ANY_MULTIPART }],
    upload.isArchive || ON_BYTES.has(reason.code) ? 0 : LAST_JOIN_S,
  );
  await freeChunks(tx, uploadId);
  await audit(tx, tx.tenantId, actorOfUpload(upload), {
    action: 'dataset.upload',
    target: { kind: 'dataset', id: upload.datasetKey },
    outcome: 'failed',
    detail: { upload_id: uploadId, filename: upload.path, reason: reason.message },
  });
}

async function change(
  tx: TenantTransaction,
  uploadId: string,
  to: Partial<Pick<DatasetUpload, 'state' | 'result' | 'errorCode' | 'error'>>,
): Promise<void> {
  const session = await tx.em.findOneOrFail(DatasetUpload, { id: uploadId }, { refresh: true });
  Object.assign(session, to, { updatedAt: new Date() });
  await tx.em.flush();
}

/** Sessions that are over have no chunks. */
async function freeChunks(tx: TenantTransaction, uploadId: string): Promise<void> {
  const keys = await takeChunks(tx, uploadId);
  await freeObjects(
    tx,
    keys.map((key) => ({ key })),
  );
}

function actorOfUpload(upload: UploadRow): Actor {
  return upload.createdBy === null
    ? SYSTEM_ACTOR
    : { id: upload.createdBy, email: upload.createdByEmail, fullName: null, ip: null };
}
