import type { Transaction } from '../orm/transaction.js';
import { PLATFORM_CHAIN, type SealedRow, type SealRange } from './audit-seal.js';

const PAGE = 2000;
/** Later than any entry: in the year 2255. */
const LAST_US = '9000000000000000';

/** How far all chains are sealed: each pass of a sealer takes all of them to the same end. */
const NEWEST_END = 'coalesce((select to_id from audit_seal order by to_id desc limit 1), 0)';

/** Chains with rows up to an id that no seal covers yet. */
export async function chainsToSeal(tx: Transaction, upToId: number): Promise<string[]> {
  // A statement of its own: the planner reads the index only where it knows how few ids are asked for.
  const [sealed] = await tx.rows<{ end: number }>(`select ${NEWEST_END} as end`);
  const rows = await tx.rows<{ chain: string }>(
    `select distinct coalesce(tenant_id::text, $3) as chain from audit_entry where id > $1 and id <= $2`,
    [sealed?.end ?? 0, upToId, PLATFORM_CHAIN],
  );
  return rows.map((row) => row.chain);
}

/** Whether committed rows wait for a seal, be it for older transactions to end. */
export async function hasUnsealedEntries(tx: Transaction): Promise<boolean> {
  const [found] = await tx.rows<{ any: boolean | null }>(
    `select (select max(id) from audit_entry) > ${NEWEST_END} as any`,
  );
  return found?.any === true;
}

export interface UnsealedEntries {
  readonly count: number;
  /** Age of the oldest; null without any. */
  readonly oldestS: number | null;
}

/** Entries that no seal of their own chain covers: those of the last second, or what somebody put in behind the seals. */
export async function unsealedEntries(tx: Transaction): Promise<UnsealedEntries> {
  const [found] = await tx.rows<UnsealedEntries>(
    `select count(*) as count, extract(epoch from clock_timestamp() - min(e.at))::float8 as oldest_s
     from audit_entry e
     left join (select chain, max(to_id) as to_id from audit_seal group by chain) s
       on s.chain = coalesce(e.tenant_id::text, $1)
     where e.id > coalesce(s.to_id, 0)`,
    [PLATFORM_CHAIN],
  );
  return found ?? { count: 0, oldestS: null };
}

/** A pass of a sealer that began before them may be under way. */
const SEALING_S = 60;

export interface UncoveredEntry {
  readonly id: number;
  readonly chain: string;
  readonly at: Date;
}

/**
 * Entries that no seal will ever cover: sealers ask for ids above the newest end of all chains, and no id up to it was free any
 * more when that was sealed. The oldest first.
 */
export const uncoveredEntries = (tx: Transaction, limit: number): Promise<UncoveredEntry[]> =>
  tx.rows<UncoveredEntry>(
    `select e.id, coalesce(e.tenant_id::text, $1) as chain, e.at from audit_entry e
     left join (select chain, max(to_id) as to_id from audit_seal group by chain) s
       on s.chain = coalesce(e.tenant_id::text, $1)
     where e.id > coalesce(s.to_id, 0)
       and e.id <= (select max(to_id) from audit_seal where sealed_at < clock_timestamp() - $2 * interval '1 second')
     order by e.id limit $3`,
    [PLATFORM_CHAIN, SEALING_S, limit],
  );

/** The rows of a range in the order they are hashed, page by page. */
export async function* rowsOf(tx: Transaction, range: SealRange): AsyncGenerator<SealedRow> {
  const isPlatform = range.chain === PLATFORM_CHAIN;
  let [id, atUs] = [String(range.fromId), LAST_US];
  for (;;) {
    const page = await tx.rows<SealedRow>(
      `select id::text, (extract(epoch from at) * 1000000)::bigint::text as at_us, tenant_id::text,
         actor_id::text, actor_email, actor_name, action, target_kind, target_id, target_label, outcome, ip,
         error_id, detail::text
       from audit_entry
       where ${isPlatform ? 'tenant_id is null' : 'tenant_id = $5'}
         and (audit_entry.id, audit_entry.at)
           > ($1::bigint, timestamptz 'epoch' + $2::bigint * interval '1 microsecond')
         and audit_entry.id <= $3
       order by audit_entry.id, audit_entry.at limit $4`,
      [id, atUs, range.toId, PAGE, ...(isPlatform ? [] : [range.chain])],
    );
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    [id, atUs] = [last.id, last.atUs];
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

/** Counts a restore. @returns the new epoch */
export async function raiseEpoch(tx: Transaction): Promise<number> {
  const [raised] = await tx.rows<{ epoch: number }>('select raise_audit_epoch() as epoch');
  if (!raised) throw new Error('raise_audit_epoch answers a row');
  return raised.epoch;
}
