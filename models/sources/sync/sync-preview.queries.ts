import { sql } from 'kysely';
import { anyOf } from '../../orm/any-of.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import type { SyncAmount } from './dataset-sync.types.js';

/** @param datasetId row id */
const files = (tx: TenantTransaction, datasetId: string, origin: 'upload' | 'sync') =>
  tx.kysely
    .selectFrom('dataset_file')
    .where('tenantId', '=', tx.tenantId)
    .where('datasetId', '=', datasetId)
    .where('origin', '=', origin);

/** Which of some folders are files that were uploaded. @param datasetId row id */
export async function uploadedAmong(
  tx: TenantTransaction,
  datasetId: string,
  folders: readonly string[],
): Promise<string[]> {
  const found = await files(tx, datasetId, 'upload')
    .where('path', '=', anyOf(folders))
    .select('path')
    .execute();
  return found.map(({ path }) => path);
}

/** Files that earlier syncs brought: what a sync may remove. @param datasetId row id */
export const countSynced = (tx: TenantTransaction, datasetId: string): Promise<SyncAmount> =>
  files(tx, datasetId, 'sync')
    .select(({ fn }) => [
      fn.countAll<number>().as('files'),
      sql<number>`coalesce(sum(size_bytes), 0)::bigint`.as('bytes'),
    ])
    .executeTakeFirstOrThrow();

/**
 * The next paths that earlier syncs brought, in order.
 * @param after the last path of the page before; empty at first
 */
export async function nextSyncedPaths(
  tx: TenantTransaction,
  datasetId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const next = files(tx, datasetId, 'sync')
    .where('path', '>', after)
    .select('path')
    .orderBy('path')
    .limit(limit);
  return (await next.execute()).map(({ path }) => path);
}
