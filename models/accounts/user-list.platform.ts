import { type RawBuilder, sql } from 'kysely';
import { type ListQuery, likePattern } from '../../core/paging/page.js';
import type { AuthTransaction } from '../orm/transaction.js';
import { HELD_ROLES, isMemberOf } from './memberships.sql.js';

export const USER_SORT_KEYS = ['email', 'full_name', 'is_active', 'created_at'] as const;
export type UserSortKey = (typeof USER_SORT_KEYS)[number];

const people = (tx: AuthTransaction) =>
  tx.kysely
    .selectFrom('user_account as u')
    .select(['u.id', 'u.email', 'u.fullName', 'u.phone', 'u.isActive', 'u.isVerified'])
    .select(['u.createdAt', 'u.updatedAt', HELD_ROLES.as('roles')]);

export type UserWithRoles = Awaited<ReturnType<ReturnType<typeof people>['executeTakeFirstOrThrow']>>;

/** Text of the column so that nulls sort as empty names. */
const ORDER: Readonly<Record<UserSortKey, RawBuilder<unknown>>> = {
  email: sql`lower(u.email)`,
  full_name: sql`lower(coalesce(u.full_name, ''))`,
  is_active: sql`u.is_active`,
  created_at: sql`u.created_at`,
};

/**
 * One page of accounts with their roles in all tenants.
 * @param tenantCode only members of this tenant; null for everyone
 */
export async function listUsers(
  tx: AuthTransaction,
  { q, sort, order, pageSize, offset }: ListQuery<UserSortKey>,
  tenantCode: string | null,
): Promise<{ items: UserWithRoles[]; total: number }> {
  let matching = tx.kysely.selectFrom('user_account as u');
  if (q !== null) {
    const pattern = likePattern(q);
    matching = matching.where(({ eb, or }) =>
      or([eb('u.email', 'ilike', pattern), eb('u.fullName', 'ilike', pattern)]),
    );
  }
  if (tenantCode !== null) matching = matching.where(isMemberOf(tenantCode));
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const ids = matching
    .select('u.id')
    .orderBy(ORDER[sort], order)
    .orderBy('u.id')
    .limit(pageSize)
    .offset(offset);
  const items = await people(tx)
    .where('u.id', 'in', ids)
    .orderBy(ORDER[sort], order)
    .orderBy('u.id')
    .execute();
  return { items, total };
}

export async function findUserWithRoles(tx: AuthTransaction, id: string): Promise<UserWithRoles | null> {
  return (await people(tx).where('u.id', '=', id).executeTakeFirst()) ?? null;
}
