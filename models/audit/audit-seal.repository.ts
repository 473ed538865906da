import type { PlatformTransaction } from '../orm/transaction.js';
import type { SealedRow, SealRange } from './audit-seal.js';

export interface StoredSeal extends SealRange {
  readonly rowCount: number;
  readonly rowsSha256: string;
  readonly previousSeal: string;
  readonly seal: string;
  /** Retention or erasure removed the rows of this range; the mark is set in the transaction that removes them. */
  readonly isRemoved: boolean;
}

export const PLATFORM_CHAIN = 'platform';
const PAGE = 2000;
const SEAL_COLUMNS = `chain, from_xid::text as "fromXid", to_xid::text as "toXid", row_count as "rowCount", rows_sha256 as "rowsSha256",
  previous_seal as "previousSeal", seal, removed_at is not null as "isRemoved"`;

/** The oldest transaction that still runs: every audit row below it is final and visible. */
export async function finishedBefore(tx: PlatformTransaction): Promise<string> {
  const [row] = await tx.query<{ xmin: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as xmin');
  return row?.xmin ?? '0';
}

/** Chains with rows that no seal covers yet. Every pass seals all chains to the same end, so the newest end is the mark. */
export async function chainsToSeal(tx: PlatformTransaction, toXid: string): Promise<string[]> {
  const rows = await tx.query<{ chain: string }>(
    `select distinct coalesce(tenant_id::text, '${PLATFORM_CHAIN}') as chain from audit_entry
     where xid >= coalesce((select to_xid from audit_seal order by to_xid desc limit 1), '0'::xid8) and xid < $1::xid8`,
    [toXid],
  );
  return rows.map((row) => row.chain);
}

export async function lastSeal(tx: PlatformTransaction, chain: string): Promise<StoredSeal | null> {
  const [row] = await tx.query<StoredSeal>(`select ${SEAL_COLUMNS} from audit_seal where chain = $1 order by from_xid desc limit 1`, [chain]);
  return row ?? null;
}

/** The seals of a chain, oldest first, after a given start. */
export const sealsAfter = (tx: PlatformTransaction, chain: string, fromXid: string | null): Promise<StoredSeal[]> =>
  tx.query<StoredSeal>(`select ${SEAL_COLUMNS} from audit_seal where chain = $1 and ($2::xid8 is null or from_xid > $2::xid8) order by from_xid limit $3`, [chain, fromXid, PAGE]);

/** Whether the rows of a range have been removed by now. */
export async function isRangeRemoved(tx: PlatformTransaction, range: SealRange): Promise<boolean> {
  return (await tx.query('select 1 from audit_seal where chain = $1 and from_xid = $2::xid8 and removed_at is not null', [range.chain, range.fromXid])).length > 0;
}

export async function insertSeal(tx: PlatformTransaction, seal: Omit<StoredSeal, 'isRemoved'>): Promise<void> {
  await tx.execute('insert into audit_seal (chain, from_xid, to_xid, row_count, rows_sha256, previous_seal, seal) values ($1, $2::xid8, $3::xid8, $4, $5, $6, $7)', [
    seal.chain,
    seal.fromXid,
    seal.toXid,
    seal.rowCount,
    seal.rowsSha256,
    seal.previousSeal,
    seal.seal,
  ]);
}

/** All chains that have a seal. */
export async function sealedChains(tx: PlatformTransaction): Promise<string[]> {
  return (await tx.query<{ chain: string }>('select distinct chain from audit_seal order by chain')).map((row) => row.chain);
}

/** The rows of a range in the order they are hashed, page by page. */
export async function* rowsOf(tx: PlatformTransaction, range: SealRange): AsyncGenerator<SealedRow> {
  const tenantId = range.chain === PLATFORM_CHAIN ? null : range.chain;
  let [xid, id] = [range.fromXid, '-1'];
  for (;;) {
    const page = await tx.query<SealedRow>(
      `select id::text, xid::text, (extract(epoch from at) * 1000000)::bigint::text as at_us, tenant_id::text, actor_id::text, actor_email, actor_name, action,
              target_kind, target_id, target_label, outcome, ip, error_id, detail::text
       from audit_entry
       where tenant_id is not distinct from $1::uuid and (audit_entry.xid, audit_entry.id) > ($2::xid8, $3::bigint) and audit_entry.xid < $4::xid8
       order by audit_entry.xid, audit_entry.id limit $5`,
      [tenantId, xid, id, range.toXid, PAGE],
    );
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    [xid, id] = [last.xid, last.id];
  }
}

/** How many seals of a chain there are, and the last of them; null when none. */
export async function keptSeals(tx: PlatformTransaction, chain: string): Promise<{ count: number; last: string | null }> {
  const [row] = await tx.query<{ count: number }>('select count(*) as count from audit_seal where chain = $1', [chain]);
  return { count: row?.count ?? 0, last: (await lastSeal(tx, chain))?.seal ?? null };
}
