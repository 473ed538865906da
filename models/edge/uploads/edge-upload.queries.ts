import { sql } from 'kysely';
import { type ListQuery, type Page, toPage } from '../../../core/paging/page.js';
import { SESSION_IDLE_DAYS } from '../../datasets/uploads/chunk.rules.js';
import { IS_KEPT } from '../../datasets/uploads/kept-uploads.sql.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { EdgeUploadRow, EdgeUploadState } from './edge-upload.types.js';

const STATE = sql<EdgeUploadState>`case when u.state = 'expired'
  or (u.state = 'open' and u.touched_at < now() - make_interval(days => ${sql.lit(SESSION_IDLE_DAYS)}))
  then 'failed' else u.state end`;

const uploads = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('edge_upload as e')
    .innerJoin('dataset_upload as u', (join) =>
      join.onRef('u.tenantId', '=', 'e.tenantId').onRef('u.id', '=', 'e.id'),
    )
    .innerJoin('dataset as d', (join) =>
      join.onRef('d.tenantId', '=', 'u.tenantId').onRef('d.id', '=', 'u.datasetId'),
    )
    .where('e.tenantId', '=', tx.tenantId)
    .where(sql<boolean>`${sql.raw(IS_KEPT)}`);

/** Transfers of a device, newest first. @param deviceId row id @param state null: in any */
export async function listEdgeUploads(
  tx: TenantTransaction,
  deviceId: string,
  query: ListQuery,
  state: EdgeUploadState | null,
): Promise<Page<EdgeUploadRow>> {
  const found = uploads(tx)
    .where('e.deviceId', '=', deviceId)
    .$if(state !== null, (only) => only.where(STATE, '=', state as EdgeUploadState));
  const { total } = await found
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await found
    .select(['e.id', 'u.path as filename', 'e.kind', 'e.meta', 'd.key as datasetKey', 'u.sizeBytes'])
    .select(['u.chunkBytes', 'u.chunkCount', 'u.error', 'u.createdAt', 'u.updatedAt'])
    .select(STATE.as('state'))
    .select((eb) =>
      eb
        .selectFrom('dataset_upload_chunk as c')
        .whereRef('c.tenantId', '=', 'u.tenantId')
        .whereRef('c.uploadId', '=', 'u.id')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .$asScalar()
        .$notNull()
        .as('receivedChunks'),
    )
    .orderBy('e.createdAt', 'desc')
    .orderBy('e.id')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
  return toPage(query, items, total);
}

/** What a device said of its upload, and the dataset that it goes to. */
export interface OwnUpload {
  readonly kind: string;
  readonly meta: Record<string, unknown>;
  readonly datasetKey: string;
}

/** Null for an upload of another device. @param deviceId row id */
export const findOwnUpload = async (
  tx: TenantTransaction,
  deviceId: string,
  uploadId: string,
): Promise<OwnUpload | null> =>
  (await uploads(tx)
    .where('e.deviceId', '=', deviceId)
    .where('e.id', '=', uploadId)
    .select(['e.kind', 'e.meta', 'd.key as datasetKey'])
    .executeTakeFirst()) ?? null;

/** Whose upload it is and how it went; null for one that no device opened. */
export const findUploadEnd = async (
  tx: TenantTransaction,
  uploadId: string,
): Promise<{
  readonly deviceKey: string;
  readonly datasetKey: string;
  readonly state: EdgeUploadState;
  readonly chunkCount: number;
} | null> =>
  (await uploads(tx)
    .innerJoin('edge_device as v', (join) =>
      join.onRef('v.tenantId', '=', 'e.tenantId').onRef('v.id', '=', 'e.deviceId'),
    )
    .where('e.id', '=', uploadId)
    .select(['v.key as deviceKey', 'd.key as datasetKey', STATE.as('state'), 'u.chunkCount'])
    .executeTakeFirst()) ?? null;
