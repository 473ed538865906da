import type { PlatformTransaction } from '../orm/transaction.js';

/**
 * Removes the oldest sealed ranges of a tenant's chain, whole, and leaves their seals.
 * @param sealedBefore only ranges sealed before, whose entries are all older; null: whenever they were sealed
 * @returns how many ranges, at most `limit`, with how many entries
 */
export async function removeAuditRanges(tx: PlatformTransaction, tenantId: string, sealedBefore: Date | null, limit: number): Promise<{ ranges: number; entries: number }> {
  const [gone] = await tx.query<{ ranges: number; entries: number }>("select ranges, entries from remove_audit_ranges($1, coalesce($2::timestamptz, 'infinity'), $3)", [
    tenantId,
    sealedBefore,
    limit,
  ]);
  return gone ?? { ranges: 0, entries: 0 };
}
