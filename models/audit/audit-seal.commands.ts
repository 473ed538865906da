import type { PlatformTransaction } from '../orm/transaction.js';
import { GENESIS, RowsDigest, type SealRange, sealOf } from './audit-seal.js';
import { chainsToSeal, finishedBefore, insertSeal, isRangeRemoved, lastSeal, PLATFORM_CHAIN, rowsOf, sealsAfter, type StoredSeal } from './audit-seal.repository.js';

const SEALER_LOCK = 7_201_002;

/**
 * Seals every finished audit row that is not sealed yet, each tenant's in its own chain. One sealer works at a time;
 * another finds the lock taken and does nothing. @returns how many seals were written
 */
export async function sealAuditChains(tx: PlatformTransaction): Promise<number> {
  const [lock] = await tx.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1) as held', [SEALER_LOCK]);
  if (lock?.held !== true) return 0;
  const toXid = await finishedBefore(tx);
  const chains = await chainsToSeal(tx, toXid);
  for (const chain of chains) await sealChain(tx, chain, toXid);
  return chains.length;
}

async function sealChain(tx: PlatformTransaction, chain: string, toXid: string): Promise<void> {
  const previous = await lastSeal(tx, chain);
  const range: SealRange = { chain, fromXid: previous?.toXid ?? '0', toXid };
  const { count, sha256 } = await digest(tx, range);
  const previousSeal = previous?.seal ?? GENESIS;
  await insertSeal(tx, { ...range, rowCount: count, rowsSha256: sha256, previousSeal, seal: sealOf(range, sha256, previousSeal) });
}

export interface ChainReport {
  readonly chain: string;
  readonly seals: number;
  readonly rows: number;
  /** Ranges that retention or erasure removed: whole, with a mark on the seal, which stays. */
  readonly removedRanges: number;
  /** The last seal; null without any. Kept elsewhere it shows later that the end of the chain was not cut off: the chain alone cannot. */
  readonly newest: string | null;
  /** Empty for a chain that nobody tampered with. */
  readonly problems: ReadonlyArray<{ readonly fromXid: string; readonly toXid: string; readonly problem: string }>;
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
      const problem = linkProblem(seal, previous) ?? (found.isRemoved ? removalProblem(seal, found.count) : rowsProblem(seal, found));
      if (problem !== null) problems.push({ fromXid: seal.fromXid, toXid: seal.toXid, problem });
      previous = seal;
    }
    if (page.length === 0) return { chain, ...totals, newest: previous?.seal ?? null, problems };
  }
}

interface RangeRows {
  readonly count: number;
  readonly sha256: string;
}

/** What a range holds; one that is removed while it is read is read again, since its rows go with its mark. */
async function rangeNow(tx: PlatformTransaction, seal: StoredSeal): Promise<RangeRows & { isRemoved: boolean }> {
  const found = await digest(tx, seal);
  if (seal.isRemoved || rowsProblem(seal, found) === null) return { ...found, isRemoved: seal.isRemoved };
  return (await isRangeRemoved(tx, seal)) ? { ...(await digest(tx, seal)), isRemoved: true } : { ...found, isRemoved: false };
}

function linkProblem(seal: StoredSeal, previous: StoredSeal | null): string | null {
  if (seal.fromXid !== (previous?.toXid ?? '0')) return 'does not begin where the seal before it ends';
  if (seal.previousSeal !== (previous?.seal ?? GENESIS)) return 'does not follow the seal before it';
  if (seal.seal !== sealOf(seal, seal.rowsSha256, seal.previousSeal)) return 'the seal does not fit its own content';
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
