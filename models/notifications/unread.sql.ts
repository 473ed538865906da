import type { Transaction } from '../orm/transaction.js';
import { administratorKinds, kindRolePairs } from './notification-catalog.rules.js';

/**
 * Condition on `n` of what its person may see now: what they got as a member is gone with the role, and
 * comes from active tenants alone. Parameters: kinds, roles (pairs) and the kinds of global administrators,
 * from `place` on.
 */
export const visible = (place: number): string => `
  (case when n.tenant_id is null then n.is_personal or n.kind <> all($${place + 2}::text[])
      or exists (select 1 from membership g where g.user_id = n.user_id and g.tenant_id is null)
    else exists (select 1 from membership m join tenant t on t.id = n.tenant_id and t.is_active
      where m.user_id = n.user_id and (m.tenant_id = n.tenant_id or m.tenant_id is null)
        and (n.is_personal or exists (
          select 1 from unnest($${place}::text[], $${place + 1}::text[]) as a (kind, role)
          where a.kind = n.kind and a.role = m.role)))
    end)`;

export const visibleParams = (): unknown[] => {
  const { kinds, roles } = kindRolePairs();
  return [kinds, roles, administratorKinds()];
};

/** Unread entries of a person in one tenant. */
export interface Unread {
  readonly userId: string;
  /** Null: what concerns the platform or the person alone. */
  readonly tenantCode: string | null;
  readonly unread: number;
}

/**
 * Unread entries of each of these people by tenant, tenants without any left out. They are counted before it
 * is asked who may see what: that is then asked once for each person, tenant and kind.
 */
export const countUnread = (tx: Transaction, userIds: readonly string[]): Promise<Unread[]> =>
  tx.rows<Unread>(
    `with n as materialized (
       select user_id, tenant_id, kind, is_personal, count(*) as unread from notification
       where user_id = any($1::uuid[]) and in_app and read_at is null
       group by user_id, tenant_id, kind, is_personal)
     select n.user_id, c.code as tenant_code, sum(n.unread)::int as unread
     from n left join tenant c on c.id = n.tenant_id
     where ${visible(2)} group by n.user_id, c.code order by n.user_id, c.code nulls first`,
    [userIds, ...visibleParams()],
  );

/** Unread entries of each of these people, in all tenants. */
export async function countUnreadOf(
  tx: Transaction,
  userIds: readonly string[],
): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  if (userIds.length === 0) return sums;
  for (const { userId, unread } of await countUnread(tx, userIds))
    sums.set(userId, (sums.get(userId) ?? 0) + unread);
  return sums;
}
