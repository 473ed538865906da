import type { PlatformTransaction } from '../orm/transaction.js';
import { GENESIS, RowsDigest, type SealRange, sealOf } from './audit-seal.js';
import { chainsToSeal, finishedBefore, insertSeal, lastSeal, rowsOf, sealsAfter, type StoredSeal } from './audit-seal.repository.js';

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
  /** Ranges whose rows are all gone: retention or erasure, which remove whole ranges and leave the seal. */
  readonly removedRanges: number;
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
      const found = await digest(tx, seal);
      const isRemoved = found.count === 0 && seal.rowCount > 0;
      totals.seals += 1;
      totals.rows += found.count;
      totals.removedRanges += isRemoved ? 1 : 0;
      const problem = linkProblem(seal, previous) ?? (isRemoved ? null : rowsProblem(seal, found));
      if (problem !== null) problems.push({ fromXid: seal.fromXid, toXid: seal.toXid, problem });
      previous = seal;
    }
    if (page.length === 0) return { chain, ...totals, problems };
  }
}

function linkProblem(seal: StoredSeal, previous: StoredSeal | null): string | null {
  if (seal.fromXid !== (previous?.toXid ?? '0')) return 'does not begin where the seal before it ends';
  if (seal.previousSeal !== (previous?.seal ?? GENESIS)) return 'does not follow the seal before it';
  if (seal.seal !== sealOf(seal, seal.rowsSha256, seal.previousSeal)) return 'the seal does not fit its own content';
  return null;
}

function rowsProblem(seal: StoredSeal, found: { count: number; sha256: string }): string | null {
  if (found.count !== seal.rowCount) return `${found.count} rows where ${seal.rowCount} were sealed`;
  return found.sha256 === seal.rowsSha256 ? null : 'a row was changed';
}

async function digest(tx: PlatformTransaction, range: SealRange): Promise<{ count: number; sha256: string }> {
  const sum = new RowsDigest();
  for await (const row of rowsOf(tx, range)) sum.add(row);
  return { count: sum.count, sha256: sum.hex() };
}
