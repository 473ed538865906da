import { sql } from 'kysely';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { GENESIS, PLATFORM_CHAIN, RowsDigest, type SealRange, sealOf } from './audit-seal.js';
import { chainsToSeal, hasUnsealedEntries, rowsOf } from './audit-seal.sql.js';
import { AuditSeal } from './audit-seal.entity.js';

export interface StoredSeal extends SealRange {
  readonly rowCount: number;
  readonly rowsSha256: string;
  readonly previousSeal: string;
  readonly seal: string;
  /**
   * Retention or erasure removed the rows of this range; the mark is set in the transaction that removes
   * them.
   */
  readonly isRemoved: boolean;
}

/** Channel on which sealers hear of new entries; a trigger of audit_entry sends on it. */
export const AUDIT_CHANNEL = 'visionops_audit';

const PAGE = 2000;
const SEALER_LOCK = 7_201_002;

/** As `sealAuditChains`, in a transaction of its own; says too whether committed rows wait for a seal all the same. */
export const sealFinishedEntries = (db: Database): Promise<{ sealed: number; isUnfinished: boolean }> =>
  db.inPlatform(async (tx) => ({
    sealed: await sealAuditChains(tx),
    isUnfinished: await hasUnsealedEntries(tx),
  }));

/**
 * Seals every finished audit row that is not sealed yet, each tenant's in its own chain. One sealer works at
 * a time; another finds the lock taken and does nothing. @returns how many seals were written
 */
export async function sealAuditChains(tx: PlatformTransaction): Promise<number> {
  const { isHeld } = await tx.kysely
    .selectNoFrom(sql<boolean>`pg_try_advisory_xact_lock(${SEALER_LOCK})`.as('isHeld'))
    .executeTakeFirstOrThrow();
  if (!isHeld) return 0;
  const toXid = await finishedBefore(tx);
  const chains = await chainsToSeal(tx, toXid);
  for (const chain of chains) await sealChain(tx, chain, toXid);
  await tx.em.flush();
  return chains.length;
}

/** The oldest transaction that still runs: every audit row below it is final and visible. */
async function finishedBefore(tx: PlatformTransaction): Promise<string> {
  const { xid } = await tx.kysely
    .selectNoFrom(sql<string>`pg_snapshot_xmin(pg_current_snapshot())::text`.as('xid'))
    .executeTakeFirstOrThrow();
  return xid;
}

async function sealChain(tx: PlatformTransaction, chain: string, toXid: string): Promise<void> {
  const previous = await lastSeal(tx, chain);
  const range: SealRange = { chain, fromXid: previous?.toXid ?? '0', toXid };
  const { count, sha256 } = await digest(tx, range);
  const previousSeal = previous?.seal ?? GENESIS;
  const seal = sealOf(range, sha256, previousSeal);
  tx.em.create(AuditSeal, { ...range, rowCount: count, rowsSha256: sha256, previousSeal, seal });
}

export interface ChainReport {
  readonly chain: string;
  readonly seals: number;
  readonly rows: number;
  /** Ranges that retention or erasure removed: whole, with a mark on the seal, which stays. */
  readonly removedRanges: number;
  /**
   * The last seal; null without any. Kept elsewhere it shows later that the end of the chain was not cut off:
   * the chain alone cannot.
   */
  readonly newest: string | null;
  /** Empty for a chain that nobody tampered with. */
  readonly problems: ReadonlyArray<{
    readonly fromXid: string;
    readonly toXid: string;
    readonly problem: string;
  }>;
}

/** Verifies every chain that has a seal, each in a transaction of its own. */
export async function* verifyAllChains(db: Database): AsyncGenerator<ChainReport> {
  for (const chain of await db.inPlatform(sealedChains))
    yield await db.inPlatform((tx) => verifyAuditChain(tx, chain));
}

/** Reads a chain from its beginning and compares every seal with its rows and with the seal before it. */
export async function verifyAuditChain(tx: PlatformTransaction, chain: string): Promise<ChainReport> {
  const problems: Array<{ fromXid: string; toXid: string; problem: string }> = [];
  const totals = { seals: 0, rows: 0, removedRanges: 0 };
  let previous: StoredSeal | null = null;
  for (;;) {
    const page: StoredSeal[] = await sealsAfter(tx, chain, previous?.fromXid ?? null);
    for (const seal of page) {
      const found = await rangeNow(tx, seal);
      totals.seals += 1;
      totals.rows += found.count;
      totals.removedRanges += found.isRemoved ? 1 : 0;
      const problem =
        linkProblem(seal, previous) ??
        (found.isRemoved ? removalProblem(seal, found.count) : rowsProblem(seal, found));
      if (problem !== null) problems.push({ fromXid: seal.fromXid, toXid: seal.toXid, problem });
      previous = seal;
    }
    if (page.length === 0) return { chain, ...totals, newest: previous?.seal ?? null, problems };
  }
}

