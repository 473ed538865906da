import { createHash, type Hash } from 'node:crypto';

/** What stands before the first seal of a chain. */
export const GENESIS = '0'.repeat(64);

/** One audit row as it is hashed: every column as text in a fixed order, so that no formatting of a client matters. */
export interface SealedRow {
  readonly id: string;
  readonly xid: string;
  /** Microseconds since 1970. */
  readonly at_us: string;
  readonly tenant_id: string | null;
  readonly actor_id: string | null;
  readonly actor_email: string | null;
  readonly actor_name: string | null;
  readonly action: string;
  readonly target_kind: string;
  readonly target_id: string;
  readonly target_label: string | null;
  readonly outcome: string;
  readonly ip: string | null;
  readonly error_id: string | null;
  /** jsonb as text: PostgreSQL orders its keys. */
  readonly detail: string;
}

export interface SealRange {
  /** Tenant id, or `platform` for changes without a tenant. */
  readonly chain: string;
  /** Transaction ids as decimal text; the range is `[from, to)`. */
  readonly fromXid: string;
  readonly toXid: string;
}

/** Sums rows up in the order of (xid, id), one canonical JSON line each. */
export class RowsDigest {
  private readonly hash: Hash = createHash('sha256');
  count = 0;

  add(row: SealedRow): void {
    this.count += 1;
    const { id, xid, at_us, tenant_id, actor_id, actor_email, actor_name, action, target_kind, target_id, target_label, outcome, ip, error_id, detail } = row;
    this.hash.update(
      `${JSON.stringify([id, xid, at_us, tenant_id, actor_id, actor_email, actor_name, action, target_kind, target_id, target_label, outcome, ip, error_id, detail])}\n`,
    );
  }

  hex(): string {
    return this.hash.digest('hex');
  }
}

/** The seal of a range; it covers the one before, so that none can be taken out or exchanged. */
export const sealOf = (range: SealRange, rowsSha256: string, previousSeal: string): string =>
  createHash('sha256').update([range.chain, range.fromXid, range.toXid, rowsSha256, previousSeal].join('|')).digest('hex');
