import { type InferResult, sql } from 'kysely';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { SyncFinding } from './dataset-sync.types.js';

const syncs = (tx: TenantTransaction) =>
  tx.kysely
    .selectFrom('dataset_sync as s')
    .innerJoin('dataset as d', (join) =>
      join.onRef('d.tenantId', '=', 's.tenantId').onRef('d.id', '=', 's.datasetId'),
    )
    .where('s.tenantId', '=', tx.tenantId);

/** For how long the source has given nothing; null while it answers. */
const awayMs = sql<number | null>`(extract(epoch from now() - s.away_since) * 1000)::bigint`;

const rows = (tx: TenantTransaction) =>
  syncs(tx).select([
    's.id',
    's.datasetId',
    'd.key as datasetKey',
    'd.name as datasetName',
    's.sourceId',
    's.sourceKey',
    's.sourceName',
    's.remoteDatasetId',
    's.trigger',
    's.status',
    's.statusMessage',
    's.cancelAskedAt',
    's.failuresInRow',
    awayMs.as('awayMs'),
    's.plan',
    's.filesTotal',
    's.filesDone',
    's.bytesTotal',
    's.bytesDone',
    's.warningCount',
    's.errorCount',
    's.startedAt',
    's.copyStartedAt',
    's.finishedAt',
    's.createdBy',
    's.createdByEmail',
    's.createdAt',
    's.updatedAt',
  ]);

/** A sync with the names of its dataset. */
export type SyncRow = Readonly<InferResult<ReturnType<typeof rows>>[number]>;

/** With its findings: at most MAX_LISTED_FINDINGS of each kind. */
export interface SyncDetailRow extends SyncRow {
  readonly warnings: readonly SyncFinding[];
  readonly errors: readonly SyncFinding[];
}

/** The history of a dataset, newest first. @param datasetId row id */
export async function listSyncs(
  tx: TenantTransaction,
  datasetId: string,
  page: { readonly pageSize: number; readonly offset: number },
): Promise<{ items: SyncRow[]; total: number }> {
  const { total } = await syncs(tx)
    .where('s.datasetId', '=', datasetId)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await rows(tx)
    .where('s.datasetId', '=', datasetId)
    .orderBy('s.createdAt', 'desc')
    .orderBy('s.id', 'desc')
    .limit(page.pageSize)
    .offset(page.offset)
    .execute();
  return { items, total };
}

/** Null when the dataset has no such sync. @param datasetKey the id people use */
export async function findSync(
  tx: TenantTransaction,
  datasetKey: string,
  syncId: string,
): Promise<SyncDetailRow | null> {
  const found = rows(tx)
    .select(['s.warnings', 's.errors'])
    .where('d.key', '=', datasetKey)
    .where('s.id', '=', syncId);
  return (await found.executeTakeFirst()) ?? null;
}

export async function findSyncById(tx: TenantTransaction, syncId: string): Promise<SyncRow | null> {
  return (await rows(tx).where('s.id', '=', syncId).executeTakeFirst()) ?? null;
}

/** An upload to the dataset whose file is being put together, if there is one. @param datasetId row id */
export async function findAssemblingUpload(tx: TenantTransaction, datasetId: string): Promise<string | null> {
  const upload = await tx.kysely
    .selectFrom('dataset_upload')
    .select('id')
    .where('tenantId', '=', tx.tenantId)
    .where('datasetId', '=', datasetId)
    .where('state', '=', 'assembling')
    .executeTakeFirst();
  return upload?.id ?? null;
}