const seals = (tx: PlatformTransaction, chain: string) =>
  tx.kysely
    .selectFrom('audit_seal')
    .where('chain', '=', chain)
    .select(['chain', 'fromXid', 'toXid', 'rowCount', 'rowsSha256', 'previousSeal', 'seal'])
    .select(sql<boolean>`removed_at is not null`.as('isRemoved'));

const lastSeal = (tx: PlatformTransaction, chain: string): Promise<StoredSeal | undefined> =>
  seals(tx, chain).orderBy('fromXid', 'desc').limit(1).executeTakeFirst();

/** The seals of a chain, oldest first, after a given start. */
const sealsAfter = (tx: PlatformTransaction, chain: string, fromXid: string | null): Promise<StoredSeal[]> =>
  seals(tx, chain)
    .$if(fromXid !== null, (query) => query.where('fromXid', '>', fromXid as string))
    .orderBy('fromXid')
    .limit(PAGE)
    .execute();

/** Whether the rows of a range have been removed by now. */
const isRangeRemoved = async (tx: PlatformTransaction, { chain, fromXid }: SealRange): Promise<boolean> =>
  (await seals(tx, chain).where('fromXid', '=', fromXid).executeTakeFirst())?.isRemoved === true;

/** All chains that have a seal. */
export const sealedChains = async (tx: PlatformTransaction): Promise<string[]> =>
  (await tx.kysely.selectFrom('audit_seal').select('chain').distinct().orderBy('chain').execute()).map(
    (row) => row.chain,
  );

/** How many seals of a chain there are, and the last of them; null when none. */
export async function keptSeals(
  tx: PlatformTransaction,
  chain: string,
): Promise<{ count: number; last: string | null }> {
  const { count } = await tx.kysely
    .selectFrom('audit_seal')
    .where('chain', '=', chain)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { count, last: (await lastSeal(tx, chain))?.seal ?? null };
}

interface RangeRows {
  readonly count: number;
  readonly sha256: string;
}

/**
 * What a range holds; one that is removed while it is read is read again, since its rows go with its mark.
 */
async function rangeNow(
  tx: PlatformTransaction,
  seal: StoredSeal,
): Promise<RangeRows & { isRemoved: boolean }> {
  const found = await digest(tx, seal);
  if (seal.isRemoved || rowsProblem(seal, found) === null) return { ...found, isRemoved: seal.isRemoved };
  return (await isRangeRemoved(tx, seal))
    ? { ...(await digest(tx, seal)), isRemoved: true }
    : { ...found, isRemoved: false };
}

function linkProblem(seal: StoredSeal, previous: StoredSeal | null): string | null {
  if (seal.fromXid !== (previous?.toXid ?? '0')) return 'does not begin where the seal before it ends';
  if (seal.previousSeal !== (previous?.seal ?? GENESIS)) return 'does not follow the seal before it';
  if (seal.seal !== sealOf(seal, seal.rowsSha256, seal.previousSeal))
    return 'the seal does not fit its own content';
  return null;
}

/** The platform's own entries are never removed: retention and erasure name a tenant. */
function removalProblem(seal: StoredSeal, count: number): string | null {
  if (seal.chain === PLATFORM_CHAIN) return 'marked as removed, which the platform keeps';
  return count === 0 ? null : `${count} rows in a range that is marked as removed`;
}

function rowsProblem(seal: StoredSeal, found: RangeRows): string | null {
  if (found.count === 0 && seal.rowCount > 0) return `all ${seal.rowCount} rows were removed`;
  if (found.count !== seal.rowCount) return `${found.count} rows where ${seal.rowCount} were sealed`;
  return found.sha256 === seal.rowsSha256 ? null : 'a row was changed';
}

async function digest(tx: PlatformTransaction, range: SealRange): Promise<RangeRows> {
  const sum = new RowsDigest();
  for await (const row of rowsOf(tx, range)) sum.add(row);
  return { count: sum.count, sha256: sum.hex() };
}
