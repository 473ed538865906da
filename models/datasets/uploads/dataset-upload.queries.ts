import { sql } from 'kysely';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { UploadState } from '../catalog/dataset.types.js';
import { SESSION_IDLE_DAYS } from './chunk.rules.js';
import { IS_KEPT } from './kept-uploads.sql.js';

/** A session that was idle for too long counts as expired even before the housekeeping has come by. */
const STATE = sql<UploadState>`case
  when u.state = 'open' and u.touched_at < now() - make_interval(days => ${sql.lit(SESSION_IDLE_DAYS)})
  then 'expired' else u.state end`;

const uploads = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('dataset_upload as u')
    .innerJoin('dataset as d', (join) =>
      join.onRef('d.tenantId', '=', 'u.tenantId').onRef('d.id', '=', 'u.datasetId'),
    )
    .select(['u.id', 'u.datasetId', 'd.key as datasetKey', 'u.path', 'u.sizeBytes', 'u.sha256'])
    .select(['u.chunkBytes', 'u.chunkCount', STATE.as('state'), 'u.objectKey'])
    .select(['u.multipartId', 'u.replacedBytes', 'u.isArchive', 'u.result', 'u.errorCode', 'u.error'])
    .select(['d.activeSyncId', 'u.createdBy', 'u.createdByEmail', 'u.createdAt', 'u.updatedAt'])
    .where('u.tenantId', '=', tx.tenantId)
    .where(sql<boolean>`${sql.raw(IS_KEPT)}`);

/** A session with the dataset that it belongs to; `replacedBytes`: of parts that were sent again. */
export type UploadRow = Awaited<ReturnType<ReturnType<typeof uploads>['executeTakeFirstOrThrow']>>;

export const findUpload = async (
  tx: TenantTransaction,
  datasetKey: string,
  uploadId: string,
): Promise<UploadRow | null> =>
  (await uploads(tx).where('d.key', '=', datasetKey).where('u.id', '=', uploadId).executeTakeFirst()) ?? null;

export const findUploadById = async (tx: TenantTransaction, uploadId: string): Promise<UploadRow | null> =>
  (await uploads(tx).where('u.id', '=', uploadId).executeTakeFirst()) ?? null;

/** Locks the session's row until the transaction ends. */
export const lockUpload = async (tx: TenantTransaction, uploadId: string): Promise<UploadRow | null> =>
  (await uploads(tx).where('u.id', '=', uploadId).forNoKeyUpdate('u').executeTakeFirst()) ?? null;

const chunks = (tx: TenantTransaction, uploadId: string) =>
  tx.kysely
    .selectFrom('dataset_upload_chunk')
    .where('tenantId', '=', tx.tenantId)
    .where('uploadId', '=', uploadId);

export interface ChunkRow {
  readonly index: number;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly objectKey: string | null;
}

/** In order of their indexes. */
export const listChunks = (tx: TenantTransaction, uploadId: string): Promise<ChunkRow[]> =>
  chunks(tx, uploadId).select(['index', 'sizeBytes', 'etag', 'objectKey']).orderBy('index').execute();

export const findChunk = async (
  tx: TenantTransaction,
  uploadId: string,
  index: number,
): Promise<{ readonly objectKey: string | null } | null> =>
  (await chunks(tx, uploadId).select('objectKey').where('index', '=', index).executeTakeFirst()) ?? null;

export async function receivedIndexes(tx: TenantTransaction, uploadId: string): Promise<number[]> {
  const received = await chunks(tx, uploadId).select('index').orderBy('index').execute();
  return received.map(({ index }) => index);
}
