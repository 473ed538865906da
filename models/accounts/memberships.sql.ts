import { type RawBuilder, sql } from 'kysely';
import type { Role } from '../access/permission.rules.js';

/** Whether a membership of `user_account as u` holds in every tenant. */
export const isGlobalAdmin = sql<boolean>`exists (
  select 1 from membership g where g.user_id = u.id and g.tenant_id is null)`;

export interface HeldTenant {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly role: Role;
  readonly isActive: boolean;
}

/** Tenants in which `user_account as u` has a role. */
export const HELD_TENANTS = sql<HeldTenant[]>`coalesce(
  (select json_agg(json_build_object('id', t.id, 'code', t.code, 'name', t.name, 'role', m.role,
     'isActive', t.is_active))
   from membership m join tenant t on t.id = m.tenant_id where m.user_id = u.id), '[]')`;

/** A role of a person; both tenant fields are null for a global administrator's membership. */
interface HeldRole {
  readonly tenantCode: string | null;
  readonly tenantName: string | null;
  readonly role: Role;
}

/** All roles of `user_account as u`, by tenant. */
export const HELD_ROLES = sql<HeldRole[]>`coalesce(
  (select json_agg(json_build_object('tenantCode', t.code, 'tenantName', t.name, 'role', m.role)
     order by t.code nulls first)
   from membership m left join tenant t on t.id = m.tenant_id where m.user_id = u.id), '[]')`;

/** Whether `user_account as u` has a role in this tenant. */
export const isMemberOf = (tenantCode: string): RawBuilder<boolean> => sql<boolean>`exists (
  select 1 from membership m join tenant t on t.id = m.tenant_id
  where m.user_id = u.id and t.code = lower(${tenantCode}))`;
