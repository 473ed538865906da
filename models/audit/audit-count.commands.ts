import type { PlatformTransaction } from '../orm/transaction.js';

/**
 * Adds every finished row that is not counted yet to the counts by tenant and action, and moves the mark. When another
 * process is at it, or nothing new has ended, it does nothing. @returns how many rows of `audit_count` changed
 */
export async function countFinishedEntries(tx: PlatformTransaction): Promise<number> {
  const [mark] = await tx.query<{ to_xid: string; is_ahead: boolean }>(
    'select to_xid::text, to_xid > pg_snapshot_xmax(pg_current_snapshot()) as is_ahead from audit_count_mark for update skip locked',
  );
  if (!mark) return 0;
  // A restored backup runs with smaller transaction ids than the rows carry: all counts begin again.
  if (mark.is_ahead) await tx.execute('delete from audit_count');
  const from = mark.is_ahead ? '0' : mark.to_xid;
  const [end] = await tx.query<{ to_xid: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as to_xid');
  const to = end?.to_xid ?? from;
  const changed = await tx.execute(
    `insert into audit_count (tenant_id, action, row_count)
     select tenant_id, action, count(*) from audit_entry where xid >= $1::xid8 and xid < $2::xid8 group by tenant_id, action
     on conflict (tenant_id, action) do update set row_count = audit_count.row_count + excluded.row_count`,
    [from, to],
  );
  if (changed > 0 || mark.is_ahead) await tx.execute('update audit_count_mark set to_xid = $1::xid8', [to]);
  return changed;
}
