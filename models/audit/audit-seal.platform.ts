import { sql } from 'kysely';
import type { Database } from '../orm/in-tenant.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { GENESIS, PLATFORM_CHAIN, RowsDigest, type SealRange, sealOf } from './audit-seal.js';
import {
  rowsOf,
  type UncoveredEntry,
  uncoveredEntries,
  type UnsealedEntries,
  unsealedEntries,
} from './audit-seal.sql.js';

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

const PAGE = 2000;

export interface RangeProblem {
  readonly epoch: number;
  readonly fromId: number;
  readonly toId: number;
  readonly problem: string;
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
  readonly problems: readonly RangeProblem[];
}

/** Verifies every chain that has a seal, each in a transaction of its own. */
export async function* verifyAllChains(db: Database): AsyncGenerator<ChainReport> {
  for (const chain of await db.inPlatform(sealedChains))
    yield await db.inPlatform((tx) => verifyAuditChain(tx, chain));
}

export const findUnsealedEntries = (db: Database): Promise<UnsealedEntries> => db.inPlatform(unsealedEntries);

/** Entries that somebody put in behind the seals, at most `limit`. */
export const findUncoveredEntries = (db: Database, limit: number): Promise<UncoveredEntry[]> =>
  db.inPlatform((tx) => uncoveredEntries(tx, limit));

/** Reads a chain from its beginning and compares every seal with its rows and with the seal before it. */
export async function verifyAuditChain(tx: PlatformTransaction, chain: string): Promise<ChainReport> {
  const problems: RangeProblem[] = [];
  const totals = { seals: 0, rows: 0, removedRanges: 0 };
  let previous: StoredSeal | null = null;
  for (;;) {
    const page: StoredSeal[] = await sealsAfter(tx, chain, previous);
    const digests = await digestsOf(tx, page);
    for (const [n, seal] of page.entries()) {
      const found = await rangeNow(tx, seal, digests[n] as RangeRows);
      totals.seals += 1;
      totals.rows += found.count;
      totals.removedRanges += found.isRemoved ? 1 : 0;
      const problem =
        linkProblem(seal, previous) ??
        (found.isRemoved ? removalProblem(seal, found.count) : rowsProblem(seal, found));
      if (problem !== null) problems.push({ ...rangeOf(seal), problem });
      previous = seal;
    }
    if (page.length === 0) return { chain, ...totals, newest: previous?.seal ?? null, problems };
  }
}

const rangeOf = ({ epoch, fromId, toId }: SealRange) => ({ epoch, fromId, toId });

const seals = (tx: PlatformTransaction, chain: string) =>
  tx.kysely
    .selectFrom('audit_seal')
    .where('chain', '=', chain)
    .select(['chain', 'epoch', 'fromId', 'toId', 'rowCount', 'rowsSha256', 'previousSeal', 'seal'])
    .select(sql<boolean>`removed_at is not null`.as('isRemoved'));

export const lastSeal = (tx: PlatformTransaction, chain: string): Promise<StoredSeal | undefined> =>
  seals(tx, chain).orderBy('epoch', 'desc').orderBy('fromId', 'desc').limit(1).executeTakeFirst();

/** The seals of a chain, oldest first, after a given one. */
const sealsAfter = (
  tx: PlatformTransaction,
  chain: string,
  previous: SealRange | null,
): Promise<StoredSeal[]> =>
  seals(tx, chain)
    .$if(previous !== null, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('epoch', 'fromId'), '>', tuple(previous?.epoch as number, previous?.fromId as number)),
      ),
    )
    .orderBy('epoch')
    .orderBy('fromId')
    .limit(PAGE)
    .execute();

/** Whether the rows of a range have been removed by now. */
const isRangeRemoved = async (
  tx: PlatformTransaction,
  { chain, epoch, fromId }: SealRange,
): Promise<boolean> =>
  (await seals(tx, chain).where('epoch', '=', epoch).where('fromId', '=', fromId).executeTakeFirst())
    ?.isRemoved === true;

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
 * What a range holds; one that was removed while it was read is read again, since its rows go with its mark.
 */
async function rangeNow(
  tx: PlatformTransaction,
  seal: StoredSeal,
  found: RangeRows,
): Promise<RangeRows & { isRemoved: boolean }> {
  if (seal.isRemoved || rowsProblem(seal, found) === null) return { ...found, isRemoved: seal.isRemoved };
  return (await isRangeRemoved(tx, seal))
    ? { ...(await digest(tx, seal)), isRemoved: true }
    : { ...found, isRemoved: false };
}

function linkProblem(seal: StoredSeal, previous: StoredSeal | null): string | null {
  if (seal.fromId !== (previous?.toId ?? 0)) return 'does not begin where the seal before it ends';
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

export async function digest(tx: PlatformTransaction, range: SealRange): Promise<RangeRows> {
  const [rows] = await digestsOf(tx, [range]);
  return rows as RangeRows;
}

/** Digests of ranges, which come in the order of their ids. Their rows are read in one go, since most ranges have only a few. */
async function digestsOf(tx: PlatformTransaction, ranges: readonly SealRange[]): Promise<RangeRows[]> {
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (!first || !last) return [];
  const sums = ranges.map((range) => ({ range, rows: new RowsDigest() }));
  let n = 0;
  for await (const row of rowsOf(tx, { ...first, toId: last.toId })) {
    const id = Number(row.id);
    while (id > (sums[n]?.range.toId ?? Number.POSITIVE_INFINITY)) n += 1;
    // Where a seal is missing, rows lie between the ranges.
    const sum = sums[n];
    if (sum && id > sum.range.fromId) sum.rows.add(row);
  }
  return sums.map(({ rows }) => ({ count: rows.count, sha256: rows.hex() }));
}
