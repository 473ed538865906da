import { sql } from 'kysely';
import type { TenantTransaction } from '../orm/transaction.js';
import { findOfFeed, isOf, type Reader, readAs } from './feed.queries.js';
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
  const { numUpdatedRows } = await markIn(tx, unreadIds(tx, reader).where('n.id', '=', id));
  const row = await findOfFeed(tx, reader, id);
  return row && { row, changed: numUpdatedRows > 0n };
}

/**
 * Marks what the feed of this tenant shows. An entry that grows at this very moment stays unread: waiting for
 * it could hold two transactions against each other. @returns how many were unread
 */
export async function markAllRead(tx: TenantTransaction, reader: Reader): Promise<number> {
  await readAs(tx, reader);
  const { numUpdatedRows } = await markIn(tx, unreadIds(tx, reader).forNoKeyUpdate().skipLocked());
  return Number(numUpdatedRows);
}

const unreadIds = (tx: TenantTransaction, reader: Reader) =>
  tx.kysely
    .selectFrom('notification as n')
    .select('n.id')
    .where(isOf(tx, reader))
    .where('n.readAt', 'is', null);

const markIn = (tx: TenantTransaction, ids: ReturnType<typeof unreadIds>) =>
  tx.kysely.updateTable('notification').set({ readAt: sql`now()` }).where('id', 'in', ids).executeTakeFirst();
