import type { Transaction } from '../orm/transaction.js';
import { PLATFORM_CHAIN, type SealedRow, type SealRange } from './audit-seal.js';

const PAGE = 2000;

const NEWEST_END = "coalesce((select to_xid from audit_seal order by to_xid desc limit 1), '0'::xid8)";

/**
 * Chains with rows before `toXid` that no seal covers yet: all chains are sealed to the same end, the newest
 * one.
 */
export async function chainsToSeal(tx: Transaction, toXid: string): Promise<string[]> {
  const rows = await tx.rows<{ chain: string }>(
    `select distinct coalesce(tenant_id::text, $2) as chain from audit_entry
     where xid >= ${NEWEST_END}
       and xid < $1::xid8`,
    [toXid, PLATFORM_CHAIN],
  );
  return rows.map((row) => row.chain);
}

/** Whether committed rows wait for a seal, be it for older transactions to end. */
export async function hasUnsealedEntries(tx: Transaction): Promise<boolean> {
  return (await tx.rows(`select 1 as one from audit_entry where xid >= ${NEWEST_END} limit 1`)).length > 0;
}

/** The rows of a range in the order they are hashed, page by page. */
export async function* rowsOf(tx: Transaction, range: SealRange): AsyncGenerator<SealedRow> {
  const tenantId = range.chain === PLATFORM_CHAIN ? null : range.chain;
  let [xid, id] = [range.fromXid, '-1'];
  for (;;) {
    const page = await tx.rows<SealedRow>(
      `select id::text, xid::text, (extract(epoch from at) * 1000000)::bigint::text as at_us, tenant_id::text,
         actor_id::text, actor_email, actor_name, action, target_kind, target_id, target_label, outcome, ip,
         error_id, detail::text
       from audit_entry
       where tenant_id is not distinct from $1::uuid
         and (audit_entry.xid, audit_entry.id) > ($2::xid8, $3::bigint) and audit_entry.xid < $4::xid8
       order by audit_entry.xid, audit_entry.id limit $5`,
      [tenantId, xid, id, range.toXid, PAGE],
    );
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    [xid, id] = [last.xid, last.id];
  }
}

/**
 * Removes the oldest sealed ranges of a tenant's chain, whole, and leaves their seals.
 * @param sealedBefore only ranges sealed before, whose entries are all older; null: whenever they were sealed
 * @returns how many ranges, at most `limit`, with how many entries
 */
export async function removeAuditRanges(
  tx: Transaction,
  tenantId: string,
  sealedBefore: Date | null,
  limit: number,
): Promise<{ ranges: number; entries: number }> {
  const [gone] = await tx.rows<{ ranges: number; entries: number }>(
    "select ranges, entries from remove_audit_ranges($1, coalesce($2::timestamptz, 'infinity'), $3)",
    [tenantId, sealedBefore, limit],
  );
  return gone ?? { ranges: 0, entries: 0 };
}
