import type { InferResult } from 'kysely';
import { conflict } from '../../../core/errors/app-error.js';
import type { TenantTransaction } from '../../orm/transaction.js';

const links = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('dataset as d')
    .leftJoin('dataset_source as l', (join) =>
      join.onRef('l.tenantId', '=', 'd.tenantId').onRef('l.datasetId', '=', 'd.id'),
    )
    .leftJoin('external_source as s', (join) =>
      join.onRef('s.tenantId', '=', 'l.tenantId').onRef('s.id', '=', 'l.sourceId'),
    )
    .where('d.tenantId', '=', tx.tenantId)
    .select([
      'd.id as datasetId',
      'd.key as datasetKey',
      'd.activeSyncId',
      's.key as sourceKey',
      's.name as sourceName',
      's.enabled as sourceEnabled',
      'l.remoteDatasetId',
      'l.intervalS',
      'l.linkedAt',
      'l.linkedBy',
    ]);

/** How a dataset stands to its source; the link's fields are null together. */
export type LinkRow = Readonly<InferResult<ReturnType<typeof links>>[number]>;

/** Null when there is no such dataset. @param datasetKey the id people use */
export async function findLink(tx: TenantTransaction, datasetKey: string): Promise<LinkRow | null> {
  return (await links(tx).where('d.key', '=', datasetKey).executeTakeFirst()) ?? null;
}

const origins = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('dataset_source as l')
    .innerJoin('external_source as s', (join) =>
      join.onRef('s.tenantId', '=', 'l.tenantId').onRef('s.id', '=', 'l.sourceId'),
    )
    .where('l.tenantId', '=', tx.tenantId)
    .select([
      'l.sourceId',
      's.key as sourceKey',
      's.name as sourceName',
      's.enabled as isEnabled',
      'l.remoteDatasetId',
    ]);

/** Where a dataset's files come from. */
export type SyncOrigin = Readonly<InferResult<ReturnType<typeof origins>>[number]>;

/** @param datasetId row id @throws AppError conflict when it is linked to no source */
export async function requireSyncOrigin(tx: TenantTransaction, datasetId: string): Promise<SyncOrigin> {
  const origin = await origins(tx).where('l.datasetId', '=', datasetId).executeTakeFirst();
  if (!origin)
    throw conflict('The dataset is linked to no external source; link it by PUT .../source first.');
  return origin;
}
