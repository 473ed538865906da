import { type ListQuery, likePattern } from '../../core/paging/page.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import type { Role } from './permission.rules.js';

export const USER_SORT_KEYS = ['email', 'full_name', 'is_active', 'created_at'] as const;
export type UserSortKey = (typeof USER_SORT_KEYS)[number];

/** A role of a person; both tenant fields are null for a global administrator's membership. */
export interface HeldRole {
  tenant_code: string | null;
  tenant_name: string | null;
  role: Role;
}

export interface UserWithRoles {
  id: string;
  email: string;
  full_name: string | null;
  phone: string | null;
  is_active: boolean;
  is_verified: boolean;
  created_at: Date;
  updated_at: Date;
  roles: HeldRole[];
}

const COLUMNS = 'u.id, u.email, u.full_name, u.phone, u.is_active, u.is_verified, u.created_at, u.updated_at';
const ROLES_OF_USER = `coalesce((select json_agg(json_build_object('tenant_code', t.code, 'tenant_name', t.name, 'role', m.role) order by t.code nulls first)
  from membership m left join tenant t on t.id = m.tenant_id where m.user_id = u.id), '[]') as roles`;

/** Text of the column so that nulls sort as empty names. */
const ORDER: Readonly<Record<UserSortKey, string>> = {
  email: 'lower(u.email)',
  full_name: "lower(coalesce(u.full_name, ''))",
  is_active: 'u.is_active',
  created_at: 'u.created_at',
};

/**
 * One page of accounts with their roles in all tenants, in one statement.
 * @param tenantCode only members of this tenant; null for everyone
 */
export async function listUsers(tx: PlatformTransaction, query: ListQuery<UserSortKey>, tenantCode: string | null): Promise<{ items: UserWithRoles[]; total: number }> {
  const filter = `($1::text is null or u.email ilike $1 or u.full_name ilike $1)
    and ($2::text is null or exists (select 1 from membership m join tenant t on t.id = m.tenant_id where m.user_id = u.id and t.code = lower($2)))`;
  const params = [query.q === null ? null : likePattern(query.q), tenantCode];
  const [count] = await tx.query<{ total: number }>(`select count(*) as total from user_account u where ${filter}`, params);
  const items = await tx.query<UserWithRoles>(
    `with page as (select u.id, row_number() over (order by ${ORDER[query.sort]} ${query.order}, u.id) as place from user_account u where ${filter}
       order by ${ORDER[query.sort]} ${query.order}, u.id limit $3 offset $4)
     select ${COLUMNS}, ${ROLES_OF_USER} from page join user_account u on u.id = page.id order by page.place`,
    [...params, query.pageSize, query.offset],
  );
  return { items, total: count?.total ?? 0 };
}

export async function findUserWithRoles(tx: PlatformTransaction, id: string): Promise<UserWithRoles | null> {
  return (await tx.query<UserWithRoles>(`select ${COLUMNS}, ${ROLES_OF_USER} from user_account u where u.id = $1`, [id]))[0] ?? null;
}
