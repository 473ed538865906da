import { type ExpressionBuilder, sql } from 'kysely';
import type { Tables } from '../../orm/entities.js';
import type { TenantTransaction } from '../../orm/transaction.js';
import { type EntryAction, MAX_LISTED_FINDINGS, type SyncAmount } from './dataset-sync.types.js';

const entries = (tx: TenantTransaction, syncId: string) =>
  tx.kysely
    .selectFrom('dataset_sync_entry as e')
    .where('e.tenantId', '=', tx.tenantId)
    .where('e.syncId', '=', syncId);

/**
 * Entries and their bytes by action. Sizes are what the source says: their sum may be larger than any bigint.
 * @returns nothing for entries that were not compared
 */
export async function countActions(
  tx: TenantTransaction,
  syncId: string,
): Promise<Map<EntryAction, SyncAmount>> {
  const counted = await entries(tx, syncId)
    .where('e.action', 'is not', null)
    .groupBy('e.action')
    .select(({ fn }) => [
      'e.action',
      fn.countAll<number>().as('files'),
      fn.sum<number>('e.sizeBytes').as('bytes'),
    ])
    .execute();
  return new Map(counted.map(({ action, files, bytes }) => [action as EntryAction, { files, bytes }]));
}

/** The first paths of an action, as many as findings are listed. */
export async function firstPaths(
  tx: TenantTransaction,
  syncId: string,
  action: EntryAction,
): Promise<string[]> {
  const found = await entries(tx, syncId)
    .where('e.action', '=', action)
    .select('e.path')
    .orderBy('e.position')
    .limit(MAX_LISTED_FINDINGS)
    .execute();
  return found.map(({ path }) => path);
}

/** Files of earlier syncs that the written manifest no longer names. @param datasetId row id */
export const countRemoved = (tx: TenantTransaction, syncId: string, datasetId: string): Promise<SyncAmount> =>
  tx.kysely
    .selectFrom('dataset_file as f')
    .where('f.tenantId', '=', tx.tenantId)
    .where('f.datasetId', '=', datasetId)
    .where('f.origin', '=', 'sync')
    .where(({ not, exists }) =>
      not(exists(entries(tx, syncId).select('e.position').where('e.path', '=', sql.ref<string>('f.path')))),
    )
    .select(({ fn }) => [
      fn.countAll<number>().as('files'),
      sql<number>`coalesce(sum(f.size_bytes), 0)`.as('bytes'),
    ])
    .executeTakeFirstOrThrow();

type EntryBuilder = ExpressionBuilder<Tables & { e: Tables['dataset_sync_entry'] }, 'e'>;

/** Nobody has tried it, or an attempt has not ended. */
const isOpen = (eb: EntryBuilder) =>
  eb('e.state', 'in', ['planned', 'copying']).and('e.objectKey', 'is not', null);

/** Whether files are left to be copied. */
export async function hasOpenEntries(tx: TenantTransaction, syncId: string): Promise<boolean> {
  return (
    (await entries(tx, syncId).where(isOpen).select('e.position').limit(1).executeTakeFirst()) !== undefined
  );
}

/**
 * What was put off: how many files, and in how many milliseconds the first of them is due (below 0: it is).
 */
export async function countPutOff(
  tx: TenantTransaction,
  syncId: string,
): Promise<{ files: number; dueInMs: number }> {
  const { files, dueInMs } = await entries(tx, syncId)
    .where('e.state', '=', 'later')
    .select(({ fn }) => [
      fn.countAll<number>().as('files'),
      sql<number | null>`(extract(epoch from min(e.again_at) - now()) * 1000)::bigint`.as('dueInMs'),
    ])
    .executeTakeFirstOrThrow();
  return { files, dueInMs: dueInMs ?? 0 };
}

/** Entries that were copied, that are left to be copied, and those for which what is here stays. */
export const countOutcome = (
  tx: TenantTransaction,
  syncId: string,
): Promise<{ copied: number; open: number; stays: number }> =>
  entries(tx, syncId)
    .select(({ eb, fn }) => {
      const isFile = eb('e.objectKey', 'is not', null);
      const count = () => fn.countAll<number>();
      return [
        count()
          .filterWhere(isFile.and('e.state', '=', 'copied'))
          .as('copied'),
        count()
          .filterWhere(isFile.and('e.state', 'in', ['planned', 'copying', 'later']))
          .as('open'),
        count().filterWhere('e.action', 'in', ['same', 'keep', 'outgrown']).as('stays'),
      ];
    })
    .executeTakeFirstOrThrow();
