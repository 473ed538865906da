import type { PlatformTransaction } from '../orm/transaction.js';
import { type AuditFilter, type AuditMark, countAudit, countAuditSince, isSummedUp, readAuditMark, totalOfSums } from './audit-list.repository.js';

const MAX_FILTERS = 500;

interface Settled {
  /** Every matching row of a transaction before this one is in `count`. */
  readonly toXid: string;
  readonly removals: number;
  readonly count: number;
}

/**
 * Exact totals of filtered lists without counting the same rows again: rows of transactions that have ended never
 * change, so what was counted of them stands, and only those since then are counted anew. Forgotten when rows are
 * removed, and when a restored database begins with smaller transaction ids.
 */
export class AuditTotals {
  private readonly known = new Map<string, Settled>();

  async total(tx: PlatformTransaction, filter: AuditFilter): Promise<number> {
    if (isSummedUp(filter)) return totalOfSums(tx, filter);
    const mark = await readAuditMark(tx);
    const key = JSON.stringify(filter);
    const before = this.known.get(key);
    const isStanding = before !== undefined && before.removals === mark.removals && BigInt(before.toXid) <= BigInt(mark.toXid);
    const { settled, later } = isStanding ? await countAuditSince(tx, filter, mark, before.toXid) : await countAudit(tx, filter, mark);
    const count = (isStanding ? before.count : 0) + settled;
    this.remember(key, mark, count);
    return count + later;
  }

  /** The filter that was asked for longest ago goes first. */
  private remember(key: string, mark: AuditMark, count: number): void {
    this.known.delete(key);
    this.known.set(key, { toXid: mark.toXid, removals: mark.removals, count });
    if (this.known.size > MAX_FILTERS) this.known.delete(this.known.keys().next().value as string);
  }
}
