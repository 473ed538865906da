import { createHash, type Hash } from 'node:crypto';

/** What stands before the first seal of a chain. */
export const GENESIS = '0'.repeat(64);

/** The chain of changes without a tenant. */
export const PLATFORM_CHAIN = 'platform';

/**
 * One audit row as it is hashed: every column as text in a fixed order, so that no formatting of a client
 * matters.
 */
export interface SealedRow {
  readonly id: string;
  /** Microseconds since 1970. */
  readonly atUs: string;
  readonly tenantId: string | null;
  readonly actorId: string | null;
  readonly actorEmail: string | null;
  readonly actorName: string | null;
  readonly action: string;
  readonly targetKind: string;
  readonly targetId: string;
  readonly targetLabel: string | null;
  readonly outcome: string;
  readonly ip: string | null;
  readonly errorId: string | null;
  /** jsonb as text: PostgreSQL orders its keys. */
  readonly detail: string;
}

export interface SealRange {
  /** Tenant id, or PLATFORM_CHAIN. */
  readonly chain: string;
  /** In which it was sealed; see `raiseAuditEpoch`. */
  readonly epoch: number;
  /** Ids of entries; the range is `(from, to]`. */
  readonly fromId: number;
  readonly toId: number;
}

/** Sums rows up in the order of their ids, one canonical JSON line each. */
export class RowsDigest {
  private readonly hash: Hash = createHash('sha256');
  count = 0;

  add(row: SealedRow): void {
    this.count += 1;
    const { id, atUs, tenantId, actorId, actorEmail, actorName } = row;
    const { action, targetKind, targetId, targetLabel } = row;
    const who = [id, atUs, tenantId, actorId, actorEmail, actorName];
    const what = [action, targetKind, targetId, targetLabel, row.outcome, row.ip, row.errorId, row.detail];
    this.hash.update(`${JSON.stringify([...who, ...what])}\n`);
  }

  hex(): string {
    return this.hash.digest('hex');
  }
}

/** The seal of a range; it covers the one before, so that none can be taken out or exchanged. */
export const sealOf = (range: SealRange, rowsSha256: string, previousSeal: string): string =>
  createHash('sha256')
    .update([range.chain, range.epoch, range.fromId, range.toId, rowsSha256, previousSeal].join('|'))
    .digest('hex');
