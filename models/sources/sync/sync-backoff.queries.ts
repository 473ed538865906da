import { type RawBuilder, sql } from 'kysely';
import type { TenantTransaction } from '../../orm/transaction.js';

const DAY_S = 86_400;

/** Twice as long for each scheduled sync in a row that failed, up to a day or the link's own interval. */
const waitS = sql`least(l.interval_s * 2.0 ^ least(l.failures_in_row, 12),
  greatest(l.interval_s, ${sql.lit(DAY_S)}))`;

/** Since when the interval of a link `l` runs. */
export const lastSync = sql`coalesce(l.last_sync_at, l.linked_at)`;

/** Whether the interval of a link `l` is over; never for a link without one. */
export const isDue: RawBuilder<boolean> = sql`${lastSync} + make_interval(secs => ${waitS}) <= now()`;

/**
 * Asked again with the dataset locked: another worker may have been faster, or the tenant switched off
 * meanwhile.
 * @param datasetId row id
 */
export async function isSyncDue(tx: TenantTransaction, datasetId: string): Promise<boolean> {
  const due = await tx.kysely
    .selectFrom('dataset_source as l')
    .innerJoin('tenant as t', 't.id', 'l.tenantId')
    .where('t.isActive', '=', true)
    .where('l.tenantId', '=', tx.tenantId)
    .where('l.datasetId', '=', datasetId)
    .where('l.intervalS', 'is not', null)
    .where(isDue)
    .select('l.datasetId')
    .executeTakeFirst();
  return due !== undefined;
}
