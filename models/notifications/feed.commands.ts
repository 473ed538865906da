import type { TenantTransaction } from '../orm/transaction.js';
import { findOfFeed, isOf, type Reader, readAs } from './feed.queries.js';
import { MARK_READ } from './feed.sql.js';
import type { NotificationRow } from './notification.types.js';

/**
 * Idempotent. @returns the entry and whether it was unread; null when it is not the reader's or not of this
 * tenant
 */
export async function markRead(
  tx: TenantTransaction,
  reader: Reader,
  id: string,
): Promise<{ row: NotificationRow; changed: boolean } | null> {
  await readAs(tx, reader);
  const marked = await mark(tx, unread(tx, reader).where('n.id', '=', id).forNoKeyUpdate());
  const row = await findOfFeed(tx, reader, id);
  return row && { row, changed: marked > 0 };
}

/**
 * Marks what the feed of this tenant shows. An entry that grows at this very moment stays unread: waiting for
 * it could hold two transactions against each other. @returns how many were unread
 */
export async function markAllRead(tx: TenantTransaction, reader: Reader): Promise<number> {
  await readAs(tx, reader);
  return mark(tx, unread(tx, reader).forNoKeyUpdate().skipLocked());
}

const unread = (tx: TenantTransaction, reader: Reader) =>
  tx.kysely
    .selectFrom('notification as n')
    .select('n.id')
    .where(isOf(tx, reader))
    .where('n.readAt', 'is', null);

async function mark(tx: TenantTransaction, locked: ReturnType<typeof unread>): Promise<number> {
  const entries = await locked.execute();
  return entries.length === 0 ? 0 : tx.execute(MARK_READ, [entries.map(({ id }) => id)]);
}
