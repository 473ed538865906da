import type { PlatformTransaction } from '../orm/transaction.js';
import type { AuditFacts } from './audit-columns.js';

/** Where the trail stands at one moment. */
export interface AuditState {
  /** PostgreSQL's text of a snapshot: which transactions had ended. */
  readonly snapshot: string;
  /** How often entries were removed. */
  readonly removals: number;
  /** Entries, without the newest few. */
  readonly counted: number;
}

export async function readAuditState(tx: PlatformTransaction): Promise<AuditState> {
  const [state] = await tx.query<{ snapshot: string; removals: number; counted: number }>(
    `select pg_current_snapshot()::text as snapshot, removals, (select coalesce(sum(row_count), 0) from audit_count) as counted from audit_count_mark`,
  );
  if (!state) throw new Error('audit_count_mark has no row; restore the database from a backup');
  return state;
}

/** A snapshot in which no transaction has ended. */
export const BEFORE_ALL = '3:3:';

/** The next entries after an id that one snapshot sees and an earlier one did not; an entry never changes, so each is read once. */
export const listAuditFacts = (tx: PlatformTransaction, seen: string, now: string, afterId: number, limit: number): Promise<AuditFacts[]> =>
  tx.query<AuditFacts & Record<string, unknown>>(
    `select id, (extract(epoch from at) * 1000000)::bigint as at_us, tenant_id, action,
            lower(actor_email) as actor_email, lower(actor_name) as actor_name, lower(target_id) as target_id, lower(target_label) as target_label
     from audit_entry
     where id > $3 and xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(xid, $1::pg_snapshot) and pg_visible_in_snapshot(xid, $2::pg_snapshot)
     order by id limit $4`,
    [seen, now, afterId, limit],
  );

/** Ids of the entries that the removals from `after` to `upTo` took away; null when some of those are not written down any more. */
export async function listRemovedAudit(tx: PlatformTransaction, after: number, upTo: number): Promise<number[] | null> {
  const rows = await tx.query<{ removal: number; id: number }>(
    'select r.removal, gone.id from audit_removal r cross join unnest(r.entry_ids) as gone (id) where r.removal > $1 and r.removal <= $2',
    [after, upTo],
  );
  return new Set(rows.map((row) => row.removal)).size === upTo - after ? rows.map((row) => row.id) : null;
}

/** Texts in lower case as the database has it. */
export async function foldTexts(tx: PlatformTransaction, actor: string | null, target: string | null): Promise<{ actor: string | null; target: string | null }> {
  if (actor === null && target === null) return { actor, target };
  const [folded] = await tx.query<{ actor: string | null; target: string | null }>('select lower($1::text) as actor, lower($2::text) as target', [actor, target]);
  return folded ?? { actor, target };
}
