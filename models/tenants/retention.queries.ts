import { sql } from 'kysely';
import type { TenantTransaction } from '../orm/transaction.js';
import type { RetainedKind } from './retention.types.js';

/** The oldest instant of the kind that may be read; null: no limit. */
export async function retentionCutoff(tx: TenantTransaction, kind: RetainedKind): Promise<Date | null> {
  const { before } = await tx.kysely
    .selectNoFrom(sql<Date | null>`retention_cutoff(${tx.tenantId}, ${kind})`.as('before'))
    .executeTakeFirstOrThrow();
  return before;
}

/** The oldest instant of the kind that may be read, as a part of a statement, which asks for it once. */
export const readableFrom = (tx: TenantTransaction, kind: RetainedKind) =>
  tx.kysely.selectNoFrom(
    sql<Date>`coalesce(retention_cutoff(${tx.tenantId}, ${sql.lit(kind)}), '-infinity')`.as('since'),
  );
