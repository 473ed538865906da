import { sql } from 'kysely';
import { type ListQuery, type Page, toPage } from '../../core/paging/page.js';
import type { Role } from '../access/permission.rules.js';
import type { TenantTransaction } from '../orm/transaction.js';
import type { NotificationRow } from './notification.types.js';
import { administratorKinds, kindsOfRole } from './notification-catalog.rules.js';

/** Whose feed it is, with what they may see in the tenant of the transaction. */
export interface Reader {
  readonly userId: string;
  readonly role: Role;
  readonly isGlobalAdmin: boolean;
}

/** Condition on `n`: entries of the tenant that the reader may see, and those that belong to no tenant. */
export const isOf = (tx: TenantTransaction, { userId, role, isGlobalAdmin }: Reader) => {
  const withheld = isGlobalAdmin ? [] : administratorKinds();
  return sql<boolean>`n.user_id = ${userId} and n.in_app and (
    (n.tenant_id = ${tx.tenantId} and (n.is_personal or n.kind = any(${kindsOfRole(role)}::text[])))
    or (n.tenant_id is null and n.kind <> all(${withheld}::text[])))`;
};

/**
 * Row-level security shows notifications to their own person alone: says who that is, until the transaction
 * ends.
 */
export const readAs = (tx: TenantTransaction, { userId }: Reader): Promise<unknown> =>
  tx.kysely.selectNoFrom(sql`set_config('app.user', ${userId}, true)`.as('reader')).execute();

const rows = (tx: TenantTransaction, reader: Reader) =>
  tx.kysely
    .selectFrom('notification as n')
    .leftJoin('tenant as t', 't.id', 'n.tenantId')
    .where(isOf(tx, reader))
    .select([
      'n.id',
      't.code as tenantCode',
      'n.kind',
      'n.title',
      'n.body',
      'n.link',
      'n.count',
      'n.createdAt',
      'n.updatedAt',
      'n.readAt',
    ]);

/** The reader's entries of the tenant and those that belong to no tenant; the latest happening first. */
export async function listFeed(
  tx: TenantTransaction,
  reader: Reader,
  query: ListQuery,
  unread: boolean | null,
): Promise<Page<NotificationRow>> {
  await readAs(tx, reader);
  const isAsked = unread === null ? sql<boolean>`true` : sql<boolean>`(n.read_at is null) = ${unread}`;
  const { total } = await tx.kysely
    .selectFrom('notification as n')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where(isOf(tx, reader))
    .where(isAsked)
    .executeTakeFirstOrThrow();
  const items = await rows(tx, reader)
    .where(isAsked)
    .orderBy('n.updatedAt', 'desc')
    .orderBy('n.id', 'desc')
    .limit(query.pageSize)
    .offset(query.offset)
    .execute();
  return toPage(query, items, total);
}

/** @returns null when it is not the reader's or not of this tenant */
export const findOfFeed = async (
  tx: TenantTransaction,
  reader: Reader,
  id: string,
): Promise<NotificationRow | null> =>
  (await rows(tx, reader).where('n.id', '=', id).executeTakeFirst()) ?? null;
